/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_lfts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/words.h"

/* A table being read. */
struct table {
  uint32_t row;  /* LOOM_TOPO_NONE: none */
  uint32_t top;  /* last LID of its range */
  uint32_t rows; /* lines with a LID so far */
};

struct entry {
  const char *name;
  uint32_t device;
};

struct known_guid {
  uint64_t guid;
  uint32_t row;
};

struct reader {
  struct loom_words words;
  struct loom_routing *r;
  struct known_guid *guid; /* of switches, ascending */
  uint32_t guids;
  struct entry *entry; /* devices by name */
  uint32_t *line_of;   /* by row: where its table begins, 0: nowhere */
  uint32_t *taken;     /* by LID: the line that has it in the last table that has */
  struct table table;
};

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int by_guid(const void *a, const void *b) {
  uint64_t x = ((const struct known_guid *)a)->guid, y = ((const struct known_guid *)b)->guid;
  return (x > y) - (x < y);
}

/* The device of that name; LOOM_TOPO_NONE: it is no device's, but a description, for instance. */
static uint32_t find_device(const struct reader *r, const char *text, size_t size) {
  char name[LOOM_TOPO_NAME];
  if (!size || size >= sizeof name)
    return LOOM_TOPO_NONE;
  memcpy(name, text, size);
  name[size] = 0;
  const struct entry wanted = {.name = name};
  const struct entry *found =
      bsearch(&wanted, r->entry, r->r->topo->devices, sizeof *r->entry, by_name);
  return found ? found->device : LOOM_TOPO_NONE;
}

static const char *device_name(const struct reader *r, uint32_t d) {
  return r->r->topo->device[d].name;
}

/* ---- heads of tables ------------------------------------------------------------------------- */

/* `(name):` or `('name'):` at the end of the line. */
static bool read_switch_name(struct reader *r, uint32_t *device) {
  struct loom_words *w = &r->words;
  if (!loom_words_take(w, " (") || w->end - w->at < 2 || memcmp(w->end - 2, "):", 2) != 0)
    return loom_words_refuse(w, "name", "must be ` (name):` at the end of the line");
  const char *stop = w->end - 2;
  if (stop - w->at >= 2 && *w->at == '\'' && stop[-1] == '\'') {
    w->at++;
    stop--;
  }
  *device = find_device(r, w->at, (size_t)(stop - w->at));
  return true;
}

/* ` guid 0x0123` */
static bool read_guid(struct loom_words *w, uint64_t *guid) {
  if (!loom_words_take(w, " guid 0x"))
    return loom_words_refuse(w, "guid", "must be ` guid 0x` and a number");
  return loom_words_guid(w, guid);
}

/* `Lid 37`, or `DR path slid 0; dlid 0; 0,1`, which does not say. */
static bool read_where(struct loom_words *w, uint32_t *lid) {
  *lid = 0;
  if (loom_words_take(w, "Lid "))
    return loom_words_lax_number(w, "switch", false, LOOM_TOPO_LID_MAX, lid);
  if (!loom_words_take(w, "DR path "))
    return loom_words_refuse(w, "switch", "must be `Lid N` or `DR path`");
  while (w->at < w->end && *w->at != 'g')
    w->at++;
  w->at -= w->at < w->end; /* the blank before `guid` */
  return true;
}

/* The switch with that GUID; LOOM_TOPO_NONE: the fabric has no such GUID. */
static uint32_t row_of_guid(const struct reader *r, uint64_t guid) {
  const struct known_guid wanted = {.guid = guid};
  const struct known_guid *found = bsearch(&wanted, r->guid, r->guids, sizeof *r->guid, by_guid);
  return found ? found->row : LOOM_TOPO_NONE;
}

/* What a head says of its switch. */
struct head {
  uint64_t guid;
  uint32_t lid;    /* 0: it does not say */
  uint32_t device; /* of that name; LOOM_TOPO_NONE: nobody's */
};

/* By GUID; its LID, if there is one, is then that of the fabric: other LIDs would be of another
 * time, and entries are by LID. */
static bool find_by_guid(const struct reader *r, const struct head *h, uint32_t *row) {
  const struct loom_routing *t = r->r;
  *row = row_of_guid(r, h->guid);
  if (*row == LOOM_TOPO_NONE || !h->lid || h->lid == loom_routing_switch_lid(t, *row))
    return true;
  return loom_words_refuse(
      &r->words, "switch", "\"%.60s\" has LID %" PRIu32 " in the fabric, not %" PRIu32,
      device_name(r, t->device[*row]), loom_routing_switch_lid(t, *row), h->lid);
}

static bool find_by_lid(const struct reader *r, const struct head *h, uint32_t *row) {
  const struct loom_words *w = &r->words;
  const struct loom_routing *t = r->r;
  *row = h->lid < t->lids ? t->row_of[h->lid] : LOOM_TOPO_NONE;
  if (*row == LOOM_TOPO_NONE)
    return loom_words_refuse(w, "switch", "no switch of the fabric has LID %" PRIu32, h->lid);
  return h->device == LOOM_TOPO_NONE || t->device[*row] == h->device ||
         loom_words_refuse(w, "name", "LID %" PRIu32 " is \"%.60s\" in the fabric, not \"%.60s\"",
                           h->lid, device_name(r, t->device[*row]), device_name(r, h->device));
}

/* The switch that a table is for: by GUID, else by LID, else by name. */
static bool find_switch(struct reader *r, const struct head *h) {
  const struct loom_words *w = &r->words;
  const struct loom_routing *t = r->r;
  uint32_t row = LOOM_TOPO_NONE;
  if (!find_by_guid(r, h, &row) || (row == LOOM_TOPO_NONE && h->lid && !find_by_lid(r, h, &row)))
    return false;
  if (row == LOOM_TOPO_NONE && h->device != LOOM_TOPO_NONE)
    row = t->row[h->device];
  if (row == LOOM_TOPO_NONE)
    return loom_words_refuse(w, "name",
                             "is no switch of the fabric, nor is the GUID, and there is no LID");
  if (r->line_of[row])
    return loom_words_refuse(w, "switch", "\"%.60s\" has the table in line %" PRIu32 ", too",
                             device_name(r, t->device[row]), r->line_of[row]);
  r->line_of[row] = (uint32_t)w->line;
  r->table.row = row;
  return true;
}

/* `Unicast lids [0-84] of switch Lid 37 guid 0x0000000000200000 ('S0-0'):` */
static bool read_head(struct reader *r) {
  struct loom_words *w = &r->words;
  uint32_t bottom = 0;
  struct head h = {.device = LOOM_TOPO_NONE};
  if (r->table.row != LOOM_TOPO_NONE)
    return loom_words_refuse(w, "switch", "the table before it has no end: `N lids dumped`");
  r->table.rows = 0;
  if (!loom_words_lax_number(w, "range", true, UINT16_MAX, &bottom))
    return false;
  if (!loom_words_take(w, "-"))
    return loom_words_refuse(w, "range", "must be `[first-last]`");
  if (!loom_words_lax_number(w, "range", true, UINT16_MAX, &r->table.top))
    return false;
  if (!loom_words_take(w, "] of switch "))
    return loom_words_refuse(w, "switch", "must be ` of switch ` after the range");
  return read_where(w, &h.lid) && read_guid(w, &h.guid) && read_switch_name(r, &h.device) &&
         find_switch(r, &h);
}

/* ---- lines of tables ------------------------------------------------------------------------- */

static bool has(const struct loom_words *w, const char *text) {
  size_t size = strlen(text);
  for (const char *c = w->at; (size_t)(w->end - c) >= size; c++)
    if (!memcmp(c, text, size))
      return true;
  return false;
}

/* What follows the port: `# ...` or `: (...)`. A name in it that the fabric knows must be of the
 * device that has the LID. */
static bool check_remark(struct reader *r, uint32_t lid) {
  const struct loom_words *w = &r->words;
  const struct loom_routing *t = r->r;
  const char *stop = w->end;
  if (w->at < w->end && *w->at != '#' && *w->at != ':')
    return loom_words_refuse(w, "entry", "something follows the port that is not understood");
  if (stop > w->at && stop[-1] == ')')
    stop--;
  const char *start = memchr(w->at, '\'', (size_t)(stop - w->at));
  if (!start || stop - start < 3 || *--stop != '\'')
    return true;
  start++;
  uint32_t named = find_device(r, start, (size_t)(stop - start));
  uint32_t owner =
      t->row_of[lid] != LOOM_TOPO_NONE ? t->device[t->row_of[lid]] : t->end[t->end_of[lid]].device;
  return named == LOOM_TOPO_NONE || named == owner ||
         loom_words_refuse(w, "name", "LID %" PRIu32 " is \"%.60s\" in the fabric, not \"%.60s\"",
                           lid, device_name(r, owner), device_name(r, named));
}

static bool is_known(const struct loom_routing *t, uint32_t lid) {
  return lid < t->lids && (t->row_of[lid] != LOOM_TOPO_NONE || t->end_of[lid] != LOOM_TOPO_NONE);
}

/* A LID of a port that has one but no cable: nobody is there. */
static bool is_spare(const struct loom_topo *t, uint32_t lmc, uint32_t lid) {
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; t->device[d].kind == LOOM_TOPO_HCA && p <= t->device[d].ports; p++) {
      const struct loom_topo_port *port = loom_topo_port(t, d, p);
      if (port->lid && port->device == LOOM_TOPO_NONE && lid >= port->lid &&
          lid < port->lid + (1u << lmc))
        return true;
    }
  return false;
}

static bool check_port(const struct reader *r, uint32_t lid, uint32_t port) {
  const struct loom_routing *t = r->r;
  uint32_t ports = t->topo->device[t->device[r->table.row]].ports;
  if (port > ports)
    return loom_words_refuse(&r->words, "port", "%" PRIu32 " is outside 0..%" PRIu32, port, ports);
  if ((t->row_of[lid] == r->table.row) == !port)
    return true;
  return loom_words_refuse(&r->words, "port",
                           port ? "the way to the switch itself is port 0"
                                : "0 is the way to the switch itself");
}

/* `0x0005 003 # Channel Adapter portguid 0x0000000000100001: 'H0'` */
static bool read_entry(struct reader *r) {
  struct loom_words *w = &r->words;
  uint32_t lid = 0;
  uint32_t port = 0;
  if (r->table.row == LOOM_TOPO_NONE)
    return loom_words_refuse(w, "entry", "belongs to no switch");
  if (!loom_words_lax_number(w, "lid", true, UINT16_MAX, &lid))
    return false;
  if (lid > r->table.top)
    return loom_words_refuse(w, "lid", "is outside the range of the table");
  if (w->at == w->end || !loom_words_is_blank(*w->at))
    return loom_words_refuse(w, "port", "missing number");
  loom_words_skip_blanks(w);
  if (!loom_words_lax_number(w, "port", false, UINT8_MAX, &port))
    return false;
  loom_words_skip_blanks(w);
  r->table.rows++;
  if (port == LOOM_ROUTING_UNREACHABLE || has(w, "illegal port"))
    return true;
  if (!is_known(r->r, lid))
    return has(w, "unknown node") || is_spare(r->r->topo, r->r->lmc, lid) ||
           (r->r->topo->keep_lids && has(w, "(path #")) || /* nobody said what its LMC is */
           loom_words_refuse(
               w, "lid", "no port of the fabric has LID %" PRIu32 "%s", lid,
               r->r->topo->keep_lids && !r->r->lmc ? "; --lmc says how many a host has" : "");
  uint32_t *taken = &r->taken[lid];
  if (*taken > r->line_of[r->table.row])
    return loom_words_refuse(w, "lid", "%" PRIu32 " stands in line %" PRIu32 ", too", lid, *taken);
  *taken = (uint32_t)w->line;
  if (!check_port(r, lid, port) || !check_remark(r, lid))
    return false;
  loom_routing_set(r->r, r->table.row, lid, port);
  return true;
}

/* `84 lids dumped` ends a table of OpenSM and counts to its last LID; ibroute's `84 valid lids
 * dumped` counts its lines. */
static bool read_end(struct reader *r) {
  struct loom_words *w = &r->words;
  uint32_t count = 0;
  if (r->table.row == LOOM_TOPO_NONE)
    return loom_words_refuse(w, "entry", "belongs to no switch");
  if (!loom_words_lax_number(w, "count", false, UINT32_MAX, &count))
    return false;
  bool valid = loom_words_take(w, " valid");
  if (!loom_words_take(w, " lids dumped") || w->at != w->end)
    return loom_words_refuse(w, "count", "must be `N lids dumped`");
  if (count != r->table.rows && (valid || count != r->table.top))
    return loom_words_refuse(w, "count", "the table has %" PRIu32 " lines, not %" PRIu32,
                             r->table.rows, count);
  r->table.row = LOOM_TOPO_NONE;
  return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Goes to the next line and its first word; false: there is none. */
static bool take_line(struct loom_words *w) {
  if (!loom_words_line(w))
    return false;
  loom_words_cut_blanks(w);
  loom_words_skip_blanks(w);
  return true;
}

/* The two lines above the entries that ibroute prints. */
static bool is_title(const struct reader *r) {
  const struct loom_words *w = &r->words;
  return r->table.row != LOOM_TOPO_NONE && !r->table.rows &&
         ((w->end - w->at > 3 && !memcmp(w->at, "Lid", 3) && has(w, "Destination")) ||
          (w->end - w->at > 4 && !memcmp(w->at, "Port", 4) && has(w, "Info")));
}

static bool read_line(struct reader *r) {
  struct loom_words *w = &r->words;
  if (w->at == w->end || *w->at == '#' || is_title(r) || loom_words_take(w, "*** WARNING ***: "))
    return true; /* the warning: dump_lfts is called dump_fts now */
  if (loom_words_take(w, "Unicast lids ["))
    return read_head(r);
  if (loom_words_take(w, "Multicast"))
    return loom_words_refuse(w, "entry", "multicast tables are not read");
  if (w->end - w->at > 2 && !memcmp(w->at, "0x", 2))
    return read_entry(r);
  if (loom_words_is_digit(*w->at))
    return read_end(r);
  return loom_words_refuse(w, "entry", "a line starts with `Unicast lids`, a LID, a number or `#`");
}

static bool read_tables(struct reader *r) {
  struct loom_words *w = &r->words;
  const char *stop = w->src->text + w->src->size;
  while (take_line(w))
    if (!read_line(r))
      return false;
  if (r->table.row != LOOM_TOPO_NONE)
    return loom_words_refuse(w, "count", "the file is cut short: the last table has no end");
  for (uint32_t row = 0; row < r->r->switches; row++)
    if (!r->line_of[row])
      return loom_words_refuse(w, "switch", "there is no table for \"%.60s\"",
                               device_name(r, r->r->device[row]));
  return stop[-1] == '\n' ||
         loom_words_refuse(w, "count", "the file is cut short: the last line does not end");
}

/* Those that the fabric's file has. */
static bool sort_guids(struct reader *r) {
  const struct loom_routing *t = r->r;
  for (uint32_t row = 0; row < t->switches; row++) {
    uint64_t guid = loom_topo_guid(t->topo, t->device[row], 0);
    if (guid)
      r->guid[r->guids++] = (struct known_guid){.guid = guid, .row = row};
  }
  qsort(r->guid, r->guids, sizeof *r->guid, by_guid);
  for (uint32_t i = 1; i < r->guids; i++)
    if (!by_guid(&r->guid[i - 1], &r->guid[i]))
      return loom_fail(r->words.err, r->words.src->name, 0, "fabric",
                       "two switches have GUID 0x%016" PRIx64, r->guid[i].guid);
  return true;
}

static bool make_room(struct reader *r) {
  const struct loom_topo *t = r->r->topo;
  r->entry = calloc((size_t)t->devices + 1, sizeof *r->entry);
  r->line_of = calloc((size_t)r->r->switches + 1, sizeof *r->line_of);
  r->taken = calloc((size_t)r->r->lids + 1, sizeof *r->taken);
  r->guid = calloc((size_t)r->r->switches + 1, sizeof *r->guid);
  if (!r->entry || !r->line_of || !r->taken || !r->guid)
    return loom_fail(r->words.err, r->words.src->name, 0, "file", "out of memory");
  for (uint32_t d = 0; d < t->devices; d++)
    r->entry[d] = (struct entry){.name = t->device[d].name, .device = d};
  qsort(r->entry, t->devices, sizeof *r->entry, by_name);
  return true;
}

struct loom_routing *loom_read_lfts(const struct loom_source *src, const struct loom_topo *topo,
                                    uint32_t lmc, struct loom_error *err) {
  struct loom_routing_error why = {""};
  struct reader r = {.words = {.src = src, .err = err}, .table = {.row = LOOM_TOPO_NONE}};
  err->line[0] = 0;
  r.r = loom_routing_create(topo, lmc, &why);
  bool ok = r.r ? make_room(&r) && sort_guids(&r) && read_tables(&r)
                : loom_fail(err, src->name, 0, "fabric", "%s", why.text);
  free(r.entry);
  free(r.line_of);
  free(r.taken);
  free(r.guid);
  if (ok)
    return r.r;
  loom_routing_destroy(r.r);
  return NULL;
}
