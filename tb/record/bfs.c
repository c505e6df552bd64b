/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first search in a random graph, as Graph500 does it: a Kronecker graph, its vertices
 * dealt out to the ranks, and in each level the neighbours of the frontier go to their owners.
 *
 *     mpirun -n N bfs [SCALE [ROOTS]]       2^SCALE vertices (10), 16 edges each; searches (2)
 *
 * How many vertices each rank will send to each is exchanged first (MPI_Alltoall); then they go,
 * and are received from whoever comes first. Exit status 1: a level is not what an edge says.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tb/record/counts.h"

enum { EDGES = 16, TAG = 5 };

struct graph {
  int rank, ranks;
  unsigned vertices;
  size_t edges; /* that begin at a vertex of this rank */
  unsigned *from, *to;
  int *level; /* of its own vertices: v / ranks, or -1 */
  struct counts counts;
};

static uint64_t random_of(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* An edge of the graph: a quarter of the matrix for each bit, 57 %, 19 %, 19 %, 5 %. */
static void draw(uint64_t *state, unsigned scale, unsigned *from, unsigned *to) {
  *from = *to = 0;
  for (unsigned bit = 0; bit < scale; bit++) {
    unsigned percent = (unsigned)(random_of(state) % 100);
    *from = *from * 2 + (percent >= 76);
    *to = *to * 2 + ((percent >= 57 && percent < 76) || percent >= 95);
  }
}

static int owner(const struct graph *g, unsigned vertex) {
  return (int)(vertex % (unsigned)g->ranks);
}

/* All ranks draw the same graph; each keeps the edges that begin at its vertices. */
static void make_graph(struct graph *g, unsigned scale) {
  uint64_t state = 1;
  size_t all = (size_t)EDGES << scale;
  g->vertices = 1u << scale;
  g->from = malloc(2 * all * sizeof *g->from);
  g->to = malloc(2 * all * sizeof *g->to);
  g->level = malloc((g->vertices / (unsigned)g->ranks + 1) * sizeof *g->level);
  if (!g->from || !g->to || !g->level)
    give_up();
  for (size_t i = 0; i < all; i++) {
    unsigned end[2];
    draw(&state, scale, &end[0], &end[1]);
    for (unsigned k = 0; k < 2; k++)
      if (owner(g, end[k]) == g->rank) {
        g->from[g->edges] = end[k];
        g->to[g->edges++] = end[1 - k];
      }
  }
}

static int *level_of(const struct graph *g, unsigned vertex) {
  return &g->level[vertex / (unsigned)g->ranks];
}

/* Vertices that were reached; those that are new get their level. */
static long take(struct graph *g, const unsigned *vertex, int count, int level) {
  long found = 0;
  for (int i = 0; i < count; i++)
    if (*level_of(g, vertex[i]) < 0) {
      *level_of(g, vertex[i]) = level;
      found++;
    }
  return found;
}

/* The far ends of the frontier's edges, by owner: count[owner], and all in `list`. */
static void collect(const struct graph *g, int level, int *count, unsigned *list, int *at) {
  for (int r = 0; r < g->ranks; r++)
    count[r] = 0;
  for (size_t i = 0; i < g->edges; i++)
    count[owner(g, g->to[i])] += *level_of(g, g->from[i]) == level;
  at[0] = 0;
  for (int r = 1; r < g->ranks; r++)
    at[r] = at[r - 1] + count[r - 1];
  for (size_t i = 0; i < g->edges; i++)
    if (*level_of(g, g->from[i]) == level)
      list[at[owner(g, g->to[i])]++] = g->to[i];
  for (int r = 0; r < g->ranks; r++)
    at[r] -= count[r];
}

/* One level; how many vertices all ranks together found. */
static long step(struct graph *g, int level, int *out, int *in, int *at, MPI_Request *request,
                 unsigned *list, unsigned *got) {
  int requests = 0;
  int wanted = 0;
  long all = 0;
  collect(g, level, out, list, at);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  for (int k = 1; k < g->ranks; k++) {
    int r = (g->rank + k) % g->ranks;
    wanted += in[r] > 0;
    if (!out[r])
      continue;
    MPI_Isend(list + at[r], out[r], MPI_UNSIGNED, r, TAG, MPI_COMM_WORLD, &request[requests++]);
    count_message(&g->counts, (uint64_t)out[r] * sizeof *list);
  }
  long found = take(g, list + at[g->rank], out[g->rank], level + 1);
  for (; wanted; wanted--) {
    MPI_Status status;
    int count = 0;
    MPI_Recv(got, (int)g->vertices * EDGES, MPI_UNSIGNED, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
             &status);
    MPI_Get_count(&status, MPI_UNSIGNED, &count);
    found += take(g, got, count, level + 1);
  }
  MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&found, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  g->counts.collectives += 2;
  return all;
}

static long search(struct graph *g, unsigned root) {
  size_t ranks = (size_t)g->ranks;
  int *out = calloc(3 * ranks, sizeof *out);
  MPI_Request *request = calloc(ranks, sizeof(MPI_Request));
  unsigned *list = malloc((g->edges + 1) * sizeof *list);
  unsigned *got = malloc((size_t)g->vertices * EDGES * sizeof *got);
  long reached = 1;
  if (!out || !request || !list || !got)
    give_up();
  for (unsigned v = 0; v <= g->vertices / (unsigned)g->ranks; v++)
    g->level[v] = -1;
  if (owner(g, root) == g->rank)
    *level_of(g, root) = 0;
  for (int level = 0;; level++) {
    long found = step(g, level, out, out + ranks, out + 2 * ranks, request, list, got);
    if (!found)
      break;
    reached += found;
  }
  free(out);
  free(request);
  free(list);
  free(got);
  return reached;
}

/* Both ends of an edge of this rank alone are at most a level apart. */
static bool sound(const struct graph *g) {
  for (size_t i = 0; i < g->edges; i++)
    if (owner(g, g->to[i]) == g->rank) {
      int a = *level_of(g, g->from[i]);
      int b = *level_of(g, g->to[i]);
      if ((a < 0) != (b < 0) || abs(a - b) > 1)
        return false;
    }
  return true;
}

int main(int argc, char **argv) {
  struct graph g = {.rank = 0};
  bool good = true;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
  MPI_Pcontrol(0);
  make_graph(&g, argc > 1 ? (unsigned)atoi(argv[1]) : 10);
  MPI_Pcontrol(1);
  for (int root = 0; root < (argc > 2 ? atoi(argv[2]) : 2); root++) {
    long reached = search(&g, (unsigned)root);
    good = good && sound(&g);
    if (!g.rank)
      printf("root %d: %ld vertices\n", root, reached);
  }
  print_counts(&g.counts, g.rank);
  free(g.from);
  free(g.to);
  free(g.level);
  MPI_Finalize();
  return good ? 0 : 1;
}
