/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/path.h"
#include "io/read_vef.h"

/* The logs of a program, and their names for messages. */
struct logs {
  const char *folder;
  struct loom_vef_log *log;
  uint32_t count; /* read so far */
};

/* The name of a rank's log: the caller's. NULL: out of memory. */
static char *name_of(const struct logs *l, uint32_t rank) {
  char end[16];
  snprintf(end, sizeof end, ".%" PRIu32, rank);
  return loom_path_in(l->folder, "rank", end);
}

bool loom_read_log(struct loom_vef_log *log, const struct loom_source *src,
                   struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  return loom_vef_log_parse(log, src->text, src->size, &e) || loom_vef_fail(src->name, &e, err);
}

/* Reads the next log, which must be that of the next rank of the same program. */
static bool read_next(struct logs *l, const char *name, struct loom_error *err) {
  struct loom_source src;
  struct loom_vef_log *log = &l->log[l->count];
  if (!loom_source_read_all(&src, name, err))
    return false;
  bool ok = loom_read_log(log, &src, err);
  loom_source_free(&src);
  if (!ok)
    return false;
  l->count++;
  if (log->rank != l->count - 1)
    return loom_fail(err, name, 1, "rank", "is not %" PRIu32, l->count - 1);
  return log->ranks == l->log[0].ranks ||
         loom_fail(err, name, 1, "ranks", "is not %" PRIu32 " as in the first log",
                   l->log[0].ranks);
}

static bool read_named(struct logs *l, struct loom_error *err) {
  char *name = name_of(l, l->count);
  bool ok = name ? read_next(l, name, err) : loom_fail(err, l->folder, 0, "file", "out of memory");
  free(name);
  return ok;
}

static bool read_all(struct logs *l, struct loom_error *err) {
  l->log = calloc(1, sizeof *l->log);
  if (!l->log)
    return loom_fail(err, l->folder, 0, "file", "out of memory");
  if (!read_named(l, err))
    return false;
  struct loom_vef_log *more = realloc(l->log, ((size_t)l->log[0].ranks + 1) * sizeof *more);
  if (!more)
    return loom_fail(err, l->folder, 0, "file", "out of memory");
  l->log = more;
  while (l->count < l->log[0].ranks)
    if (!read_named(l, err))
      return false;
  return true;
}

/* A program that came to its end can be replayed, unless collectives that do not wait were complete
 * in different orders: they stand where they were. */
static bool check(const struct logs *l, const struct loom_vef_trace *trace,
                  struct loom_error *err) {
  struct loom_vef_chain chain;
  struct loom_vef_trace *expanded =
      trace->parts ? loom_vef_expand(trace, (enum loom_vef_algorithm)LOOM_VEF_USUAL_ALGORITHM)
                   : NULL;
  const struct loom_vef_trace *replayed = trace->parts ? expanded : trace;
  bool ok = replayed && loom_vef_follow(replayed, &chain);
  bool stuck = ok && chain.stuck != LOOM_VEF_NONE;
  uint32_t task = stuck ? replayed->record[chain.stuck].src : 0;
  loom_vef_destroy(expanded);
  if (!ok)
    return loom_fail(err, l->folder, 0, "file",
                     "the collectives do not fit: too many or too long messages");
  return !stuck || loom_fail(err, l->folder, 0, "coll",
                             "rank %" PRIu32 " and others complete collectives in different "
                             "orders: such a trace cannot be replayed",
                             task);
}

static struct loom_vef_trace *merge(const struct logs *l, const struct loom_vef_merge_cfg *cfg,
                                    struct loom_vef_merged *merged, struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  uint32_t rank = 0;
  struct loom_vef_trace *trace = loom_vef_merge(l->log, l->count, cfg, merged, &e, &rank);
  if (trace && check(l, trace, err))
    return trace;
  if (!trace) {
    char *name = name_of(l, rank);
    loom_vef_fail(name && e.key ? name : l->folder, &e, err);
    free(name);
  }
  loom_vef_destroy(trace);
  return NULL;
}

struct loom_vef_trace *loom_read_logs(const char *folder, const struct loom_vef_merge_cfg *cfg,
                                      struct loom_vef_merged *merged, struct loom_error *err) {
  struct logs l = {.folder = folder};
  struct loom_vef_trace *trace = read_all(&l, err) ? merge(&l, cfg, merged, err) : NULL;
  for (uint32_t r = 0; r < l.count; r++)
    loom_vef_log_free(&l.log[r]);
  free(l.log);
  return trace;
}
