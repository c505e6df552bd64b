/* SPDX-License-Identifier: Apache-2.0 */
#include "io/discovered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t loom_guid_in(const char *name) {
  uint64_t guid = 0;
  if (!strchr("SHR", name[0]) || name[1] != '-' || strlen(name) != 2 + 16)
    return 0;
  for (const char *c = name + 2; *c; c++) {
    if (loom_words_hex(*c) < 0)
      return 0;
    guid = guid << 4 | (uint64_t)loom_words_hex(*c);
  }
  return guid;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool loom_keeps_promise(struct loom_words *w, uint32_t devices) {
  uint32_t promised = 0;
  size_t last = w->line;
  w->line = 0;
  if (!loom_words_line(w) || !loom_words_take(w, "# devices:"))
    return true;
  loom_words_skip_blanks(w);
  if (!loom_words_number(w, "devices", 1, LOOM_TOPO_DEVICES, &promised) ||
      !loom_words_end(w, "devices"))
    return false;
  if (promised != devices)
    return loom_fail(w->err, w->src->name, last, "devices",
                     "the file has %" PRIu32 ", the first line says %" PRIu32, devices, promised);
  return w->src->text[w->src->size - 1] == '\n' ||
         loom_fail(w->err, w->src->name, last, "devices",
                   "the file is cut short: the last line does not end");
}

bool loom_refuse_cable(const struct loom_topo *t, struct loom_topo_verdict v, const char *file,
                       size_t line, struct loom_error *err) {
  const struct loom_topo_port *near = loom_topo_port(t, v.device, v.port);
  if (v.fault == LOOM_TOPO_LOOP)
    return loom_fail(err, file, line, "peer", "is the device itself");
  if (v.fault == LOOM_TOPO_BAD_LID || v.fault == LOOM_TOPO_DOUBLE_LID)
    return loom_fail(err, file, line, "lid", "%u is the LID of another port, too",
                     (unsigned)near->lid);
  return loom_fail(err, file, line, "peer", "[%u] of \"%.40s\" does not lead back here",
                   (unsigned)near->port, t->device[near->device].name);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What a device would like to be called. */
struct wish {
  char name[LOOM_TOPO_NAME];
  uint32_t device;
};

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct wish *)a)->name, ((const struct wish *)b)->name);
}

/* The description without blanks around it, and `_` for what a name cannot have. */
static void wish_description(struct loom_description d, char name[LOOM_TOPO_NAME]) {
  while (d.size && loom_words_is_blank(*d.text)) {
    d.text++;
    d.size--;
  }
  while (d.size && loom_words_is_blank(d.text[d.size - 1]))
    d.size--;
  if (d.size >= LOOM_TOPO_NAME)
    d.size = LOOM_TOPO_NAME - 1;
  for (size_t i = 0; i < d.size; i++)
    name[i] = d.text[i] < ' ' || d.text[i] > '~' || strchr("\"#@", d.text[i]) ? '_' : d.text[i];
  name[d.size] = 0;
}

/* A device that has a name other than its GUID keeps it, as does one whose description says nothing
 * or is the form of a GUID. */
static void make_wish(const struct loom_topo *t, uint32_t d, struct loom_description description,
                      struct wish *wish) {
  wish->device = d;
  if (loom_guid_in(t->device[d].name) || !strncmp(t->device[d].name, "LID ", 4)) {
    wish_description(description, wish->name);
    if (wish->name[0] && !loom_guid_in(wish->name))
      return;
  }
  memcpy(wish->name, t->device[d].name, sizeof wish->name);
}

static bool says(struct loom_description d, const char *text) {
  for (size_t size = strlen(text); d.size >= size; d.text++, d.size--)
    if (!memcmp(d.text, text, size))
      return true;
  return false;
}

static bool stays(const uint32_t *first, uint32_t d) { return !first || first[d] == d; }

static bool name_all(struct loom_topo *t, const struct loom_description *description,
                     const uint32_t *first) {
  struct wish *wish = calloc((size_t)t->devices + 1, sizeof *wish);
  uint32_t wishes = 0;
  if (!wish)
    return false;
  for (uint32_t d = 0; d < t->devices; d++) {
    if (stays(first, d))
      make_wish(t, d, description[d], &wish[wishes++]);
    t->device[d].aggregates =
        t->device[d].kind == LOOM_TOPO_HCA && says(description[d], "Aggregation Node");
  }
  qsort(wish, wishes, sizeof *wish, by_name);
  for (uint32_t i = 0; i < wishes; i++)
    if ((!i || by_name(&wish[i - 1], &wish[i]) != 0) &&
        (i + 1 == wishes || by_name(&wish[i], &wish[i + 1]) != 0))
      memcpy(t->device[wish[i].device].name, wish[i].name, sizeof wish[i].name);
  free(wish);
  return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* What a device is ordered by. */
struct place {
  uint64_t guid;
  uint32_t kind, lid, device;
};

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  int order = compare(x->kind, y->kind);
  order = order ? order : compare(x->lid, y->lid);
  order = order ? order : compare(x->guid, y->guid);
  return order ? order : compare(x->device, y->device);
}

/* Devices without a LID come last. */
static struct place place_of(const struct loom_topo *t, uint32_t d) {
  struct place p = {
      .kind = t->device[d].kind, .guid = loom_topo_guid(t, d, 0), .lid = UINT32_MAX, .device = d};
  for (uint32_t port = 0; port <= t->device[d].ports; port++) {
    uint32_t lid = loom_topo_port(t, d, port)->lid;
    if (lid && lid < p.lid)
      p.lid = lid;
  }
  return p;
}

static bool order_all(struct loom_topo *t, const uint32_t *first) {
  struct place *place = calloc((size_t)t->devices + 1, sizeof *place);
  uint32_t *order = calloc((size_t)t->devices + 1, sizeof *order);
  uint32_t devices = 0;
  bool ok = place && order;
  for (uint32_t d = 0; ok && d < t->devices; d++)
    if (stays(first, d))
      place[devices++] = place_of(t, d);
  if (ok) {
    qsort(place, devices, sizeof *place, by_place);
    for (uint32_t i = 0; i < devices; i++)
      order[i] = place[i].device;
    ok = loom_topo_arrange(t, order, devices);
  }
  free(place);
  free(order);
  return ok;
}

bool loom_settle_discovered(struct loom_topo *t, const struct loom_description *description,
                            const uint32_t *first) {
  return name_all(t, description, first) && order_all(t, first);
}
