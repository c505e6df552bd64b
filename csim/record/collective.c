/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives, and those that return a request: the same plan, noted at once or bit by bit. */
#include <stdlib.h>

#include "record/plan.h"

/* Two functions of MPI: one that waits, and one that does not and has a request more. `plan` fills
 * a plan that is called p. */
#define UNPACK(...) __VA_ARGS__
#define COLLECTIVE(name, iname, parameters, arguments, plan)                                       \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name(UNPACK parameters) {                                                              \
    bool outer = loom_record_enter();                                                              \
    struct loom_record_plan *p = loom_record_plan(outer, "MPI_" #name, comm);                      \
    plan;                                                                                          \
    int error = next_##name()(UNPACK arguments);                                                   \
    loom_record_run(p, error);                                                                     \
    return loom_record_leave(outer, error);                                                        \
  }                                                                                                \
  LOOM_RECORD(iname)                                                                               \
  int MPI_##iname(UNPACK parameters, MPI_Request *request) {                                       \
    bool outer = loom_record_enter();                                                              \
    struct loom_record_plan *p = loom_record_plan(outer, "MPI_" #iname, comm);                     \
    plan;                                                                                          \
    int error = next_##iname()(UNPACK arguments, request);                                         \
    loom_record_begin(p, error, *request);                                                         \
    return loom_record_leave(outer, error);                                                        \
  }

#define BYTES(count, type) loom_record_bytes(count, type)

static int size_of(const struct loom_record_plan *p) { return p ? p->comm->size : 0; }
static int rank_of(const struct loom_record_plan *p) { return p ? p->comm->rank : 0; }

/* ---- one size for all ranks ------------------------------------------------------------------ */

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), loom_record_operation(p, "barrier", 0, 0))

COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm),
           loom_record_operation(p, "broadcast", root, BYTES(count, type)))

COLLECTIVE(Reduce, Ireduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (out, in, count, type, op, root, comm),
           loom_record_operation(p, "reduce", root, BYTES(count, type)))

COLLECTIVE(Allreduce, Iallreduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm),
           loom_record_operation(p, "allreduce", 0, BYTES(count, type)))

/* Of both buffers only the root's has a size for sure. */
COLLECTIVE(Gather, Igather,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, int root, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, root, comm),
           loom_record_operation(p, "gather", root,
                                 rank_of(p) == root ? BYTES(in_count, in_type)
                                                    : BYTES(out_count, out_type)))

COLLECTIVE(Scatter, Iscatter,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, int root, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, root, comm),
           loom_record_operation(p, "scatter", root,
                                 rank_of(p) == root ? BYTES(out_count, out_type)
                                                    : BYTES(in_count, in_type)))

COLLECTIVE(Allgather, Iallgather,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           loom_record_operation(p, "allgather", 0, BYTES(in_count, in_type)))

COLLECTIVE(Alltoall, Ialltoall,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           loom_record_operation(p, "alltoall", 0, BYTES(in_count, in_type)))

/* ---- a size for each rank -------------------------------------------------------------------- */

static void plan_gatherv(struct loom_record_plan *p, int root, MPI_Count mine, const int *counts,
                         MPI_Datatype type) {
  if (rank_of(p) != root)
    loom_record_part_send(p, root, mine);
  else
    for (int i = 0; i < size_of(p); i++)
      loom_record_part_receive(p, i, BYTES(counts[i], type));
}

static void plan_scatterv(struct loom_record_plan *p, int root, MPI_Count mine, const int *counts,
                          MPI_Datatype type) {
  if (rank_of(p) != root)
    loom_record_part_receive(p, root, mine);
  else
    for (int i = 0; i < size_of(p); i++)
      loom_record_part_send(p, i, BYTES(counts[i], type));
}

/* The other ranks, each sender beginning with the one after it. */
static int other(const struct loom_record_plan *p, int k) { return (rank_of(p) + k) % size_of(p); }

static bool all_equal(const struct loom_record_plan *p, const int *counts) {
  for (int i = 1; i < size_of(p); i++)
    if (counts[i] != counts[0])
      return false;
  return true;
}

static void plan_allgatherv(struct loom_record_plan *p, const int *counts, MPI_Datatype type) {
  if (p && all_equal(p, counts)) {
    loom_record_operation(p, "allgather", 0, BYTES(counts[0], type));
    return;
  }
  for (int k = 1; k < size_of(p); k++)
    loom_record_part_send(p, other(p, k), BYTES(counts[rank_of(p)], type));
  for (int k = size_of(p) - 1; k > 0; k--)
    loom_record_part_receive(p, other(p, k), BYTES(counts[other(p, k)], type));
}

/* What a rank sends to and gets from each other one; NULL: as many as it gets. */
static void plan_alltoallv(struct loom_record_plan *p, const int *out, MPI_Datatype out_type,
                           const int *in, MPI_Datatype in_type) {
  for (int k = 1; k < size_of(p); k++) {
    int i = other(p, k);
    loom_record_part_send(p, i, out ? BYTES(out[i], out_type) : BYTES(in[i], in_type));
  }
  for (int k = size_of(p) - 1; k > 0; k--)
    loom_record_part_receive(p, other(p, k), BYTES(in[other(p, k)], in_type));
}

static void plan_alltoallw(struct loom_record_plan *p, const int *out, const MPI_Datatype *out_type,
                           const int *in, const MPI_Datatype *in_type) {
  for (int k = 1; k < size_of(p); k++) {
    int i = other(p, k);
    loom_record_part_send(p, i, out ? BYTES(out[i], out_type[i]) : BYTES(in[i], in_type[i]));
  }
  for (int k = size_of(p) - 1; k > 0; k--)
    loom_record_part_receive(p, other(p, k), BYTES(in[other(p, k)], in_type[other(p, k)]));
}

COLLECTIVE(Gatherv, Igatherv,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
            const int *at, MPI_Datatype in_type, int root, MPI_Comm comm),
           (out, out_count, out_type, in, in_counts, at, in_type, root, comm),
           plan_gatherv(p, root, rank_of(p) == root ? 0 : BYTES(out_count, out_type), in_counts,
                        in_type))

COLLECTIVE(Scatterv, Iscatterv,
           (const void *out, const int *out_counts, const int *at, MPI_Datatype out_type, void *in,
            int in_count, MPI_Datatype in_type, int root, MPI_Comm comm),
           (out, out_counts, at, out_type, in, in_count, in_type, root, comm),
           plan_scatterv(p, root, rank_of(p) == root ? 0 : BYTES(in_count, in_type), out_counts,
                         out_type))

COLLECTIVE(Allgatherv, Iallgatherv,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
            const int *at, MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_counts, at, in_type, comm),
           plan_allgatherv(p, in_counts, in_type))

COLLECTIVE(Alltoallv, Ialltoallv,
           (const void *out, const int *out_counts, const int *out_at, MPI_Datatype out_type,
            void *in, const int *in_counts, const int *in_at, MPI_Datatype in_type, MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm),
           plan_alltoallv(p, out == MPI_IN_PLACE ? NULL : out_counts, out_type, in_counts, in_type))

COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *out, const int *out_counts, const int *out_at, const MPI_Datatype *out_type,
            void *in, const int *in_counts, const int *in_at, const MPI_Datatype *in_type,
            MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm),
           plan_alltoallw(p, out == MPI_IN_PLACE ? NULL : out_counts, out_type, in_counts, in_type))

/* ---- in two steps, and in a chain ------------------------------------------------------------ */

static void plan_reduce_scatter_block(struct loom_record_plan *p, MPI_Count block) {
  loom_record_operation(p, "reduce", 0, block * size_of(p));
  loom_record_second(p);
  loom_record_operation(p, "scatter", 0, block);
}

static void plan_reduce_scatter(struct loom_record_plan *p, const int *counts, MPI_Datatype type) {
  MPI_Count all = 0;
  if (p && all_equal(p, counts)) {
    plan_reduce_scatter_block(p, BYTES(counts[0], type));
    return;
  }
  for (int i = 0; i < size_of(p); i++)
    all += BYTES(counts[i], type);
  loom_record_operation(p, "reduce", 0, all);
  loom_record_second(p);
  plan_scatterv(p, 0, p ? BYTES(counts[rank_of(p)], type) : 0, counts, type);
}

static void plan_chain(struct loom_record_plan *p, MPI_Count bytes) {
  loom_record_part_receive(p, rank_of(p) - 1, bytes);
  if (rank_of(p) + 1 < size_of(p))
    loom_record_part_send(p, rank_of(p) + 1, bytes);
}

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), plan_reduce_scatter_block(p, BYTES(count, type)))

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *out, void *in, const int *counts, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (out, in, counts, type, op, comm), plan_reduce_scatter(p, counts, type))

COLLECTIVE(Scan, Iscan,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), plan_chain(p, BYTES(count, type)))

COLLECTIVE(Exscan, Iexscan,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), plan_chain(p, BYTES(count, type)))

/* ---- neighbours ------------------------------------------------------------------------------ */

/* Ranks that a rank gets from and sends to, in the order of the buffers; after them as much room
 * for weights, which nothing needs. */
struct neighbours {
  int in, out;
  int *source, *target;
};

static void take_lists(struct neighbours *n, const char *call) {
  n->source = loom_record_memory(call, NULL, 2 * (size_t)n->in * sizeof *n->source);
  n->target = loom_record_memory(call, NULL, 2 * (size_t)n->out * sizeof *n->target);
}

static void take_cart(struct neighbours *n, const char *call, MPI_Comm comm) {
  int dims = 0;
  PMPI_Cartdim_get(comm, &dims);
  n->in = n->out = 2 * dims;
  take_lists(n, call);
  for (int d = 0; d < dims; d++) {
    PMPI_Cart_shift(comm, d, 1, &n->source[2 * d], &n->source[2 * d + 1]);
    PMPI_Cart_shift(comm, d, 1, &n->target[2 * d], &n->target[2 * d + 1]);
  }
}

static void take_graph(struct neighbours *n, const char *call, MPI_Comm comm, int rank) {
  PMPI_Graph_neighbors_count(comm, rank, &n->in);
  n->out = n->in;
  take_lists(n, call);
  PMPI_Graph_neighbors(comm, rank, n->in, n->source);
  PMPI_Graph_neighbors(comm, rank, n->out, n->target);
}

static void take_dist_graph(struct neighbours *n, const char *call, MPI_Comm comm) {
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &n->in, &n->out, &weighted);
  take_lists(n, call);
  PMPI_Dist_graph_neighbors(comm, n->in, n->source, n->source + n->in, n->out, n->target,
                            n->target + n->out);
}

static struct neighbours neighbours_of(const struct loom_record_plan *p) {
  struct neighbours n = {.in = 0};
  int topology = MPI_UNDEFINED;
  if (!p)
    return n;
  PMPI_Topo_test(p->comm->handle, &topology);
  if (topology == MPI_CART)
    take_cart(&n, p->call, p->comm->handle);
  else if (topology == MPI_GRAPH)
    take_graph(&n, p->call, p->comm->handle, p->comm->rank);
  else if (topology == MPI_DIST_GRAPH)
    take_dist_graph(&n, p->call, p->comm->handle);
  return n;
}

static void drop(const struct neighbours *n) {
  free(n->source);
  free(n->target);
}

static void plan_neighbours(struct loom_record_plan *p, MPI_Count out, const int *in,
                            MPI_Count each) {
  struct neighbours n = neighbours_of(p);
  for (int i = 0; i < n.out; i++)
    loom_record_part_send(p, n.target[i], out);
  for (int i = 0; i < n.in; i++)
    loom_record_part_receive(p, n.source[i], in ? in[i] * each : each);
  drop(&n);
}

static void plan_neighbours_v(struct loom_record_plan *p, const int *out, MPI_Datatype out_type,
                              const int *in, MPI_Datatype in_type) {
  struct neighbours n = neighbours_of(p);
  for (int i = 0; i < n.out; i++)
    loom_record_part_send(p, n.target[i], BYTES(out[i], out_type));
  for (int i = 0; i < n.in; i++)
    loom_record_part_receive(p, n.source[i], BYTES(in[i], in_type));
  drop(&n);
}

static void plan_neighbours_w(struct loom_record_plan *p, const int *out,
                              const MPI_Datatype *out_type, const int *in,
                              const MPI_Datatype *in_type) {
  struct neighbours n = neighbours_of(p);
  for (int i = 0; i < n.out; i++)
    loom_record_part_send(p, n.target[i], BYTES(out[i], out_type[i]));
  for (int i = 0; i < n.in; i++)
    loom_record_part_receive(p, n.source[i], BYTES(in[i], in_type[i]));
  drop(&n);
}

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           plan_neighbours(p, BYTES(out_count, out_type), NULL, BYTES(in_count, in_type)))

COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
            const int *at, MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_counts, at, in_type, comm),
           plan_neighbours(p, BYTES(out_count, out_type), in_counts, BYTES(1, in_type)))

COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, MPI_Comm comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           plan_neighbours(p, BYTES(out_count, out_type), NULL, BYTES(in_count, in_type)))

COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
           (const void *out, const int *out_counts, const int *out_at, MPI_Datatype out_type,
            void *in, const int *in_counts, const int *in_at, MPI_Datatype in_type, MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm),
           plan_neighbours_v(p, out_counts, out_type, in_counts, in_type))

COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *out, const int *out_counts, const MPI_Aint *out_at,
            const MPI_Datatype *out_type, void *in, const int *in_counts, const MPI_Aint *in_at,
            const MPI_Datatype *in_type, MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm),
           plan_neighbours_w(p, out_counts, out_type, in_counts, in_type))
