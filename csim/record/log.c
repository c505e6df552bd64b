/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a rank: its lines and its clock. */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

enum clock_kind { CLOCK_CPU, CLOCK_WALL, CLOCK_NONE };

/* The one log of this process. */
static struct {
  FILE *file; /* NULL: nothing is noted */
  const char *folder;
  int rank;
  enum clock_kind clock;
  uint64_t computed; /* nanoseconds since the last line */
  uint64_t lines;
  unsigned depth; /* calls within calls */
} self;

/* When the last call of this thread ended, nanoseconds; 0: it has called nothing yet. */
static _Thread_local uint64_t mark;

void *loom_record_next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found)
    return found;
  fprintf(stderr, "loom record: %s: this MPI has none\n", name);
  abort();
}

static uint64_t now(void) {
  struct timespec t = {0};
  if (self.clock == CLOCK_NONE)
    return 0;
  clock_gettime(self.clock == CLOCK_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nothing can be saved of a log that cannot be written. */
static _Noreturn void fail(const char *what) {
  fprintf(stderr, "loom record: %s: cannot write the log of rank %d\n", what, self.rank);
  self.file = NULL;
  PMPI_Abort(MPI_COMM_WORLD, 2);
  abort();
}

void loom_record_open(int rank, int ranks) {
  const char *clock = getenv("LOOM_RECORD_CLOCK");
  char name[4096];
  self.folder = getenv("LOOM_RECORD");
  if (!self.folder)
    return;
  self.rank = rank;
  self.clock = clock && !strcmp(clock, "wall")   ? CLOCK_WALL
               : clock && !strcmp(clock, "none") ? CLOCK_NONE
                                                 : CLOCK_CPU;
  snprintf(name, sizeof name, "%s/rank.%d", self.folder, rank);
  self.file = fopen(name, "w");
  if (!self.file || setvbuf(self.file, NULL, _IOFBF, 1 << 16))
    fail(name);
  fprintf(self.file, "LOG1 %d %d\n", rank, ranks);
}

void loom_record_close(void) {
  if (!self.file)
    return;
  uint64_t lines = self.lines;
  loom_record_line("end", " %" PRIu64, lines);
  FILE *file = self.file;
  self.file = NULL;
  if (ferror(file) || fclose(file))
    fail("end");
}

bool loom_record_enter(void) {
  if (!self.file || self.depth++)
    return false;
  uint64_t time = now();
  self.computed += mark && time > mark ? time - mark : 0;
  return true;
}

int loom_record_leave(bool outer, int error) {
  if (self.depth)
    self.depth--;
  if (self.file && (outer || !self.depth))
    mark = now();
  return error;
}

void loom_record_line(const char *word, const char *format, ...) {
  va_list args;
  if (!self.file)
    return;
  fprintf(self.file, "%s %" PRIu64, word, self.computed);
  va_start(args, format);
  vfprintf(self.file, format, args);
  va_end(args);
  self.computed = 0;
  self.lines++;
  if (fputc('\n', self.file) == EOF)
    fail(word);
}

void loom_record_members(const struct loom_record_comm *comm) {
  if (!self.file)
    return;
  fprintf(self.file, "comm %u", comm->index);
  for (int i = 0; i < comm->size; i++)
    fprintf(self.file, " %d", comm->world[i]);
  fputc('\n', self.file);
  self.lines++;
}

/* What `loom record` prints; the first of all ranks. */
void loom_record_refuse(const char *call, const char *why) {
  char text[4096];
  const char *folder = self.folder ? self.folder : ".";
  int length = snprintf(text, sizeof text, "%s/refused", folder);
  int file = self.folder && length < (int)sizeof text
                 ? open(text, O_WRONLY | O_CREAT | O_EXCL, 0666)
                 : STDERR_FILENO;
  length = snprintf(text, sizeof text, "rank %d: %s: %s\n", self.rank, call, why);
  if (file >= 0 && write(file, text, (size_t)length) < 0)
    fputs(text, stderr);
  self.file = NULL;
  PMPI_Abort(MPI_COMM_WORLD, 2);
  abort();
}

void *loom_record_memory(const char *call, void *old, size_t size) {
  void *memory = realloc(old, size ? size : 1);
  if (memory)
    return memory;
  loom_record_refuse(call, "out of memory");
}

void loom_record_check(const char *call, MPI_Count bytes) {
  if (bytes > (MPI_Count)UINT32_MAX)
    loom_record_refuse(call, "more bytes than a trace can say, 4294967295");
}
