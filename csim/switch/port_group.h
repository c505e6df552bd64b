/* SPDX-License-Identifier: Apache-2.0 */
/* port_group.h - twin of loom_port_group: an input picks the port of a packet among those of a
 * group (docs/port_groups.md; TP-02) */
#ifndef LOOM_SWITCH_PORT_GROUP_H
#define LOOM_SWITCH_PORT_GROUP_H

#define LOOM_DUT port_group
#define LOOM_DEF "switch/port_group.def"
#include <loom/def.h>

#include <stdbool.h>

enum {
  LOOM_GROUP_SLOTS = 64,     /* of a group */
  LOOM_GROUP_THRESHOLDS = 3, /* of the load of a port */
};

/* The words of all groups, which the inputs of a switch have in common. Sets of ports are bits. */
struct loom_port_group_tables {
  uint32_t groups;
  uint64_t *members; /* of each group */
  uint8_t *slots;    /* LOOM_GROUP_SLOTS ports of each group, one group after the other */
};

struct loom_port_group_pick {
  bool valid, choose, full;
  uint8_t port;
  uint64_t set;
};

/* All fields of a stage that is not valid are 0. */
struct loom_port_group {
  uint32_t ports;
  struct {
    bool valid, loose;
    uint8_t by_lid, by_flow;
  } a;
  struct {
    bool valid, grouped, loose;
    uint8_t port;
    uint8_t slot; /* slot and members: the words that were read */
    uint64_t members;
  } b;
  struct loom_port_group_pick d, e;
  bool free, turned, crowded;
  struct loom_port_group_tables own; /* that step uses */
};

/* What a cycle brings. What follows a flag means something only with it. */
struct loom_port_group_cycle {
  bool head; /* comes on the link: */
  uint8_t vl;
  uint64_t data;
  bool found; /* known is the LFT's answer for the head of the last cycle: */
  uint8_t mode, out;
  uint64_t above[LOOM_GROUP_THRESHOLDS]; /* the ports that are above each threshold */
  uint8_t count, hash;
  uint32_t sls;
};

/* The parameters are legal together. */
bool loom_port_group_cfg_ok(const struct loom_port_group_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_port_group_storage_size(const struct loom_port_group_cfg *cfg);
/* Without storage (NULL) there are no tables, and no step: the user has tables of its own. */
void loom_port_group_init(struct loom_port_group *s, const struct loom_port_group_cfg *cfg,
                          void *storage);
void loom_port_group_step(struct loom_port_group *s, const struct loom_port_group_in *in,
                          struct loom_port_group_out *out);
/* The edge that ends the cycle, for users with tables, as these were before that edge. */
void loom_port_group_edge(struct loom_port_group *s, const struct loom_port_group_cycle *in,
                          const struct loom_port_group_tables *tables);
/* The writes of a register to tables of a switch with so many ports. A group that the tables do
 * not have is ignored, bits of members that are no ports are not kept. */
void loom_port_group_write_members(const struct loom_port_group_tables *tables, uint32_t ports,
                                   uint32_t addr, uint32_t data);
void loom_port_group_write_slot(const struct loom_port_group_tables *tables, uint32_t addr,
                                uint32_t port);
/* Nothing changes before a head comes: until then an edge may be left out. */
static inline bool loom_port_group_rests(const struct loom_port_group *s) {
  return !s->a.valid && !s->b.valid && !s->d.valid && !s->e.valid && !s->free && !s->turned &&
         !s->crowded;
}
/* What port_o shows; known_o is `e.valid`. */
uint32_t loom_port_group_port(const struct loom_port_group *s);
void loom_port_group_probe(const struct loom_port_group *s, struct loom_port_group_probe *p);

#endif
