/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_route_path.c - `loom route path`: the links from a node to others, one after the other
 * (docs/route.md) */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_route.h"
#include "io/output.h"
#include "routing/check.h"

struct way {
  const struct loom_routing *r;
  const struct loom_streams *io;
  const char *command;
  uint32_t end;
  uint32_t *row; /* switches on the way, and their ports out */
  uint8_t *port;
  bool lost; /* something did not arrive */
};

/* A link, from a port to a port. */
struct link {
  uint32_t device;
  uint32_t port;
  uint32_t layer;
};

/* ---- which ----------------------------------------------------------------------------------- */

static const char *device_name(const struct loom_routing *r, uint32_t device) {
  return r->topo->device[device].name;
}

static uint32_t owner_of(const struct loom_routing *r, uint32_t lid) {
  if (lid >= r->lids)
    return LOOM_TOPO_NONE;
  if (r->row_of[lid] != LOOM_TOPO_NONE)
    return r->device[r->row_of[lid]];
  return r->end_of[lid] != LOOM_TOPO_NONE ? r->end[r->end_of[lid]].device : LOOM_TOPO_NONE;
}

/* A GUID as the tools of a subnet print it, `0x2c90000000002`; 0: it is none. */
static uint64_t guid_of(const char *text) {
  char *end = NULL;
  bool hex = text[0] == '0' && text[1] == 'x';
  uint64_t guid = hex ? strtoull(text, &end, 16) : 0;
  return hex && !*end ? guid : 0;
}

/* The LID of the device, or the port, that has a GUID; 0: none. */
static uint32_t find_guid(const struct loom_routing *r, uint64_t guid) {
  for (uint32_t lid = 1; guid && lid < r->lids; lid++) {
    uint32_t device = owner_of(r, lid), end = r->end_of[lid];
    if (device != LOOM_TOPO_NONE &&
        (loom_topo_guid(r->topo, device, 0) == guid ||
         (end != LOOM_TOPO_NONE && loom_topo_guid(r->topo, device, r->end[end].port) == guid)))
      return lid;
  }
  return 0;
}

/* The LID that a name, a GUID or a number stands for; 0: none. */
static uint32_t find_lid(const struct loom_routing *r, const char *text) {
  for (uint32_t lid = 1; lid < r->lids; lid++) {
    uint32_t device = owner_of(r, lid);
    if (device != LOOM_TOPO_NONE && !strcmp(device_name(r, device), text))
      return lid;
  }
  size_t digits = strspn(text, "0123456789");
  if (!digits || digits > 5 || text[digits])
    return find_guid(r, guid_of(text));
  uint32_t lid = (uint32_t)strtoul(text, NULL, 10);
  return owner_of(r, lid) != LOOM_TOPO_NONE ? lid : 0;
}

/* ---- one way --------------------------------------------------------------------------------- */

static const struct loom_topo_port *peer_of(const struct loom_routing *r, const struct link *l) {
  return loom_topo_port(r->topo, l->device, l->port);
}

/* Switches on the way; a node at the other end of the cable is reached without any. */
static uint32_t walk(struct way *w, uint32_t lid, bool *arrived) {
  const struct loom_routing_end *from = &w->r->end[w->end];
  const struct loom_topo_port *cable = loom_topo_port(w->r->topo, from->device, from->port);
  uint32_t to = w->r->end_of[lid];
  uint32_t steps = loom_routing_walk(w->r, w->end, lid, w->row, w->port);
  *arrived = steps || (to != LOOM_TOPO_NONE && w->r->end[to].device == cable->device &&
                       w->r->end[to].port == cable->port);
  return steps;
}

static struct link first_link(const struct way *w, uint32_t class) {
  bool path = w->r->layering == LOOM_ROUTING_LAYER_PATH;
  return (struct link){.device = w->r->end[w->end].device,
                       .port = w->r->end[w->end].port,
                       .layer = path ? w->r->inject[class] : 0};
}

/* The link out of switch number `step`, after `last`. */
static struct link next_link(const struct way *w, uint32_t step, const struct link *last,
                             uint32_t class) {
  uint32_t in = peer_of(w->r, last)->port;
  uint32_t out = w->port[step];
  uint32_t layer = loom_routing_layer(w->r, w->row[step], in, out, class, last->layer);
  return (struct link){.device = w->r->device[w->row[step]], .port = out, .layer = layer};
}

static void print_link(struct loom_output *output, const struct loom_routing *r,
                       const struct link *l) {
  fprintf(output->file, "  %s[%" PRIu32 "] -> %s[%" PRIu32 "], layer %" PRIu32 "\n",
          device_name(r, l->device), l->port, device_name(r, peer_of(r, l)->device),
          (uint32_t)peer_of(r, l)->port, l->layer);
}

static void add_link(json_t *list, const struct loom_routing *r, const struct link *l) {
  json_array_append_new(list,
                        json_pack("{sssisssisi}", "device", device_name(r, l->device), "port",
                                  (int)l->port, "peer", device_name(r, peer_of(r, l)->device),
                                  "peer_port", (int)peer_of(r, l)->port, "layer", (int)l->layer));
}

static void show_link(struct loom_output *output, json_t *list, const struct loom_routing *r,
                      const struct link *l) {
  if (list)
    add_link(list, r, l);
  else
    print_link(output, r, l);
}

/* Into `paths` if it is there, else as text. */
static void show_way(struct way *w, uint32_t lid, struct loom_output *output, json_t *paths) {
  bool arrived = false;
  uint32_t class = loom_routing_class(w->r, w->end, lid);
  uint32_t steps = walk(w, lid, &arrived);
  json_t *list = paths ? json_array() : NULL;
  struct link l = first_link(w, class);
  const char *from = device_name(w->r, l.device);
  const char *to = device_name(w->r, owner_of(w->r, lid));
  if (!paths)
    fprintf(output->file, "%s to %s, LID %" PRIu32 ", class %" PRIu32 "%s\n", from, to, lid, class,
            arrived ? "" : ": does not arrive");
  if (arrived)
    show_link(output, list, w->r, &l);
  for (uint32_t i = 0; i < steps && w->port[i]; i++) {
    l = next_link(w, i, &l, class);
    show_link(output, list, w->r, &l);
  }
  if (paths)
    json_array_append_new(paths, json_pack("{sssssisiso}", "from", from, "to", to, "lid", (int)lid,
                                           "class", (int)class, "links", list));
  w->lost |= !arrived;
}

/* ---- all ways -------------------------------------------------------------------------------- */

static bool is_other_node(const struct way *w, uint32_t lid) {
  uint32_t to = w->r->end_of[lid];
  return to != LOOM_TOPO_NONE && w->r->end[to].device != w->r->end[w->end].device;
}

static int show(struct way *w, uint32_t lid, bool json) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(w->io, w->command, "output", "out of memory");
  json_t *paths = json ? json_array() : NULL;
  if (lid)
    show_way(w, lid, &output, paths);
  for (uint32_t other = 1; !lid && other < w->r->lids; other++)
    if (is_other_node(w, other))
      show_way(w, other, &output, paths);
  if (json) {
    json_dumpf(paths, output.file, JSON_INDENT(2));
    fputc('\n', output.file);
    json_decref(paths);
  }
  int status = loom_output_print(&output, w->io, w->command);
  return status == LOOM_EXIT_DONE && w->lost ? LOOM_EXIT_FAILED : status;
}

int loom_route_path(const struct loom_routing *r, const char *from, const char *to, bool json,
                    const char *command, const struct loom_streams *io) {
  struct way w = {.r = r, .io = io, .command = command};
  uint32_t start = find_lid(r, from);
  uint32_t lid = to ? find_lid(r, to) : 0;
  if (!start || r->end_of[start] == LOOM_TOPO_NONE)
    return loom_refuse(io, command, "SRC", "`%.63s` is no node of the fabric", from);
  if (to && !lid)
    return loom_refuse(io, command, "DST", "`%.63s` is no device of the fabric", to);
  w.end = r->end_of[start];
  w.row = calloc(r->switches, sizeof *w.row);
  w.port = calloc(r->switches, sizeof *w.port);
  int status =
      w.row && w.port ? show(&w, lid, json) : loom_refuse(io, command, "output", "out of memory");
  free(w.row);
  free(w.port);
  return status;
}
