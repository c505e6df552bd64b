/* SPDX-License-Identifier: Apache-2.0 */
/* agents.h - how the agents of a port answer: the subnet management agent and the performance
 * management agent (docs/ibsim.md; InfiniBand Architecture Specification 1.4, 14.2.5 and 16.1.3)
 */
#ifndef LOOM_IBSIM_AGENTS_H
#define LOOM_IBSIM_AGENTS_H

#include "ibsim/subnet.h"

/* A Get or a Set that has come to a port. */
struct loom_agent_call {
  struct loom_subnet *subnet;
  struct loom_subnet_place at; /* of a switch the port at which it came in */
  bool set;
  uint32_t modifier;
};

/* Answers into the attribute's bytes: LOOM_SMP_BYTES, and LOOM_GMP_BYTES of PerfMgt. The status. */
typedef uint32_t loom_agent_answer(const struct loom_agent_call *c, uint8_t *data);

/* Who answers for an attribute of SMPs, of PerfMgt; NULL: nobody here. */
loom_agent_answer *loom_agent_of_subnet(uint32_t attribute);
loom_agent_answer *loom_agent_of_performance(uint32_t attribute);

#endif
