/* elite5_shadow.h - the circuit beside every router of an Elite5 fabric: each cycle the same
 * inputs, every output compared (docs/cosim.md)
 */
#ifndef LOOM_TB_SHADOW_ELITE5_SHADOW_H
#define LOOM_TB_SHADOW_ELITE5_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "net/elite5_net.h"

struct elite5_shadow {
  uint64_t compared; /* cycles of routers */
  uint64_t plant;    /* in this cycle a bit of router 0 is turned, to be found; 0: never */
  bool differs;
  uint32_t routers;
  struct elite5_shadowed *router;
};

/* Loads the circuit of a configuration from a folder of circuits, once a router. Prints the reason
 * and returns false if it cannot. */
bool elite5_shadow_open(struct elite5_shadow *s, const char *folder, const char *config,
                        uint32_t routers);
/* The circuit has these parameters; says so on stderr if not. */
bool elite5_shadow_fits(const struct elite5_shadow *s, const struct loom_elite5_router_cfg *cfg);
/* The circuits do what cycles they are behind. */
void elite5_shadow_settle(struct elite5_shadow *s);
void elite5_shadow_close(struct elite5_shadow *s);

/* For `edge` and `context` of struct loom_elite5_net_cfg. The first difference is printed. */
void elite5_shadow_edge(void *shadow, uint32_t router, struct loom_elite5_router *twin,
                        const struct loom_elite5_lanes *lanes);

#endif
