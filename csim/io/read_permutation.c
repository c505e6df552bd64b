/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_permutation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/words.h"
#include "traffic/pattern.h"

struct reader {
  struct loom_words words;
  struct loom_permutation *p;
  uint32_t *taken;   /* by destination: its line, 0: none */
  uint32_t pairs;    /* so far */
  uint32_t senders;  /* of these with another destination than themselves */
  uint32_t promised; /* pairs by the first line, 0: it does not say */
};

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_task(struct reader *r, const char *key, uint32_t *task) {
  struct loom_words *w = &r->words;
  loom_words_skip_blanks(w);
  const char *start = w->at;
  while (w->at < w->end && loom_words_is_digit(*w->at))
    w->at++;
  if (w->at < w->end && !loom_words_is_blank(*w->at))
    return loom_words_refuse(w, key, "`%.*s` is not a number",
                             (int)(w->end - start > 20 ? 20 : w->end - start), start);
  w->at = start;
  if (!loom_words_number(w, key, 0, LOOM_PERMUTATION_TASKS - 1, task))
    return false;
  loom_words_skip_blanks(w);
  if (*task >= r->p->count)
    r->p->count = *task + 1;
  return true;
}

/* `source destination`. */
static bool read_pair(struct reader *r) {
  struct loom_words *w = &r->words;
  struct loom_permutation *p = r->p;
  uint32_t source = 0, destination = 0;
  if (r->promised && r->pairs == r->promised)
    return loom_words_refuse(w, "pairs", "more pairs than the first line says");
  if (!read_task(r, "source", &source) || !read_task(r, "destination", &destination))
    return false;
  if (w->at < w->end)
    return loom_words_refuse(w, "destination", "something follows it");
  if (p->line[source])
    return loom_words_refuse(w, "source", "%" PRIu32 " stands in line %" PRIu32 ", too", source,
                             p->line[source]);
  if (r->taken[destination])
    return loom_words_refuse(w, "destination", "%" PRIu32 " stands in line %" PRIu32 ", too",
                             destination, r->taken[destination]);
  p->to[source] = destination;
  p->line[source] = r->taken[destination] = (uint32_t)w->line;
  r->pairs++;
  r->senders += source != destination;
  return true;
}

/* A first line `# pairs: N` promises N pairs, so that no part of the file can be missing. */
static bool read_promise(struct reader *r) {
  struct loom_words *w = &r->words;
  bool ok = true;
  if (loom_words_line(w) && loom_words_take(w, "# pairs:")) {
    loom_words_skip_blanks(w);
    ok = loom_words_number(w, "pairs", 1, LOOM_PERMUTATION_TASKS, &r->promised);
    loom_words_skip_blanks(w);
    ok = ok && (w->at == w->end || loom_words_refuse(w, "pairs", "something follows the number"));
  }
  w->line = 0;
  return ok;
}

static bool read_lines(struct reader *r) {
  struct loom_words *w = &r->words;
  const char *stop = w->src->text + w->src->size;
  if (!read_promise(r))
    return false;
  while (loom_words_line(w)) {
    loom_words_cut_comment(w);
    loom_words_skip_blanks(w);
    if (w->at < w->end && !read_pair(r))
      return false;
  }
  if (r->pairs < r->promised)
    return loom_words_refuse(w, "pairs", "the file is cut short: %" PRIu32 " of %" PRIu32 " pairs",
                             r->pairs, r->promised);
  if (w->src->size && stop[-1] != '\n')
    return loom_words_refuse(w, "line", "has no newline: the file is cut short");
  return r->senders || loom_words_refuse(w, "line", "nobody sends anything");
}

/* ---- the file -------------------------------------------------------------------------------- */

bool loom_read_permutation(struct loom_permutation *p, const struct loom_source *src,
                           struct loom_error *err) {
  struct reader r = {.words = {.src = src, .err = err}, .p = p};
  *p = (struct loom_permutation){.to = malloc(LOOM_PERMUTATION_TASKS * sizeof *p->to),
                                 .line = calloc(LOOM_PERMUTATION_TASKS, sizeof *p->line)};
  r.taken = calloc(LOOM_PERMUTATION_TASKS, sizeof *r.taken);
  bool ok = p->to && p->line && r.taken;
  if (ok)
    memset(p->to, 0xFF, LOOM_PERMUTATION_TASKS * sizeof *p->to); /* LOOM_PATTERN_SILENT */
  else
    loom_fail(err, src->name, 0, "file", "out of memory");
  ok = ok && read_lines(&r);
  free(r.taken);
  if (!ok)
    loom_permutation_free(p);
  return ok;
}

bool loom_permutation_fits(const struct loom_permutation *p, uint32_t tasks, const char *name,
                           struct loom_error *err) {
  uint32_t first = LOOM_PATTERN_SILENT;
  for (uint32_t s = 0; s < p->count; s++)
    if (p->line[s] && (s >= tasks || p->to[s] >= tasks) &&
        (first == LOOM_PATTERN_SILENT || p->line[s] < p->line[first]))
      first = s;
  if (first == LOOM_PATTERN_SILENT)
    return true;
  bool source = first >= tasks;
  return loom_fail(err, name, p->line[first], source ? "source" : "destination",
                   "%" PRIu32 " is outside 0..%" PRIu32 ": there are %" PRIu32 " tasks",
                   source ? first : p->to[first], tasks - 1, tasks);
}

void loom_permutation_free(struct loom_permutation *p) {
  free(p->to);
  free(p->line);
  *p = (struct loom_permutation){.count = 0};
}
