/* elite5_net.h - Elite5 routers and endpoints, joined by links and stepped together (docs/elan5.md;
 * E5-18, E5-25, E5-37, E5-39)
 *
 * Memory is allocated by loom_elite5_net_create only.
 */
#ifndef LOOM_NET_ELITE5_NET_H
#define LOOM_NET_ELITE5_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "elite5/elite5_router.h"
#include "net/elan5.h"
#include "net/link.h"

enum { LOOM_NET_NO_LINK = ~0 };

/* Registers of a router (docs/elite5.md). */
enum loom_elite5_register {
  LOOM_ELITE5_REG_ID = 0x00000,
  LOOM_ELITE5_REG_CONTROL = 0x00001,
  LOOM_ELITE5_REG_DEST_COUNT = 0x00002,
  LOOM_ELITE5_REG_CLASS_COUNT = 0x00003,
  LOOM_ELITE5_REG_GROUP_COUNT = 0x00004,
  LOOM_ELITE5_REG_TRAPS = 0x00005,
  LOOM_ELITE5_REG_TRAP = 0x00006,
  LOOM_ELITE5_REG_TIME = 0x00008,
  LOOM_ELITE5_REG_EXPIRE = 0x00009,
  LOOM_ELITE5_REG_UPLINKS = 0x0000A,
  LOOM_ELITE5_REG_THRESHOLD = 0x0000B,
  LOOM_ELITE5_REG_SEED = 0x0000C,
  LOOM_ELITE5_REG_CHIP_ID = 0x0000D,
  LOOM_ELITE5_REG_WINDOW = 0x00012,
  LOOM_ELITE5_REG_LIMIT_REDUNDANT = 0x00013,
  LOOM_ELITE5_REG_LIMIT_SINGLE = 0x00014,
  LOOM_ELITE5_REG_UP = 0x00015,
  LOOM_ELITE5_REG_LINK = 0x10000, /* + 0x1000 l + one of these: */
  LOOM_ELITE5_REG_LINK_STEP = 0x1000,
  LOOM_ELITE5_REG_ALL_LINKS = 63,
  LOOM_ELITE5_REG_LINK_CONTROL = 0x000,
  LOOM_ELITE5_REG_LINK_EXPECTED = 0x001,
  LOOM_ELITE5_REG_LINK_VC_LIMIT = 0x002,
  LOOM_ELITE5_REG_LINK_STATE = 0x008,
  LOOM_ELITE5_REG_LINK_FAR = 0x009,
  LOOM_ELITE5_REG_LINK_ALLOCATED = 0x00C,
  LOOM_ELITE5_REG_LINK_NOT_IDLE = 0x00D,
  LOOM_ELITE5_REG_LINK_COUNTER = 0x020, /* + enum loom_elite5_counters */
  LOOM_ELITE5_REG_MASK = 0x80000,       /* + 2 k + all */
  LOOM_ELITE5_REG_DEST = 0xC0000,       /* + dest */
};

/* Of LOOM_ELITE5_REG_LINK_CONTROL. */
enum {
  LOOM_ELITE5_ENABLE = 1,
  LOOM_ELITE5_QUICK = 2,
  LOOM_ELITE5_SINGLE = 4,
  LOOM_ELITE5_CHECK = 8
};

static inline uint32_t loom_elite5_link_register(uint32_t link, uint32_t a) {
  return LOOM_ELITE5_REG_LINK + LOOM_ELITE5_REG_LINK_STEP * link + a;
}

/* The edge of one router. A test may put its own function in its place: it does the edge too, with
 * loom_elite5_router_edge, or with loom_elite5_router_step, which also gives what the outputs show
 * in this cycle (lock-step with a circuit, see loom_elite5_net_ports). */
typedef void loom_elite5_edge(void *context, uint32_t router, struct loom_elite5_router *twin,
                              const struct loom_elite5_lanes *lanes);

struct loom_elite5_net_cfg {
  uint32_t routers, nodes, links; /* how many there are */
  uint32_t latency;               /* longest of a link, 1..63 cycles */
  uint32_t commands;              /* register writes that may wait, a router */
  uint64_t seed;                  /* of the links' injectors */
  struct loom_elite5_router_cfg router;
  struct loom_elan5_cfg endpoint;
  loom_elite5_edge *edge; /* NULL: nobody looks on */
  void *context;
};

/* What comes to a router in one cycle. */
struct loom_elite5_net_arrival {
  struct loom_elite5_words words;
  struct loom_elite5_returns returns;
  loom_links turns; /* links whose signal comes or goes */
};

/* Where a link of a device leads. */
struct loom_net_peer {
  struct loom_net_end far;
  uint32_t link; /* LOOM_NET_NO_LINK: open */
  uint32_t latency;
  bool joined;
};

struct loom_elite5_net_command {
  uint32_t addr, data;
};

struct loom_elite5_net_router {
  struct loom_elite5_router *twin;
  struct loom_elite5_net_arrival *arrival; /* by cycle, around */
  loom_links signal;                       /* seen */
  loom_links shown;                        /* told to the far ends */
  struct loom_net_peer peer[LOOM_ELITE5_LINKS];
  struct loom_elite5_net_command *command; /* waiting, around */
  uint32_t first, count;
  bool read; /* one read, in the next cycle */
  uint32_t read_addr;
};

struct loom_elite5_net_node {
  struct loom_elan5 *endpoint;
  struct loom_flow (*arrival)[LOOM_ELAN5_LINKS]; /* by cycle, around */
  uint8_t(*turns);                               /* links whose signal comes or goes, by cycle */
  uint8_t signal, shown;
  struct loom_net_peer peer[LOOM_ELAN5_LINKS];
};

struct loom_elite5_net {
  struct loom_elite5_net_cfg cfg;
  uint64_t now;
  uint32_t places; /* cycles that arrivals are kept: a power of two above the longest latency */
  uint32_t links;  /* joined so far by loom_elite5_net_connect */
  loom_elite5_edge *edge;
  void *context;
  struct loom_elite5_net_router *router;
  struct loom_elite5_net_node *node;
  struct loom_net_link *link;
};

void loom_elite5_net_defaults(struct loom_elite5_net_cfg *cfg);
/* NULL if the configuration is not legal or there is no memory. */
struct loom_elite5_net *loom_elite5_net_create(const struct loom_elite5_net_cfg *cfg);
void loom_elite5_net_destroy(struct loom_elite5_net *net);

/* Joins two ends; the number of the link. Each end at most once. */
uint32_t loom_elite5_net_connect(struct loom_elite5_net *net, struct loom_net_end a,
                                 struct loom_net_end b, uint32_t latency);
static inline struct loom_net_end loom_net_router_end(uint32_t router, uint32_t lane) {
  return (struct loom_net_end){.router = true, .device = router, .lane = lane};
}
static inline struct loom_net_end loom_net_node_end(uint32_t node, uint32_t lane) {
  return (struct loom_net_end){.router = false, .device = node, .lane = lane};
}

/* One cycle of everything. */
void loom_elite5_net_step(struct loom_elite5_net *net);
void loom_elite5_net_run(struct loom_elite5_net *net, uint64_t cycles);

/* Cuts or joins a link between two cycles; what is under way is lost (E5-25). */
void loom_elite5_net_join(struct loom_elite5_net *net, uint32_t link, bool joined);
/* All links of a router, as if its power went (E5-24, E5-40). */
void loom_elite5_net_power(struct loom_elite5_net *net, uint32_t router, bool on);
/* Wrong bits on this link with this chance a word (E5-37); 0 none. */
void loom_elite5_net_errors(struct loom_elite5_net *net, uint32_t link, double rate);

/* A register write waits its turn: one a cycle and router; time registers get the time of the net.
 * False if too many wait. */
bool loom_elite5_net_write(struct loom_elite5_net *net, uint32_t router, uint32_t addr,
                           uint32_t data);
/* Steps until all writes are done. */
void loom_elite5_net_flush(struct loom_elite5_net *net);
/* Steps until the data are there: after waiting writes of this router. */
uint32_t loom_elite5_net_read(struct loom_elite5_net *net, uint32_t router, uint32_t addr);

/* The ports of a router in this cycle, for its step. */
void loom_elite5_net_ports(const struct loom_elite5_lanes *lanes, struct loom_elite5_router_in *in);

/* Nothing is under way in any endpoint and any router. */
bool loom_elite5_net_idle(const struct loom_elite5_net *net);

#endif
