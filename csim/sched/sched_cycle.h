/* SPDX-License-Identifier: Apache-2.0 */
/* sched_cycle.h - what an output tells its scheduler in a cycle, for users that look at the
 * registers themselves (docs/sched.md; IB-02, DT-01)
 *
 * Inside: lone_grant, the schedulers behind it, and output_choice.
 */
#ifndef LOOM_SCHED_SCHED_CYCLE_H
#define LOOM_SCHED_SCHED_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

/* The ports of a scheduler without their suffixes. What follows head_valid and table_we means
 * something only with them; `ready` is a set of VLs, a size is in units of 64 bytes. */
struct loom_sched_cycle {
  uint32_t ready;
  uint32_t table_addr, table_data;
  uint16_t head_size;
  uint8_t head_vl, head_sl;
  bool request;
  bool head_valid, head_last;
  bool table_we;
};

/* The cycle of the ports `in` of a scheduler, but for head_last, which not all of them have; and
 * its fields without those of a table. */
#define LOOM_SCHED_CYCLE(in)                                                                       \
  (struct loom_sched_cycle) {                                                                      \
    LOOM_SCHED_HEADS(in), .table_we = (in)->table_we != 0,                                         \
                          .table_addr = (uint32_t)(in)->table_addr,                                \
                          .table_data = (uint32_t)(in)->table_data                                 \
  }
#define LOOM_SCHED_HEADS(in)                                                                       \
  .ready = (uint32_t)(in)->ready, .request = (in)->request != 0,                                   \
  .head_valid = (in)->head_valid != 0, .head_vl = (uint8_t)(in)->head_vl,                          \
  .head_size = (uint16_t)(in)->head_size, .head_sl = (uint8_t)(in)->head_sl

#endif
