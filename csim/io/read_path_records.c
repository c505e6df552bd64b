/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_path_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/words.h"
#include "routing/check.h"

enum field { SLID, DLID, SL, FIELDS };

enum { NO_SL = 255 };

static const struct {
  const char *name;
  uint32_t max;
} fields[FIELDS] = {[SLID] = {"slid", LOOM_TOPO_LID_MAX},
                    [DLID] = {"dlid", LOOM_TOPO_LID_MAX},
                    [SL] = {"sl", LOOM_ROUTING_CLASSES - 1}};

struct record {
  size_t line;    /* of its title; 0: none */
  uint32_t lines; /* with a field, any field */
  uint32_t given; /* bit of enum field */
  uint32_t value[FIELDS];
};

struct reader {
  struct loom_words words;
  struct loom_routing *r;
  uint8_t *sl; /* [end * lids + LID] */
  struct record record;
  uint32_t lines; /* of the first record; 0: there is none yet */
};

/* ---- a record -------------------------------------------------------------------------------- */

static bool is_known(const struct loom_routing *r, uint32_t lid) {
  return lid < r->lids && (r->row_of[lid] != LOOM_TOPO_NONE || r->end_of[lid] != LOOM_TOPO_NONE);
}

/* Whether the record is whole, and about this fabric. */
static bool check_record(const struct reader *r) {
  const struct record *c = &r->record;
  const char *file = r->words.src->name;
  for (unsigned f = 0; f < FIELDS; f++)
    if (!(c->given >> f & 1))
      return loom_fail(r->words.err, file, c->line, fields[f].name, "missing");
  if (r->lines && c->lines != r->lines)
    return loom_fail(r->words.err, file, c->line, "record",
                     "has %" PRIu32 " fields, the first one has %" PRIu32, c->lines, r->lines);
  for (unsigned f = SLID; f <= DLID; f++)
    if (!is_known(r->r, c->value[f]))
      return loom_fail(r->words.err, file, c->line, fields[f].name,
                       "no port of the fabric has LID %" PRIu32, c->value[f]);
  return true;
}

/* What stands between two titles, or a title and the end. Paths from switches are management. */
static bool end_record(struct reader *r) {
  struct record *c = &r->record;
  if (!c->line)
    return true;
  if (!check_record(r))
    return false;
  uint32_t end = r->r->end_of[c->value[SLID]];
  if (end != LOOM_TOPO_NONE) {
    uint8_t *sl = &r->sl[(size_t)end * r->r->lids + c->value[DLID]];
    if (*sl != NO_SL && *sl != c->value[SL])
      return loom_fail(r->words.err, r->words.src->name, c->line, "sl",
                       "is %" PRIu32 ", and %u in a record of this path before it", c->value[SL],
                       (unsigned)*sl);
    *sl = (uint8_t)c->value[SL];
  }
  r->lines = c->lines;
  *c = (struct record){.line = 0};
  return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_value(struct reader *r, unsigned field) {
  struct loom_words *w = &r->words;
  struct record *c = &r->record;
  const char *name = fields[field].name;
  if (c->given >> field & 1)
    return loom_words_refuse(w, name, "stands twice");
  c->given |= 1u << field;
  if (!loom_words_lax_number(w, name, true, fields[field].max, &c->value[field]))
    return false;
  return w->at == w->end || loom_words_refuse(w, name, "something follows the number");
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || loom_words_is_digit(c);
}

/* `dlid....................9` */
static bool read_field(struct reader *r) {
  struct loom_words *w = &r->words;
  const char *name = w->at;
  while (w->at < w->end && is_letter(*w->at))
    w->at++;
  size_t size = (size_t)(w->at - name);
  if (!size || !loom_words_take(w, "."))
    return loom_words_refuse(w, "entry",
                             "a line is `PathRecord dump:`, or a field as in `dlid....9`");
  if (!r->record.line)
    return loom_words_refuse(w, "entry", "belongs to no record");
  while (loom_words_take(w, "."))
    ;
  r->record.lines++;
  for (unsigned f = 0; f < FIELDS; f++)
    if (size == strlen(fields[f].name) && !memcmp(name, fields[f].name, size))
      return read_value(r, f);
  return true;
}

static bool read_line(struct reader *r) {
  struct loom_words *w = &r->words;
  loom_words_cut_blanks(w);
  loom_words_skip_blanks(w);
  if (w->at == w->end || *w->at == '#' || loom_words_take(w, "Path record for "))
    return true;
  if (!loom_words_take(w, "PathRecord dump:"))
    return read_field(r);
  if (w->at < w->end)
    return loom_words_refuse(w, "entry", "something follows `PathRecord dump:`");
  if (!end_record(r))
    return false;
  r->record.line = w->line;
  return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_records(struct reader *r) {
  const struct loom_source *src = r->words.src;
  while (loom_words_line(&r->words))
    if (!read_line(r))
      return false;
  if (!end_record(r))
    return false;
  if (!r->lines)
    return loom_fail(r->words.err, src->name, 0, "record", "there is none");
  return src->text[src->size - 1] == '\n' ||
         loom_words_refuse(&r->words, "record",
                           "the file is cut short: the last line does not end");
}

/* The first path from a host that the tables have and no record; 0: there is none. `row` and `port`
 * have room for all switches. */
static uint32_t missing_from(const struct reader *r, uint32_t end, uint32_t *row, uint8_t *port) {
  const struct loom_routing *t = r->r;
  for (uint32_t lid = 1; lid < t->lids; lid++) {
    uint32_t to = t->end_of[lid];
    if (to != LOOM_TOPO_NONE && t->end[to].device != t->end[end].device &&
        r->sl[(size_t)end * t->lids + lid] == NO_SL && loom_routing_walk(t, end, lid, row, port))
      return lid;
  }
  return 0;
}

static bool check_whole(const struct reader *r) {
  const struct loom_routing *t = r->r;
  struct loom_error *err = r->words.err;
  const char *name = r->words.src->name;
  uint32_t *row = calloc(t->switches, sizeof *row);
  uint8_t *port = calloc(t->switches, sizeof *port);
  bool whole = (row && port) || loom_fail(err, name, 0, "file", "out of memory");
  for (uint32_t end = 0; whole && end < t->ends; end++) {
    uint32_t lid = missing_from(r, end, row, port);
    whole = !lid || loom_fail(err, name, 0, "record",
                              "there is none of the path from LID %" PRIu32 " to LID %" PRIu32,
                              t->end[end].lid, lid);
  }
  free(row);
  free(port);
  return whole;
}

static bool apply(const struct reader *r) {
  struct loom_routing *t = r->r;
  size_t paths = (size_t)t->ends * t->lids;
  uint32_t highest = 0;
  for (size_t i = 0; i < paths; i++)
    if (r->sl[i] != NO_SL && r->sl[i] > highest)
      highest = r->sl[i];
  if (!loom_routing_layer_paths(t, highest + 1, highest + 1))
    return loom_fail(r->words.err, r->words.src->name, 0, "file", "out of memory");
  for (size_t i = 0; i < paths; i++)
    t->path[i] = r->sl[i] == NO_SL ? 0 : r->sl[i];
  return true;
}

bool loom_read_path_records(const struct loom_source *src, struct loom_routing *r,
                            struct loom_error *err) {
  size_t paths = (size_t)r->ends * r->lids;
  struct reader reader = {.words = {.src = src, .err = err}, .r = r, .sl = malloc(paths)};
  err->line[0] = 0;
  if (!reader.sl)
    return loom_fail(err, src->name, 0, "file", "out of memory");
  memset(reader.sl, NO_SL, paths);
  bool ok = read_records(&reader) && check_whole(&reader) && apply(&reader);
  free(reader.sl);
  return ok;
}
