/* SPDX-License-Identifier: Apache-2.0 */
/* round_robin.c - traffic for round_robin: that of ready_traffic.h; it has no tables, so all that
 * software writes is ignored */
#include "sched/round_robin.h"

#define DUT_NAME round_robin
#define DUT_LIST "sched/round_robin.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME(round_robin);

/* In searches the first grant is in cycle 8. */
static const struct ready_kind kind = {.apart = 5, .gap = 1, .bfs_depth = 20};

READY_STIM(kind);
const struct dut round_robin_dut = DUT_INIT(&stim);
