/* SPDX-License-Identifier: Apache-2.0 */
/* The communicators of a rank, and the functions that make them. */
#include <stdlib.h>

#include "record/record.h"

/* All that were ever made; a few, so they are searched one by one, the last one found first. */
static struct {
  struct loom_record_comm *comm;
  unsigned count, room, last;
} all;

static void take_members(struct loom_record_comm *c, const char *call) {
  MPI_Group mine;
  MPI_Group world;
  int *ranks = loom_record_memory(call, NULL, (size_t)c->size * sizeof *ranks);
  c->world = loom_record_memory(call, NULL, (size_t)c->size * sizeof *c->world);
  for (int i = 0; i < c->size; i++)
    ranks[i] = i;
  PMPI_Comm_group(c->handle, &mine);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(mine, c->size, ranks, world, c->world);
  PMPI_Group_free(&mine);
  PMPI_Group_free(&world);
  free(ranks);
}

static struct loom_record_comm *new_comm(const char *call, MPI_Comm handle) {
  if (all.count == all.room) {
    all.room = all.room ? 2 * all.room : 16;
    all.comm = loom_record_memory(call, all.comm, all.room * sizeof *all.comm);
  }
  struct loom_record_comm *c = &all.comm[all.count];
  *c = (struct loom_record_comm){.handle = handle, .index = all.count};
  all.last = all.count++;
  PMPI_Comm_size(handle, &c->size);
  PMPI_Comm_rank(handle, &c->rank);
  take_members(c, call);
  return c;
}

void loom_record_made(const char *call, MPI_Comm handle) {
  int between = 0;
  if (handle == MPI_COMM_NULL)
    return;
  PMPI_Comm_test_inter(handle, &between);
  if (between)
    loom_record_refuse(call, "a communicator between two groups cannot be recorded");
  const struct loom_record_comm *c = new_comm(call, handle);
  if (c->index > 1) /* all know the first two */
    loom_record_members(c);
}

void loom_record_freed(MPI_Comm handle) {
  for (unsigned i = 0; i < all.count; i++)
    if (all.comm[i].handle == handle)
      all.comm[i].handle = MPI_COMM_NULL;
}

struct loom_record_comm *loom_record_comm(const char *call, MPI_Comm handle) {
  if (all.last < all.count && all.comm[all.last].handle == handle)
    return &all.comm[all.last];
  for (unsigned i = 0; i < all.count; i++)
    if (all.comm[i].handle == handle) {
      all.last = i;
      return &all.comm[i];
    }
  loom_record_refuse(call, "its communicator was made by a call that cannot be recorded");
}

/* ---- functions of MPI ------------------------------------------------------------------------ */

/* MPI_X(..., MPI_Comm *made) */
#define MAKES(name, parameters, arguments)                                                         \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name parameters {                                                                      \
    bool outer = loom_record_enter();                                                              \
    int error = next_##name() arguments;                                                           \
    if (outer && !error)                                                                           \
      loom_record_made("MPI_" #name, *made);                                                       \
    return loom_record_leave(outer, error);                                                        \
  }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
      (comm, group, tag, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
MAKES(Cart_create,
      (MPI_Comm comm, int dims, const int *size, const int *periods, int reorder, MPI_Comm *made),
      (comm, dims, size, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int *remain, MPI_Comm *made), (comm, remain, made))
MAKES(Graph_create,
      (MPI_Comm comm, int nodes, const int *index, const int *edges, int reorder, MPI_Comm *made),
      (comm, nodes, index, edges, reorder, made))
MAKES(Dist_graph_create,
      (MPI_Comm comm, int n, const int *nodes, const int *degrees, const int *targets,
       const int *weights, MPI_Info info, int reorder, MPI_Comm *made),
      (comm, n, nodes, degrees, targets, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int *sources, const int *in_weights, int out,
       const int *targets, const int *out_weights, MPI_Info info, int reorder, MPI_Comm *made),
      (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made))

/* The new communicator may not be used before the request is complete, but its ranks are known. */
LOOM_RECORD(Comm_idup)
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
  bool outer = loom_record_enter();
  int error = next_Comm_idup()(comm, made, request);
  if (outer && !error)
    loom_record_made("MPI_Comm_idup", *made);
  return loom_record_leave(outer, error);
}

#define FREES(name)                                                                                \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name(MPI_Comm *comm) {                                                                 \
    bool outer = loom_record_enter();                                                              \
    MPI_Comm freed = *comm;                                                                        \
    int error = next_##name()(comm);                                                               \
    if (outer && !error)                                                                           \
      loom_record_freed(freed);                                                                    \
    return loom_record_leave(outer, error);                                                        \
  }

FREES(Comm_free)
FREES(Comm_disconnect)
