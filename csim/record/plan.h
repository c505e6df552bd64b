/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what a call of a collective puts into the log (docs/record.md)
 *
 * A wrapper makes the plan from its arguments; then messages to send are noted at once, and the
 * rest when the collective is complete.
 */
#ifndef LOOM_RECORD_PLAN_H
#define LOOM_RECORD_PLAN_H

#include "record/record.h"

enum loom_record_step {
  LOOM_RECORD_PART_SEND,
  LOOM_RECORD_PART_RECEIVE,
  LOOM_RECORD_OPERATION, /* a collective of VEF */
};

struct loom_record_item {
  enum loom_record_step step;
  bool after;      /* a message that leaves when what stands above is done */
  int peer;        /* rank of the whole program; of an operation the root */
  unsigned number; /* of the collective in its communicator */
  const char *op;
  MPI_Count bytes;
};

struct loom_record_plan {
  const char *call;
  struct loom_record_comm *comm; /* while the plan is made */
  unsigned comm_index;
  unsigned number;
  unsigned count, room;
  struct loom_record_item *item;
};

/* A new plan for a call on this communicator, the next collective of it. NULL: not the program's
 * own call; then all others do nothing. */
struct loom_record_plan *loom_record_plan(bool outer, const char *call, MPI_Comm comm);

/* What follows counts as the next collective of the communicator. */
void loom_record_second(struct loom_record_plan *plan);

/* An operation of all ranks, with a root or 0; bytes of a block. */
void loom_record_operation(struct loom_record_plan *plan, const char *op, int root,
                           MPI_Count bytes);

/* Messages to and from a rank of the communicator; none of 0 bytes, nor to itself. */
void loom_record_part_send(struct loom_record_plan *plan, int to, MPI_Count bytes);
void loom_record_part_receive(struct loom_record_plan *plan, int from, MPI_Count bytes);

/* Notes the plan of a call that returned `error` after it was complete, and frees it. */
void loom_record_run(struct loom_record_plan *plan, int error);

/* Notes what leaves at a call that returned a request; the rest is kept under it. */
void loom_record_begin(struct loom_record_plan *plan, int error, MPI_Request request);

#endif
