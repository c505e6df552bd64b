/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - the processes that run a fabric together (docs/ranks.md) */
#define _GNU_SOURCE /* dlopen */

#include "run/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "io/streams.h"
#include "run/plan_error.h"

enum { PATH_ROOM = 4096, PIECE = 4096 };

/* ---- the library ----------------------------------------------------------------------------- */

/* Open MPI loads parts of itself that want to see its symbols. */
bool loom_ranks_load(struct loom_ranks_loaded *l, char *why, size_t size) {
  char path[PATH_ROOM];
  memset(l, 0, sizeof *l);
  if (!loom_path_library("ranks", "libloom_ranks.so", path, sizeof path)) {
    snprintf(why, size, "libloom_ranks.so is not there: `make ranks` builds it");
    return false;
  }
  l->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  l->api = l->library ? dlsym(l->library, "loom_ranks_library") : NULL;
  if (l->api && l->api->open(&l->ranks, why, size))
    return true;
  if (!l->api)
    snprintf(why, size, "%.300s", l->library ? "not the library of ranks" : dlerror());
  if (l->library)
    dlclose(l->library);
  memset(l, 0, sizeof *l);
  return false;
}

/* The library stays: MPI has threads of its own. */
void loom_ranks_unload(struct loom_ranks_loaded *l, int status) {
  if (l->api)
    l->api->close(&l->ranks, status);
  memset(l, 0, sizeof *l);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

bool loom_ranks_add(struct loom_ranks_bytes *b, const void *from, size_t size) {
  if (b->room - b->size < size) {
    size_t room = 2 * b->room + size + PIECE;
    unsigned char *more = realloc(b->at, room);
    if (!more)
      return false;
    b->at = more;
    b->room = room;
  }
  memcpy(b->at + b->size, from, size);
  b->size += size;
  return true;
}

bool loom_ranks_cut(struct loom_ranks_bytes *b, void *to, size_t size) {
  if (b->size < size)
    return false;
  memcpy(to, b->at, size);
  b->at += size;
  b->size -= size;
  return true;
}

/* ---- agreement ------------------------------------------------------------------------------- */

static bool no_ranks(struct loom_plan_error *err) {
  return loom_plan_fail(err, LOOM_EXIT_FAILED, "ranks", "another rank does not answer");
}

/* Of the errors of all ranks, the first one's. */
static void take_first(const struct loom_ranks *r, struct loom_ranks_bytes *in,
                       struct loom_plan_error *err) {
  for (uint32_t k = 0; k < r->count; k++) {
    struct loom_plan_error other;
    bool bad = k == r->rank ? err->status != 0
                            : !loom_ranks_cut(&in[k], &other, sizeof other) || other.status;
    if (bad && k != r->rank)
      *err = other;
    if (bad)
      return;
  }
}

bool loom_ranks_agree(const struct loom_ranks *r, struct loom_plan_error *err) {
  struct loom_ranks_bytes *out = calloc(r->count, sizeof *out);
  struct loom_ranks_bytes *in = calloc(r->count, sizeof *in);
  bool ok = out && in;
  for (uint32_t k = 0; ok && k < r->count; k++)
    out[k] = (struct loom_ranks_bytes){.at = (unsigned char *)err, .size = sizeof *err};
  if (ok && r->exchange(r->context, out, in))
    take_first(r, in, err);
  else
    no_ranks(err);
  free(out);
  free(in);
  return err->status == 0;
}
