/* SPDX-License-Identifier: Apache-2.0 */
#include "record/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct loom_record_plan *loom_record_plan(bool outer, const char *call, MPI_Comm comm) {
  if (!outer)
    return NULL;
  struct loom_record_plan *p = loom_record_memory(call, NULL, sizeof *p);
  struct loom_record_comm *c = loom_record_comm(call, comm);
  *p = (struct loom_record_plan){
      .call = call, .comm = c, .comm_index = c->index, .number = c->collectives++};
  return p;
}

void loom_record_second(struct loom_record_plan *p) {
  if (p)
    p->number = p->comm->collectives++;
}

static void add(struct loom_record_plan *p, const struct loom_record_item *item) {
  if (p->count == p->room) {
    p->room = p->room ? 2 * p->room : 8;
    p->item = loom_record_memory(p->call, p->item, p->room * sizeof *p->item);
  }
  loom_record_check(p->call, item->bytes);
  p->item[p->count] = *item;
  p->item[p->count++].number = p->number;
}

void loom_record_operation(struct loom_record_plan *p, const char *op, int root, MPI_Count bytes) {
  if (!p || p->comm->size < 2 || (!bytes && strcmp(op, "barrier") != 0))
    return;
  add(p,
      &(struct loom_record_item){
          .step = LOOM_RECORD_OPERATION, .peer = p->comm->world[root], .op = op, .bytes = bytes});
}

static void add_part(struct loom_record_plan *p, enum loom_record_step step, int peer,
                     MPI_Count bytes) {
  bool after = false;
  if (!p || !bytes || peer < 0 || peer == p->comm->rank)
    return;
  for (unsigned i = 0; i < p->count; i++)
    after = after || p->item[i].step != LOOM_RECORD_PART_SEND;
  add(p, &(struct loom_record_item){
             .step = step, .peer = p->comm->world[peer], .bytes = bytes, .after = after});
}

void loom_record_part_send(struct loom_record_plan *p, int to, MPI_Count bytes) {
  add_part(p, LOOM_RECORD_PART_SEND, to, bytes);
}

void loom_record_part_receive(struct loom_record_plan *p, int from, MPI_Count bytes) {
  add_part(p, LOOM_RECORD_PART_RECEIVE, from, bytes);
}

/* The log has no use for the post of such a reception: they are told apart by the number. */
static void note(const struct loom_record_plan *p, const struct loom_record_item *item) {
  int64_t bytes = (int64_t)item->bytes;
  switch (item->step) {
  case LOOM_RECORD_PART_SEND:
    loom_record_line("part-send", " %d %u %u %" PRId64, item->peer, p->comm_index, item->number,
                     bytes);
    break;
  case LOOM_RECORD_PART_RECEIVE:
    loom_record_line("part-recv", " %u %d %u %u %" PRId64, loom_record_post(), item->peer,
                     p->comm_index, item->number, bytes);
    break;
  default:
    loom_record_line("coll", " %u %u %s %d %" PRId64, p->comm_index, item->number, item->op,
                     item->peer, bytes);
  }
}

/* The messages that leave at once, or all else. */
static void note_all(const struct loom_record_plan *p, bool at_once) {
  for (unsigned i = 0; i < p->count; i++)
    if ((p->item[i].step == LOOM_RECORD_PART_SEND && !p->item[i].after) == at_once)
      note(p, &p->item[i]);
}

void loom_record_forget(struct loom_record_plan *p) {
  if (p)
    free(p->item);
  free(p);
}

void loom_record_finish(struct loom_record_plan *p) {
  note_all(p, false);
  loom_record_forget(p);
}

void loom_record_run(struct loom_record_plan *p, int error) {
  if (p && !error) {
    note_all(p, true);
    loom_record_finish(p);
  } else {
    loom_record_forget(p);
  }
}

void loom_record_begin(struct loom_record_plan *p, int error, MPI_Request request) {
  if (!p || error) {
    loom_record_forget(p);
    return;
  }
  note_all(p, true);
  loom_record_keep(request, &(struct loom_record_request){
                                .kind = LOOM_RECORD_COLLECTIVE, .active = true, .plan = p});
}
