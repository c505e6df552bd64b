/* SPDX-License-Identifier: Apache-2.0 */
/* counts.h - what a program has sent by its own count, for tb/record/check
 *
 * Each rank prints a line `counts RANK MESSAGES BYTES COLLECTIVES PARTS` at its end: messages to
 * other ranks, collectives that it took part in, messages that are parts of other collectives.
 */
#ifndef LOOM_TB_RECORD_COUNTS_H
#define LOOM_TB_RECORD_COUNTS_H

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct counts {
  uint64_t messages, bytes, collectives, parts;
};

static inline void count_message(struct counts *c, uint64_t bytes) {
  c->messages++;
  c->bytes += bytes;
}

/* There is no memory. */
#ifdef __GNUC__
__attribute__((noreturn))
#endif
static inline void
give_up(void) {
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static inline void print_counts(const struct counts *c, int rank) {
  printf("counts %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rank, c->messages, c->bytes,
         c->collectives, c->parts);
  fflush(stdout);
}

#endif
