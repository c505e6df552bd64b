/* SPDX-License-Identifier: Apache-2.0 */
/* plant.c - a library in front of MPI that spoils what comes to rank 1, or ends it (tb/ranks/check)
 *
 * LOOM_RANKS_PLANT says how: `late`, `bit` or `lost` of the last word of a message, `order` of its
 * words, `killed`.
 */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

enum { FROM = 20 }; /* the first message that is spoilt */

/* What carries words ends with them. */
static int has_words(int size) { return size >= 1000; }

static void spoil(const char *how, unsigned char *bytes, int size) {
  struct loom_fabric_word last, before;
  unsigned char *at = bytes + (size_t)size - sizeof last;
  memcpy(&last, at, sizeof last);
  memcpy(&before, at - sizeof last, sizeof before);
  if (!strcmp(how, "late"))
    last.ahead++;
  else if (!strcmp(how, "bit"))
    last.data ^= 1;
  else if (!strcmp(how, "lost"))
    last.valid = last.credit = false;
  memcpy(at, &last, sizeof last);
  if (strcmp(how, "order") != 0)
    return;
  memcpy(at, &before, sizeof before);
  memcpy(at - sizeof last, &last, sizeof last);
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
              MPI_Status *status) {
  static int messages;
  const char *how = getenv("LOOM_RANKS_PLANT");
  int rank = 0;
  int error = PMPI_Mrecv(buffer, count, type, message, status);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 1 || !how || ++messages < FROM)
    return error;
  if (!strcmp(how, "killed"))
    raise(SIGKILL);
  if (has_words(count) && messages == FROM)
    spoil(how, buffer, count);
  if (!has_words(count))
    messages--;
  return error;
}
