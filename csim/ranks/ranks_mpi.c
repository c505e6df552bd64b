/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_mpi.c - what carries the messages of ranks: MPI (docs/ranks.md) */
#include <mpi.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/ranks.h"

enum { PIECE = 1 << 30, TAG = 1 }; /* bytes of a message at most: MPI counts them as int */

struct state {
  int rank, count;
  struct loom_ranks_bytes *in; /* by rank; room is what is there, size what came */
  MPI_Request *request;        /* of what goes out, by rank */
};

/* ---- messages -------------------------------------------------------------------------------- */

static bool make_room(struct loom_ranks_bytes *b, size_t size) {
  if (size <= b->room)
    return true;
  unsigned char *more = realloc(b->at, 2 * size);
  if (!more)
    return false;
  b->at = more;
  b->room = 2 * size;
  return true;
}

/* As long as it is, whatever that is. */
static bool receive(struct state *s, int from, struct loom_ranks_bytes *in) {
  struct loom_ranks_bytes *kept = &s->in[from];
  MPI_Message message;
  MPI_Status status;
  int size = 0;
  MPI_Mprobe(from, TAG, MPI_COMM_WORLD, &message, &status);
  MPI_Get_count(&status, MPI_BYTE, &size);
  if (size < 0 || !make_room(kept, (size_t)size + 1))
    return false;
  MPI_Mrecv(kept->at, size, MPI_BYTE, &message, &status);
  *in = (struct loom_ranks_bytes){.at = kept->at, .size = (size_t)size};
  return true;
}

static bool exchange(void *context, const struct loom_ranks_bytes *out,
                     struct loom_ranks_bytes *in) {
  struct state *s = context;
  bool ok = true;
  for (int r = 0; r < s->count; r++) {
    s->request[r] = MPI_REQUEST_NULL;
    if (r == s->rank)
      continue;
    if (out[r].size > PIECE)
      return false;
    MPI_Isend(out[r].at, (int)out[r].size, MPI_BYTE, r, TAG, MPI_COMM_WORLD, &s->request[r]);
  }
  for (int r = 0; ok && r < s->count; r++)
    if (r != s->rank)
      ok = receive(s, r, &in[r]);
  return ok && MPI_Waitall(s->count, s->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
}

/* ---- the library ----------------------------------------------------------------------------- */

static void forget(struct state *s) {
  for (int r = 0; s && s->in && r < s->count; r++)
    free(s->in[r].at);
  if (s) {
    free(s->in);
    free(s->request);
  }
  free(s);
}

static struct state *remember(void) {
  struct state *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s->count);
  s->in = calloc((size_t)s->count, sizeof *s->in);
  s->request = calloc((size_t)s->count, sizeof(MPI_Request));
  if (s->in && s->request)
    return s;
  forget(s);
  return NULL;
}

static bool open_ranks(struct loom_ranks *ranks, char *why, size_t size) {
  int given = 0;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
    snprintf(why, size, "MPI does not begin");
    return false;
  }
  struct state *s = remember();
  if (!s) {
    snprintf(why, size, "out of memory");
    return false;
  }
  *ranks = (struct loom_ranks){
      .rank = (uint32_t)s->rank, .count = (uint32_t)s->count, .exchange = exchange, .context = s};
  return true;
}

static void close_ranks(struct loom_ranks *ranks, int status) {
  (void)status;
  forget(ranks->context);
  MPI_Finalize();
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct loom_ranks_library loom_ranks_library;
const struct loom_ranks_library loom_ranks_library = {.open = open_ranks, .close = close_ranks};
