/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.h - the collectives of a fabric file on the hosts of one run: who takes part in which
 * job, over which broadcast groups, and where in memory (docs/fabric.md, Collectives; E5-28, E5-40)
 */
#ifndef LOOM_RUN_COLLECTIVES_H
#define LOOM_RUN_COLLECTIVES_H

#include "fabric/elan5_host.h"
#include "run/elite5_fabric.h"
#include "run/plan_error.h"
#include "run/spec.h"

/* Jobs stand in the order of the file, those of an entry one after the other. */
struct loom_collectives {
  uint32_t jobs;
  struct loom_elan5_job_cfg *job;
  struct loom_rounds_cfg *round; /* by job */
  uint32_t hosts, groups;
  uint32_t *tree;         /* by group */
  uint32_t *job_of;       /* by group */
  uint16_t *node, *group; /* of all jobs, one after the other */
  uint32_t *places;       /* of hosts, while an entry is placed */
  bool *member;           /* of hosts, while a group is written */
};

/* What the file asks for fits the fabric. *memory: bytes of each node beside those of messages;
 * *groups: of the routers. */
bool loom_collectives_check(const struct loom_spec *s, uint32_t hosts, uint64_t *memory,
                            uint32_t *groups, struct loom_plan_error *err);

/* Their memory begins at `address`. False: out of memory; loom_collectives_free is due in any case.
 */
bool loom_collectives_make(struct loom_collectives *c, const struct loom_spec *spec, uint32_t hosts,
                           uint64_t address, uint64_t seed);
void loom_collectives_free(struct loom_collectives *c);

/* Writes the entries of all their groups. The writes wait. */
void loom_collectives_write(const struct loom_collectives *c, struct loom_elite5_fabric *e);

#endif
