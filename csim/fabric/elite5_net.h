/* elite5_net.h - Elite5 routers and endpoints, joined by links and stepped together (docs/elan5.md;
 * E5-18, E5-25, E5-37, E5-39)
 *
 * Memory is allocated by loom_elite5_net_create only.
 */
#ifndef LOOM_FABRIC_ELITE5_NET_H
#define LOOM_FABRIC_ELITE5_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "elan5/elan5.h"
#include "elan5/link.h"
#include "elite5/elite5_registers.h"
#include "elite5/elite5_router.h"
#include "fabric/arena.h"

enum { LOOM_NET_NO_LINK = ~0 };

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
  loom_elite5_edge *edge; /* NULL: nobody looks on, and routers sleep */
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
  uint32_t member; /* of the sets of devices: the far one */
  bool joined;
};

struct loom_elite5_net_command {
  uint32_t addr, data;
};

struct loom_elite5_net_router {
  struct loom_elite5_router *twin;         /* behind while it sleeps */
  uint64_t next;                           /* cycle of its next edge */
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
  uint8_t *turns;                                /* links whose signal comes or goes, by cycle */
  uint8_t signal, shown;
  struct loom_net_peer peer[LOOM_ELAN5_LINKS];
};

struct loom_elite5_net {
  struct loom_arena arena; /* of all that follows */
  struct loom_elite5_net_cfg cfg;
  uint64_t now;
  uint32_t places; /* cycles that arrivals are kept: a power of two above the longest latency */
  uint32_t links;  /* joined so far by loom_elite5_net_connect */
  struct loom_elite5_net_router *router;
  struct loom_elite5_net_node *node;
  struct loom_net_link *link;
  /* Sets of devices, routers and then endpoints, each from a word of their own on. */
  uint32_t router_words, words;
  uint64_t *awake;  /* by cycle, around */
  uint64_t *called; /* for the next cycle, whatever arrives */
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

/* The endpoint is stepped in the next cycle: for who puts something on its wires himself. */
void loom_elite5_net_call_node(struct loom_elite5_net *net, uint32_t node);
/* All twins are as if no router had slept; for who looks into them. */
void loom_elite5_net_catch_up(struct loom_elite5_net *net);

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
