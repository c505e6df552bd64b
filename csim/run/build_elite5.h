/* build_elite5.h - a tree of Elite5 routers with Elan5 endpoints as the network of an experiment
 * (docs/fabric.md, docs/elan5.md; E5-14, E5-15, E5-41)
 *
 * A message is a put of its bytes into the memory of its destination. It is received when its put
 * is done: its last packet, which goes when all others are acknowledged, was acknowledged after the
 * memory write.
 */
#ifndef LOOM_RUN_BUILD_ELITE5_H
#define LOOM_RUN_BUILD_ELITE5_H

#include "run/build.h"

struct loom_elite5_fabric;

/* NULL: *err says why. */
struct loom_elite5_fabric *loom_elite5_fabric_create(const struct loom_build_cfg *cfg,
                                                     struct loom_plan_error *err);
void loom_elite5_fabric_destroy(struct loom_elite5_fabric *f);
struct loom_network loom_elite5_fabric_network(struct loom_elite5_fabric *f);
void loom_elite5_fabric_counts(const struct loom_elite5_fabric *f, struct loom_built_counts *c);

/* Bytes of the longest message of a spec. */
uint32_t loom_elite5_fabric_longest(const struct loom_spec *s);

#endif
