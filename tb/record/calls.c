/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that the recorder knows, at least once, with a count of its own of what that sends.
 *
 *     mpirun -n N calls      4 ranks or more
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tb/record/counts.h"

enum { INTS = 8, TAG = 3, MANY = 70 };

/* A rank in a ring, and the memory of its messages. */
static struct {
  int rank, ranks, next, last;
  int out[1024], in[1024];
  struct counts counts;
} me;

static const MPI_Comm *world; /* MPI_COMM_WORLD, or a copy of it */

/* A message of so many integers to the next rank is counted. */
static void sent(int count) { count_message(&me.counts, (uint64_t)count * sizeof(int)); }

static void collective(void) { me.counts.collectives++; }

static void parts(int count) { me.counts.parts += (uint64_t)count; }

/* ---- messages -------------------------------------------------------------------------------- */

static void blocking(void) {
  MPI_Status status;
  MPI_Request request;
  int room = MPI_BSEND_OVERHEAD + INTS * (int)sizeof(int);
  void *buffer = malloc((size_t)room);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG, *world, &request);
  MPI_Send(me.out, INTS, MPI_INT, me.next, TAG, *world);
  MPI_Wait(&request, &status);
  MPI_Irecv(me.in, INTS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, *world, &request);
  MPI_Ssend(me.out, 1, MPI_INT, me.next, TAG + 1, *world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG, *world, &request);
  MPI_Barrier(*world);
  collective();
  MPI_Rsend(me.out, 2, MPI_INT, me.next, TAG, *world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_attach(buffer, room);
  MPI_Bsend(me.out, 3, MPI_INT, me.next, TAG, *world);
  MPI_Recv(me.in, INTS, MPI_INT, me.last, TAG, *world, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &room);
  free(buffer);
  MPI_Send(me.out, INTS, MPI_INT, MPI_PROC_NULL, TAG, *world);
  MPI_Recv(me.in, INTS, MPI_INT, MPI_PROC_NULL, TAG, *world, &status);
  sent(INTS);
  sent(1);
  sent(2);
  sent(3);
}

static void both_ways(void) {
  MPI_Status status;
  MPI_Sendrecv(me.out, 4, MPI_INT, me.next, TAG, me.in, INTS, MPI_INT, me.last, TAG, *world,
               &status);
  MPI_Sendrecv_replace(me.out, 5, MPI_INT, me.last, TAG, me.next, TAG, *world, MPI_STATUS_IGNORE);
  MPI_Sendrecv(me.out, 4, MPI_INT, 0, TAG, me.in, INTS, MPI_INT, 0, TAG, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  sent(4);
  sent(5);
}

/* Each function that waits, on receptions of which some are posted in another order than their
 * messages are sent: by tag. */
static void completions(void) {
  MPI_Request request[MANY];
  MPI_Status status[MANY];
  int index[MANY];
  int done = 0;
  int flag = 0;
  for (int way = 0; way < 7; way++) {
    int count = way == 0 ? MANY : 3;
    for (int i = 0; i < count; i++)
      MPI_Irecv(&me.in[i], 1, MPI_INT, me.last, count - 1 - i, *world, &request[i]);
    for (int i = 0; i < count; i++) {
      MPI_Request leaves;
      MPI_Isend(&me.out[i], 1, MPI_INT, me.next, i, *world, &leaves);
      MPI_Request_free(&leaves);
      sent(1);
    }
    if (way == 0)
      MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    for (int left = count; way == 1 && left; left--)
      MPI_Waitany(count, request, &index[0], status);
    for (int left = count; way == 2 && left; left -= done)
      MPI_Waitsome(count, request, &done, index, status);
    for (flag = 0; way == 3 && !flag;)
      MPI_Testall(count, request, &flag, status);
    for (int left = count; way == 4 && left; left -= flag)
      MPI_Testany(count, request, &index[0], &flag, MPI_STATUS_IGNORE);
    for (int left = count; way == 5 && left; left -= done)
      MPI_Testsome(count, request, &done, index, MPI_STATUSES_IGNORE);
    for (int i = 0; way == 6 && i < count; i++)
      for (flag = 0; !flag;)
        MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE);
  }
}

static void nonblocking(void) {
  MPI_Request request[3];
  int room = MPI_BSEND_OVERHEAD + INTS * (int)sizeof(int);
  void *buffer = malloc((size_t)room);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG, *world, &request[0]);
  MPI_Barrier(*world);
  collective();
  MPI_Irsend(me.out, INTS, MPI_INT, me.next, TAG, *world, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_Buffer_attach(buffer, room);
  MPI_Ibsend(me.out, INTS, MPI_INT, me.next, TAG, *world, &request[0]);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG, *world, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_Buffer_detach(&buffer, &room);
  free(buffer);
  MPI_Issend(me.out, INTS, MPI_INT, me.next, TAG, *world, &request[0]);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG, *world, &request[1]);
  MPI_Irecv(me.in, INTS, MPI_INT, me.last, TAG + 9, *world, &request[2]); /* nothing comes */
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_Cancel(&request[2]);
  MPI_Wait(&request[2], MPI_STATUS_IGNORE);
  MPI_Wait(&request[2], MPI_STATUS_IGNORE); /* MPI_REQUEST_NULL */
  sent(INTS);
  sent(INTS);
  sent(INTS);
}

/* Messages that are looked at before they are received, two kinds of which cross each other. */
static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
  for (int i = 0; i < 4; i++) {
    MPI_Isend(me.out, i + 1, MPI_INT, me.next, TAG, *world, &request);
    MPI_Request_free(&request);
    sent(i + 1);
  }
  MPI_Probe(MPI_ANY_SOURCE, TAG, *world, &status);
  MPI_Mprobe(me.last, TAG, *world, &message, MPI_STATUS_IGNORE);
  MPI_Recv(me.in, INTS, MPI_INT, me.last, TAG, *world, MPI_STATUS_IGNORE);
  MPI_Mrecv(me.in, INTS, MPI_INT, &message, MPI_STATUS_IGNORE);
  while (!flag)
    MPI_Iprobe(me.last, TAG, *world, &flag, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;)
    MPI_Improbe(me.last, MPI_ANY_TAG, *world, &flag, &message, &status);
  MPI_Recv(me.in, INTS, MPI_INT, me.last, TAG, *world, MPI_STATUS_IGNORE);
  MPI_Imrecv(me.in, INTS, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
}

static void persistent(void) {
  MPI_Request request[2];
  int room = MPI_BSEND_OVERHEAD + INTS * (int)sizeof(int);
  void *buffer = malloc((size_t)room);
  MPI_Buffer_attach(buffer, room);
  for (int kind = 0; kind < 4; kind++) {
    int (*const init[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
    MPI_Recv_init(me.in, INTS, MPI_INT, me.last, TAG, *world, &request[0]);
    init[kind](me.out, 6, MPI_INT, me.next, TAG, *world, &request[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE); /* not begun: at once, and nothing came */
    for (int time = 0; time < 3; time++) {
      MPI_Start(&request[0]);
      MPI_Barrier(*world);
      collective();
      MPI_Startall(1, &request[1]);
      MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
      sent(6);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
  }
  MPI_Buffer_detach(&buffer, &room);
  free(buffer);
}

/* Three of every five integers: MPI_Type_size says 12 bytes a block. */
static void datatypes(void) {
  MPI_Datatype type;
  MPI_Type_vector(4, 3, 5, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(me.out, 2, type, me.next, TAG, me.in, 24, MPI_INT, me.last, TAG, *world,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(me.out, 24, MPI_INT, me.next, TAG, me.in, 2, type, me.last, TAG, *world,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  sent(24);
  sent(24);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void wait_for(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* Of one size, from every root; in place, too. */
static void regular(MPI_Comm comm) {
  int size = 0;
  int rank = 0;
  MPI_Request r;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (int root = 0; root < size; root++) {
    bool here = rank == root;
    MPI_Bcast(me.out, 2, MPI_INT, root, comm);
    MPI_Reduce(here ? MPI_IN_PLACE : me.out, me.in, 2, MPI_INT, MPI_SUM, root, comm);
    MPI_Gather(here ? MPI_IN_PLACE : me.out, 2, MPI_INT, me.in, 2, MPI_INT, root, comm);
    MPI_Scatter(me.out, 2, MPI_INT, here ? MPI_IN_PLACE : me.in, 2, MPI_INT, root, comm);
    MPI_Ibcast(me.out, 2, MPI_INT, root, comm, &r);
    wait_for(&r);
    MPI_Ireduce(me.out, me.in, 2, MPI_INT, MPI_SUM, root, comm, &r);
    wait_for(&r);
    MPI_Igather(me.out, 2, MPI_INT, me.in, 2, MPI_INT, root, comm, &r);
    wait_for(&r);
    MPI_Iscatter(me.out, 2, MPI_INT, me.in, 2, MPI_INT, root, comm, &r);
    wait_for(&r);
    MPI_Bcast(me.out, 0, MPI_INT, root, comm); /* no bytes: not counted */
    me.counts.collectives += size > 1 ? 8 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, me.in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Allgather(me.out, 2, MPI_INT, me.in, 2, MPI_INT, comm);
  MPI_Alltoall(me.out, 2, MPI_INT, me.in, 2, MPI_INT, comm);
  MPI_Barrier(comm);
  MPI_Iallreduce(me.out, me.in, 2, MPI_INT, MPI_SUM, comm, &r);
  wait_for(&r);
  MPI_Iallgather(me.out, 2, MPI_INT, me.in, 2, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ialltoall(me.out, 2, MPI_INT, me.in, 2, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ibarrier(comm, &r);
  wait_for(&r);
  me.counts.collectives += size > 1 ? 8 : 0;
}

/* Reduced and scattered: two collectives each, or one and messages. */
static void scattered(void) {
  MPI_Request r;
  int counts[64];
  for (int i = 0; i < me.ranks; i++)
    counts[i] = 1;
  MPI_Reduce_scatter_block(me.out, me.in, 1, MPI_INT, MPI_SUM, *world);
  MPI_Ireduce_scatter_block(me.out, me.in, 1, MPI_INT, MPI_SUM, *world, &r);
  wait_for(&r);
  MPI_Reduce_scatter(me.out, me.in, counts, MPI_INT, MPI_SUM, *world);
  for (int i = 0; i < me.ranks; i++)
    counts[i] = i;
  MPI_Reduce_scatter(me.out, me.in, counts, MPI_INT, MPI_SUM, *world);
  MPI_Ireduce_scatter(me.out, me.in, counts, MPI_INT, MPI_SUM, *world, &r);
  wait_for(&r);
  me.counts.collectives += 3 * 2 + 2;
  parts(me.rank ? 0 : 2 * (me.ranks - 1));
  MPI_Scan(me.out, me.in, 3, MPI_INT, MPI_SUM, *world);
  MPI_Exscan(me.out, me.in, 3, MPI_INT, MPI_SUM, *world);
  MPI_Iscan(me.out, me.in, 3, MPI_INT, MPI_SUM, *world, &r);
  wait_for(&r);
  MPI_Iexscan(me.out, me.in, 3, MPI_INT, MPI_SUM, *world, &r);
  wait_for(&r);
  parts(me.rank + 1 < me.ranks ? 4 : 0);
}

/* A size for each rank: rank i has i integers for all, or for each. */
static void irregular(void) {
  MPI_Request r;
  int mine[64];
  int each[64];
  int at[64];
  MPI_Datatype types[64];
  int root = 1;
  for (int i = 0; i < me.ranks; i++) {
    mine[i] = me.rank; /* what I send to each, or get from myself */
    each[i] = i;       /* what each sends */
    at[i] = i * (i - 1) / 2 * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Gatherv(me.out, me.rank, MPI_INT, me.in, each, at, MPI_INT, root, *world);
  MPI_Igatherv(me.out, me.rank, MPI_INT, me.in, each, at, MPI_INT, root, *world, &r);
  wait_for(&r);
  parts(me.rank && me.rank != root ? 2 : 0);
  MPI_Scatterv(me.out, each, at, MPI_INT, me.in, me.rank, MPI_INT, root, *world);
  MPI_Iscatterv(me.out, each, at, MPI_INT, me.in, me.rank, MPI_INT, root, *world, &r);
  wait_for(&r);
  parts(me.rank == root ? 2 * (me.ranks - 2) : 0);
  for (int i = 0; i < me.ranks; i++)
    at[i] = i * (i - 1) / 2;
  MPI_Allgatherv(me.out, me.rank, MPI_INT, me.in, each, at, MPI_INT, *world);
  MPI_Iallgatherv(me.out, me.rank, MPI_INT, me.in, each, at, MPI_INT, *world, &r);
  wait_for(&r);
  MPI_Alltoallv(me.out, mine, at, MPI_INT, me.in, each, at, MPI_INT, *world);
  MPI_Ialltoallv(me.out, mine, at, MPI_INT, me.in, each, at, MPI_INT, *world, &r);
  wait_for(&r);
  MPI_Alltoallw(me.out, mine, at, types, me.in, each, at, types, *world);
  MPI_Ialltoallw(me.out, mine, at, types, me.in, each, at, types, *world, &r);
  wait_for(&r);
  parts(me.rank ? 6 * (me.ranks - 1) : 0);
  for (int i = 0; i < me.ranks; i++)
    each[i] = 1;
  MPI_Allgatherv(me.out, 1, MPI_INT, me.in, each, at, MPI_INT, *world); /* one size after all */
  collective();
}

/* A ring has two neighbours each, which are one rank if there are two. */
static void neighbourly(MPI_Comm comm) {
  MPI_Request r;
  int counts[2] = {1, 1};
  int at[2] = {0, 1};
  MPI_Aint far[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Neighbor_allgather(me.out, 1, MPI_INT, me.in, 1, MPI_INT, comm);
  MPI_Neighbor_allgatherv(me.out, 1, MPI_INT, me.in, counts, at, MPI_INT, comm);
  MPI_Neighbor_alltoall(me.out, 1, MPI_INT, me.in, 1, MPI_INT, comm);
  MPI_Neighbor_alltoallv(me.out, counts, at, MPI_INT, me.in, counts, at, MPI_INT, comm);
  MPI_Neighbor_alltoallw(me.out, counts, far, types, me.in, counts, far, types, comm);
  MPI_Ineighbor_allgather(me.out, 1, MPI_INT, me.in, 1, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ineighbor_allgatherv(me.out, 1, MPI_INT, me.in, counts, at, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ineighbor_alltoall(me.out, 1, MPI_INT, me.in, 1, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ineighbor_alltoallv(me.out, counts, at, MPI_INT, me.in, counts, at, MPI_INT, comm, &r);
  wait_for(&r);
  MPI_Ineighbor_alltoallw(me.out, counts, far, types, me.in, counts, far, types, comm, &r);
  wait_for(&r);
  parts(10 * 2);
}

/* ---- communicators --------------------------------------------------------------------------- */

/* A message around a communicator, and a sum. */
static void use(MPI_Comm comm) {
  int size = 0;
  int rank = 0;
  if (comm == MPI_COMM_NULL)
    return;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Sendrecv(me.out, 1, MPI_INT, (rank + 1) % size, TAG, me.in, 1, MPI_INT,
               (rank + size - 1) % size, TAG, comm, MPI_STATUS_IGNORE);
  MPI_Allreduce(me.out, me.in, 1, MPI_INT, MPI_SUM, comm);
  sent(1);
  if (size > 1)
    collective();
}

static void use_and_free(MPI_Comm comm) {
  use(comm);
  if (comm != MPI_COMM_NULL)
    MPI_Comm_free(&comm);
}

static void groups(void) {
  MPI_Group all;
  MPI_Group odd;
  MPI_Comm comm;
  int range[3] = {1, me.ranks - 1, 2};
  MPI_Comm_group(*world, &all);
  MPI_Group_range_incl(all, 1, &range, &odd);
  MPI_Comm_create(*world, odd, &comm);
  use_and_free(comm);
  if (me.rank % 2) {
    MPI_Comm_create_group(*world, odd, TAG, &comm);
    use_and_free(comm);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&odd);
}

static void topologies(void) {
  MPI_Comm comm;
  MPI_Comm part;
  int dims[2] = {2, me.ranks / 2};
  int around[2] = {1, 1};
  int keep[2] = {0, 1};
  int ends[2] = {me.last, me.next};
  int weights[2] = {1, 1};
  int *index = malloc(3 * (size_t)me.ranks * sizeof *index);
  MPI_Cart_create(*world, 1, &me.ranks, around, 0, &comm);
  neighbourly(comm);
  MPI_Comm_free(&comm);
  MPI_Cart_create(*world, 2, dims, around, 0, &comm); /* not all ranks, if they are odd */
  use(comm);
  if (comm != MPI_COMM_NULL) {
    MPI_Cart_sub(comm, keep, &part);
    use_and_free(part);
    MPI_Comm_free(&comm);
  }
  MPI_Dist_graph_create_adjacent(*world, 2, ends, weights, 2, ends, weights, MPI_INFO_NULL, 0,
                                 &comm);
  neighbourly(comm);
  MPI_Comm_disconnect(&comm);
  int two = 2;
  MPI_Dist_graph_create(*world, 1, &me.rank, &two, ends, weights, MPI_INFO_NULL, 0, &comm);
  use_and_free(comm);
  for (int i = 0; i < me.ranks; i++) {
    index[i] = 2 * (i + 1);
    index[me.ranks + 2 * i] = (i + me.ranks - 1) % me.ranks;
    index[me.ranks + 2 * i + 1] = (i + 1) % me.ranks;
  }
  MPI_Graph_create(*world, me.ranks, index, index + me.ranks, 0, &comm);
  neighbourly(comm);
  MPI_Comm_free(&comm);
  free(index);
}

static void communicators(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(*world, &comm);
  use_and_free(comm);
  MPI_Comm_dup_with_info(*world, MPI_INFO_NULL, &comm);
  use_and_free(comm);
  MPI_Comm_idup(*world, &comm, &request);
  wait_for(&request);
  use_and_free(comm);
  MPI_Comm_split(*world, me.rank % 2, -me.rank, &comm);
  use(comm);
  regular(comm);
  MPI_Comm_free(&comm);
  MPI_Comm_split(*world, me.rank ? 0 : MPI_UNDEFINED, 0, &comm);
  use_and_free(comm);
  MPI_Comm_split(*world, me.rank, 0, &comm); /* each alone */
  use_and_free(comm);
  MPI_Comm_split_type(*world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  use_and_free(comm);
}

/* Two requests at a time, complete in the other order; and what a rank leaves out. */
static void mixed(void) {
  MPI_Request first;
  MPI_Request second;
  MPI_Ibarrier(*world, &first);
  MPI_Iallreduce(me.out, me.in, 1, MPI_INT, MPI_SUM, *world, &second);
  wait_for(&second);
  wait_for(&first);
  collective();
  collective();
  MPI_Barrier(*world);
  collective();
  MPI_Pcontrol(0);
  MPI_Sendrecv(me.out, 4, MPI_INT, me.next, TAG, me.in, INTS, MPI_INT, me.last, TAG, *world,
               MPI_STATUS_IGNORE);
  MPI_Barrier(*world);
  MPI_Pcontrol(1);
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  world = &comm;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(comm, &me.rank);
  MPI_Comm_size(comm, &me.ranks);
  me.next = (me.rank + 1) % me.ranks;
  me.last = (me.rank + me.ranks - 1) % me.ranks;
  blocking();
  both_ways();
  completions();
  nonblocking();
  probes();
  persistent();
  datatypes();
  regular(comm);
  scattered();
  irregular();
  communicators();
  groups();
  topologies();
  mixed();
  sent(4); /* to itself, in both_ways: in the trace as well */
  print_counts(&me.counts, me.rank);
  MPI_Finalize();
  return argc > 1 && provided > MPI_THREAD_SERIALIZED;
}
