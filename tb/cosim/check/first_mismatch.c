/* SPDX-License-Identifier: Apache-2.0 */
/* first_mismatch.c - reads the waves that the bench leaves: in which cycle does twin.fst first
 * differ?
 *
 *   first_mismatch FOLDER    prints `CYCLE from FROM to TO signals N`: first cycle with
 * mismatch.any, the window of rtl.fst in cycles, signals in rtl.fst Exit status: 0 done, 1 no
 * mismatch in the waves, 2 a file cannot be read.
 */
#define _GNU_SOURCE /* what fstapi.h uses */
#include <gtkwave/fstapi.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TIME_PER_CYCLE = 10 };

struct first {
  fstHandle any;
  bool found;
  uint64_t time;
};

static void change(void *user, uint64_t time, fstHandle facility, const unsigned char *value) {
  struct first *f = user;
  if (facility == f->any && value[0] == '1' && !f->found) {
    f->found = true;
    f->time = time;
  }
}

static fstHandle find(void *reader, const char *name) {
  fstReaderIterateHierRewind(reader);
  for (struct fstHier *h; (h = fstReaderIterateHier(reader));)
    if (h->htyp == FST_HT_VAR && strcmp(h->u.var.name, name) == 0)
      return h->u.var.handle;
  return 0;
}

int main(int argc, char **argv) {
  char path[512];
  struct first f = {0};
  if (argc != 2)
    return 2;
  snprintf(path, sizeof path, "%s/twin.fst", argv[1]);
  void *twin = fstReaderOpen(path);
  snprintf(path, sizeof path, "%s/rtl.fst", argv[1]);
  void *rtl = fstReaderOpen(path);
  if (!twin || !rtl) {
    fprintf(stderr, "%s: no waves\n", argv[1]);
    return 2;
  }
  f.any = find(twin, "any");
  fstReaderSetFacProcessMaskAll(twin);
  fstReaderIterBlocks(twin, change, &f, NULL);
  if (f.found)
    printf("%" PRIu64 " from %" PRIu64 " to %" PRIu64 " signals %" PRIu64 "\n",
           f.time / TIME_PER_CYCLE, fstReaderGetStartTime(rtl) / TIME_PER_CYCLE,
           fstReaderGetEndTime(rtl) / TIME_PER_CYCLE, fstReaderGetVarCount(rtl));
  fstReaderClose(twin);
  fstReaderClose(rtl);
  return f.found ? 0 : 1;
}
