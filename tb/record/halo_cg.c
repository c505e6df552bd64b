/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients on a grid, as HPCG does them: a stencil of 27 points, an exchange with up to
 * 26 neighbours before each product, two sums over all ranks an iteration.
 *
 *     mpirun -n N halo_cg [POINTS [ITERATIONS]]     points of a rank in a dimension (8), and (10)
 *
 * Only the iterations are recorded (MPI_Pcontrol). Exit status 1: the residual did not fall.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tb/record/counts.h"

enum { NEIGHBOURS = 27, SELF = 13 };

/* A rank's block of the grid. Vectors have a layer of their neighbours' points around them. */
struct block {
  int n, side;               /* points in a dimension, and with both layers */
  int neighbour[NEIGHBOURS]; /* rank in direction x + 3 y + 9 z, each 0..2, or MPI_PROC_NULL */
  double *out[NEIGHBOURS], *in[NEIGHBOURS];
  struct counts counts;
};

static size_t at(const struct block *b, int x, int y, int z) {
  return ((size_t)z * (size_t)b->side + (size_t)y) * (size_t)b->side + (size_t)x;
}

/* The points of the block (or of the layer around it) that lie in a direction: [from, to). */
static void range(const struct block *b, int direction, int layer, int *from, int *to) {
  *from = direction == 0 ? (layer ? 0 : 1) : direction == 1 ? 1 : (layer ? b->n + 1 : b->n);
  *to = direction == 1 ? b->n + 1 : *from + 1;
}

/* Copies the points of a direction from a vector to a buffer, or from a buffer to the layer. */
static int copy(const struct block *b, int d, double *vector, double *buffer, int layer) {
  int from[3];
  int to[3];
  int count = 0;
  range(b, d % 3, layer, &from[0], &to[0]);
  range(b, d / 3 % 3, layer, &from[1], &to[1]);
  range(b, d / 9, layer, &from[2], &to[2]);
  for (int z = from[2]; z < to[2]; z++)
    for (int y = from[1]; y < to[1]; y++)
      for (int x = from[0]; x < to[0]; x++, count++)
        if (layer)
          vector[at(b, x, y, z)] = buffer[count];
        else
          buffer[count] = vector[at(b, x, y, z)];
  return count;
}

/* All receptions are posted first; then the faces, edges and corners leave. */
static void exchange(struct block *b, double *vector) {
  MPI_Request request[2 * NEIGHBOURS];
  int requests = 0;
  int most = b->n * b->n;
  for (int d = 0; d < NEIGHBOURS; d++)
    if (d != SELF && b->neighbour[d] != MPI_PROC_NULL)
      MPI_Irecv(b->in[d], most, MPI_DOUBLE, b->neighbour[d], NEIGHBOURS - 1 - d, MPI_COMM_WORLD,
                &request[requests++]);
  for (int d = 0; d < NEIGHBOURS; d++)
    if (d != SELF && b->neighbour[d] != MPI_PROC_NULL) {
      int count = copy(b, d, vector, b->out[d], 0);
      MPI_Isend(b->out[d], count, MPI_DOUBLE, b->neighbour[d], d, MPI_COMM_WORLD,
                &request[requests++]);
      count_message(&b->counts, (uint64_t)count * sizeof(double));
    }
  MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
  for (int d = 0; d < NEIGHBOURS; d++)
    if (d != SELF && b->neighbour[d] != MPI_PROC_NULL)
      copy(b, d, vector, b->in[d], 1);
}

/* y = A x: 26 in the middle, -1 around it. */
static void multiply(struct block *b, double *x, double *y) {
  exchange(b, x);
  for (int k = 1; k <= b->n; k++)
    for (int j = 1; j <= b->n; j++)
      for (int i = 1; i <= b->n; i++) {
        double sum = 27 * x[at(b, i, j, k)];
        for (int d = 0; d < NEIGHBOURS; d++)
          sum -= x[at(b, i + d % 3 - 1, j + d / 3 % 3 - 1, k + d / 9 - 1)];
        y[at(b, i, j, k)] = sum;
      }
}

static double dot(struct block *b, const double *x, const double *y) {
  double mine = 0;
  double all = 0;
  for (int k = 1; k <= b->n; k++)
    for (int j = 1; j <= b->n; j++)
      for (int i = 1; i <= b->n; i++)
        mine += x[at(b, i, j, k)] * y[at(b, i, j, k)];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  b->counts.collectives++;
  return all;
}

/* x += a y; */
static void add(const struct block *b, double *x, double a, const double *y) {
  size_t size = (size_t)b->side * (size_t)b->side * (size_t)b->side;
  for (size_t i = 0; i < size; i++)
    x[i] += a * y[i];
}

/* The share of the residual that is left. */
static double solve(struct block *b, int iterations) {
  size_t size = (size_t)b->side * (size_t)b->side * (size_t)b->side;
  double *x = calloc(size, sizeof *x);
  double *r = calloc(size, sizeof *r);
  double *p = calloc(size, sizeof *p);
  double *q = calloc(size, sizeof *q);
  for (int k = 1; r && k <= b->n; k++)
    for (int j = 1; j <= b->n; j++)
      for (int i = 1; i <= b->n; i++)
        r[at(b, i, j, k)] = 1;
  if (!x || !r || !p || !q)
    give_up();
  memcpy(p, r, size * sizeof *p);
  MPI_Pcontrol(1);
  double first = dot(b, r, r);
  double rest = first;
  for (int i = 0; i < iterations; i++) {
    multiply(b, p, q);
    double alpha = rest / dot(b, p, q);
    add(b, x, alpha, p);
    add(b, r, -alpha, q);
    double next = dot(b, r, r);
    for (size_t k = 0; k < size; k++)
      p[k] = r[k] + next / rest * p[k];
    rest = next;
  }
  MPI_Pcontrol(0);
  free(x);
  free(r);
  free(p);
  free(q);
  return sqrt(rest / first);
}

/* Who is where in the grid of ranks. */
static void find_neighbours(struct block *b, int rank, int ranks) {
  int dims[3] = {0, 0, 0};
  MPI_Dims_create(ranks, 3, dims);
  int here[3] = {rank % dims[0], rank / dims[0] % dims[1], rank / (dims[0] * dims[1])};
  for (int d = 0; d < NEIGHBOURS; d++) {
    int x = here[0] + d % 3 - 1;
    int y = here[1] + d / 3 % 3 - 1;
    int z = here[2] + d / 9 - 1;
    bool there = x >= 0 && x < dims[0] && y >= 0 && y < dims[1] && z >= 0 && z < dims[2];
    b->neighbour[d] = there ? (z * dims[1] + y) * dims[0] + x : MPI_PROC_NULL;
    b->out[d] = malloc((size_t)(b->n * b->n) * sizeof(double));
    b->in[d] = malloc((size_t)(b->n * b->n) * sizeof(double));
    if (!b->out[d] || !b->in[d])
      give_up();
  }
}

int main(int argc, char **argv) {
  int rank = 0;
  int ranks = 1;
  struct block b = {.n = argc > 1 ? atoi(argv[1]) : 8};
  MPI_Init(&argc, &argv);
  MPI_Pcontrol(0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  b.side = b.n + 2;
  find_neighbours(&b, rank, ranks);
  double left = solve(&b, argc > 2 ? atoi(argv[2]) : 10);
  print_counts(&b.counts, rank);
  if (!rank)
    printf("residual %.3e of the first\n", left);
  for (int d = 0; d < NEIGHBOURS; d++) {
    free(b.out[d]);
    free(b.in[d]);
  }
  MPI_Finalize();
  return left < 1 ? 0 : 1;
}
