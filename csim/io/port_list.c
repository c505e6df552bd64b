/* SPDX-License-Identifier: Apache-2.0 */
#include "io/port_list.h"

#include <inttypes.h>
#include <stdlib.h>

/* A key and its entry. */
struct place {
  struct loom_port_key key;
  uint32_t entry;
};

/* Entries with a key of one kind, in its order. */
struct index {
  struct place *place;
  uint32_t count;
};

struct listed {
  struct loom_port_list *list;
  const char *file;
  struct loom_error *err;
  struct loom_topo *t;
  uint32_t *device; /* by entry */
  struct index guids, lids;
};

struct loom_listed_port *loom_port_list_add(struct loom_port_list *list) {
  if (list->count == list->room) {
    uint32_t room = list->room ? 2 * list->room : 64;
    struct loom_listed_port *more =
        room <= LOOM_TOPO_ALL_PORTS ? realloc(list->port, room * sizeof *more) : NULL;
    if (!more)
      return NULL;
    list->port = more;
    list->room = room;
  }
  list->port[list->count] = (struct loom_listed_port){.line = 0};
  return &list->port[list->count++];
}

static bool no_memory(const struct listed *l) {
  return loom_fail(l->err, l->file, 0, "file", "out of memory, or too many ports");
}

/* ---- who is meant ---------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_guid(const void *a, const void *b) {
  const struct loom_port_key *x = &((const struct place *)a)->key;
  const struct loom_port_key *y = &((const struct place *)b)->key;
  int order = compare(x->guid, y->guid);
  return order ? order : compare(x->port, y->port);
}

static int by_lid(const void *a, const void *b) {
  const struct loom_port_key *x = &((const struct place *)a)->key;
  const struct loom_port_key *y = &((const struct place *)b)->key;
  int order = compare(x->lid, y->lid);
  return order ? order : compare(x->port, y->port);
}

/* All entries with a GUID, or with a LID; two with the same one are refused. */
static bool sort(const struct listed *l, bool guids, struct index *index) {
  const struct loom_listed_port *port = l->list->port;
  int (*order)(const void *, const void *) = guids ? by_guid : by_lid;
  free(index->place);
  index->place = calloc((size_t)l->list->count + 1, sizeof *index->place);
  index->count = 0;
  if (!index->place)
    return no_memory(l);
  for (uint32_t i = 0; i < l->list->count; i++)
    if (guids ? port[i].key.guid != 0 : port[i].key.lid != 0)
      index->place[index->count++] = (struct place){.key = port[i].key, .entry = i};
  qsort(index->place, index->count, sizeof *index->place, order);
  for (const struct place *p = index->place + 1; p < index->place + index->count; p++) {
    size_t a = port[p[-1].entry].line, b = port[p->entry].line;
    if (order(p - 1, p) == 0)
      return loom_fail(l->err, l->file, a > b ? a : b, guids ? "guid" : "lid",
                       "this port stands in line %zu, too", a > b ? b : a);
  }
  return true;
}

/* The entry with a key; LOOM_TOPO_NONE: there is none. */
static uint32_t find(const struct listed *l, const struct loom_port_key *key) {
  const struct place wanted = {.key = *key};
  const struct index *index = key->guid ? &l->guids : &l->lids;
  const struct place *found =
      bsearch(&wanted, index->place, index->count, sizeof wanted, key->guid ? by_guid : by_lid);
  return found ? found->entry : LOOM_TOPO_NONE;
}

/* ---- ports that others name ------------------------------------------------------------------ */

static bool sort_all(struct listed *l) {
  return sort(l, true, &l->guids) && sort(l, false, &l->lids);
}

/* Whatever is at a cable and not in the list: the tool was asked for switches only. */
static bool add_unlisted(struct listed *l) {
  uint32_t listed = l->list->count;
  for (uint32_t i = 0; i < listed; i++) {
    const struct loom_listed_port near = l->list->port[i];
    if (!near.linked || find(l, &near.far) != LOOM_TOPO_NONE)
      continue;
    if (!near.far.guid && !near.far.lid)
      return loom_fail(l->err, l->file, near.line, "lid", "the peer has neither a LID nor a GUID");
    struct loom_listed_port *far = loom_port_list_add(l->list);
    if (!far)
      return no_memory(l);
    *far = (struct loom_listed_port){.line = near.line,
                                     .begins = true,
                                     .linked = true,
                                     .key = near.far,
                                     .far = near.key,
                                     .name = near.far_name};
  }
  return listed == l->list->count || sort_all(l);
}

/* ---- the fabric ------------------------------------------------------------------------------ */

/* Entries of the device that begins at entry i, and its highest port. */
static uint32_t measure(const struct listed *l, uint32_t i, uint32_t *ports) {
  uint32_t entries = 0;
  *ports = 0;
  do {
    const struct loom_port_key *key = &l->list->port[i + entries].key;
    *ports = key->port > *ports ? key->port : *ports;
    entries++;
  } while (i + entries < l->list->count && !l->list->port[i + entries].begins);
  return entries;
}

static bool add_device(struct listed *l, uint32_t i, uint32_t *entries) {
  const struct loom_listed_port *p = &l->list->port[i];
  uint32_t ports = 0;
  *entries = measure(l, i, &ports);
  uint32_t d = p->key.guid
                   ? loom_topo_add(l->t, p->is_switch ? LOOM_TOPO_SWITCH : LOOM_TOPO_HCA, ports,
                                   "%c-%016" PRIx64, p->is_switch ? 'S' : 'H', p->key.guid)
                   : loom_topo_add(l->t, LOOM_TOPO_HCA, ports, "LID %" PRIu32, p->key.lid);
  if (d == LOOM_TOPO_NONE)
    return no_memory(l);
  for (uint32_t j = 0; j < *entries; j++) {
    const struct loom_port_key *key = &l->list->port[i + j].key;
    uint32_t own = p->is_switch ? 0 : key->port;
    l->device[i + j] = d;
    if (key->port && key->port <= ports) {
      l->t->rate[l->t->device[d].first + key->port] = l->list->port[i + j].rate;
      l->t->guid[l->t->device[d].first + own] = key->guid;
      loom_topo_port(l->t, d, own)->lid = (uint16_t)key->lid;
    }
  }
  return true;
}

static bool add_devices(struct listed *l, struct loom_description *description) {
  uint32_t entries = 0;
  for (uint32_t i = 0; i < l->list->count; i += entries) {
    if (!add_device(l, i, &entries))
      return false;
    description[l->device[i]] = l->list->port[i].name;
  }
  return true;
}

static bool plug_cables(const struct listed *l) {
  for (uint32_t i = 0; i < l->list->count; i++) {
    const struct loom_listed_port *near = &l->list->port[i];
    if (!near->linked)
      continue;
    uint32_t far = find(l, &near->far);
    uint32_t lid = l->list->port[far].key.lid;
    if (near->far.lid != lid)
      return loom_fail(l->err, l->file, near->line, "lid",
                       "the peer has LID %" PRIu32 ", not %" PRIu32, lid, near->far.lid);
    struct loom_topo_port *port = loom_topo_port(l->t, l->device[i], near->key.port);
    port->device = l->device[far];
    port->port = (uint16_t)near->far.port;
  }
  return true;
}

/* The line of a port, or of a device's first one for port 0. */
static size_t line_of(const struct listed *l, uint32_t d, uint32_t port) {
  for (uint32_t i = 0; i < l->list->count; i++)
    if (l->device[i] == d && (!port || l->list->port[i].key.port == port))
      return l->list->port[i].line;
  return 0;
}

static bool judge(const struct listed *l) {
  struct loom_topo_verdict v = loom_topo_check(l->t);
  return v.fault == LOOM_TOPO_SOUND ||
         loom_refuse_cable(l->t, v, l->file, line_of(l, v.device, v.port), l->err);
}

static uint32_t room_for(const struct listed *l, uint32_t *devices) {
  uint32_t all = 0;
  uint32_t ports = 0;
  *devices = 0;
  for (uint32_t i = 0; i < l->list->count; ++*devices) {
    i += measure(l, i, &ports);
    all += ports + 1;
  }
  return all;
}

/* An empty fabric; false: out of memory. */
static bool make_room(struct listed *l, uint32_t devices, uint32_t ports) {
  l->device = calloc((size_t)l->list->count + 1, sizeof *l->device);
  l->t = loom_topo_create(devices, ports);
  if (!l->t || !l->device)
    return false;
  l->t->keep_lids = true;
  l->t->guid = calloc((size_t)ports + 1, sizeof *l->t->guid);
  l->t->rate = calloc((size_t)ports + 1, sizeof *l->t->rate);
  return l->t->guid && l->t->rate;
}

static bool build(struct listed *l) {
  uint32_t devices = 0;
  uint32_t ports = room_for(l, &devices);
  struct loom_description *description = calloc((size_t)devices + 1, sizeof *description);
  if (!description || !make_room(l, devices, ports)) {
    free(description);
    return no_memory(l);
  }
  bool ok = add_devices(l, description) && plug_cables(l) && judge(l) &&
            (loom_settle_discovered(l->t, description, NULL) || no_memory(l));
  free(description);
  return ok;
}

struct loom_topo *loom_port_list_fabric(struct loom_port_list *list, const char *file,
                                        struct loom_error *err) {
  struct listed l = {.list = list, .file = file, .err = err};
  bool ok = list->count ? sort_all(&l) && add_unlisted(&l) && build(&l)
                        : loom_fail(err, file, 0, "device", "the file has no device");
  free(l.device);
  free(l.guids.place);
  free(l.lids.place);
  if (ok)
    return l.t;
  loom_topo_destroy(l.t);
  return NULL;
}
