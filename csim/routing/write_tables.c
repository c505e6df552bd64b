/* SPDX-License-Identifier: Apache-2.0 */
/* write_tables.c - forwarding tables and SL2VL tables as text, in OpenSM's forms (docs/formats.md)
 */
#include <inttypes.h>
#include <stdlib.h>

#include "routing/engine.h"

/* ibsim's GUIDs: a switch takes one, an HCA one and one for each port. */
enum { GUID_HCA = 0x100000, GUID_SWITCH = 0x200000 };

static uint64_t switch_guid(const struct loom_routing *r, uint32_t row) {
  uint64_t guid = loom_topo_guid(r->topo, r->device[row], 0);
  return guid ? guid : (uint64_t)GUID_SWITCH + row;
}

static void write_target(const struct loom_routing *r, uint32_t lid, const uint64_t *guid,
                         FILE *file) {
  uint32_t row = r->row_of[lid];
  uint32_t end = r->end_of[lid];
  if (row != LOOM_TOPO_NONE)
    fprintf(file, "Switch portguid 0x%016" PRIx64 ": '%s'", switch_guid(r, row),
            loom_routing_name(r, row));
  else if (end != LOOM_TOPO_NONE)
    fprintf(file, "Channel Adapter portguid 0x%016" PRIx64 ": '%s'", guid[end],
            r->topo->device[r->end[end].device].name);
  else
    fputs("unknown node and type", file);
  fputc('\n', file);
}

static void write_table(const struct loom_routing *r, uint32_t row, const uint64_t *guid,
                        FILE *file) {
  fprintf(file,
          "Unicast lids [0-%" PRIu32 "] of switch Lid %" PRIu32 " guid 0x%016" PRIx64 " ('%s'):\n",
          r->lids - 1, loom_routing_switch_lid(r, row), switch_guid(r, row),
          loom_routing_name(r, row));
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    uint8_t port = loom_routing_out(r, row, lid);
    if (port == LOOM_ROUTING_UNREACHABLE)
      continue;
    fprintf(file, "0x%04" PRIx32 " %03u # ", lid, (unsigned)port);
    write_target(r, lid, guid, file);
  }
  fprintf(file, "%" PRIu32 " lids dumped\n", r->lids - 1);
}

/* GUIDs of the ends. */
static uint64_t *number_ends(const struct loom_routing *r) {
  uint64_t *guid = calloc((size_t)r->ends + 1, sizeof *guid);
  uint64_t next = GUID_HCA;
  uint32_t e = 0;
  for (uint32_t d = 0; guid && d < r->topo->devices; d++) {
    if (r->topo->device[d].kind != LOOM_TOPO_HCA)
      continue;
    for (; e < r->ends && r->end[e].device == d; e++) {
      uint64_t known = loom_topo_guid(r->topo, d, r->end[e].port);
      guid[e] = known ? known : next + r->end[e].port;
    }
    next += r->topo->device[d].ports + 1;
  }
  return guid;
}

bool loom_routing_write_lfts(const struct loom_routing *r, FILE *file) {
  uint64_t *guid = number_ends(r);
  if (!guid)
    return false;
  for (uint32_t row = 0; row < r->switches; row++)
    write_table(r, row, guid, file);
  free(guid);
  return true;
}

/* ---- SL2VL ----------------------------------------------------------------------------------- */

static const char rule[] = "#--------------------------------------------------------\n";

static void write_sl2vl(const struct loom_routing *r, uint32_t row, uint32_t in, uint32_t out,
                        FILE *file) {
  fprintf(file, "%-3" PRIu32 " %-3" PRIu32 " :", in, out);
  for (uint32_t sl = 0; sl < 16; sl++)
    fprintf(file, " %-2" PRIu32, loom_routing_layer(r, row, in, out, sl % r->classes, 0));
  fputc('\n', file);
}

bool loom_routing_write_sl2vl(const struct loom_routing *r, FILE *file) {
  if (r->layering == LOOM_ROUTING_LAYER_TURN)
    return false;
  for (uint32_t row = 0; row < r->switches; row++) {
    fprintf(file,
            "Switch 0x%016" PRIx64 ", base LID %" PRIu32 ", \"%s\"\n"
            "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n%s",
            (uint64_t)GUID_SWITCH + row, loom_routing_switch_lid(r, row), loom_routing_name(r, row),
            rule);
    for (uint32_t out = 0; out <= loom_routing_ports(r, row); out++)
      for (uint32_t in = 0; in <= loom_routing_ports(r, row); in++)
        if (out && loom_routing_port(r, row, out)->device != LOOM_TOPO_NONE)
          write_sl2vl(r, row, in, out, file);
    fprintf(file, "%s\n\n", rule);
  }
  return true;
}

/* ---- opensm.conf ----------------------------------------------------------------------------- */

/* The layer of a class is the same at all ports. */
static bool is_uniform(const struct loom_routing *r) {
  size_t turns = (size_t)r->switches * r->ports * r->ports;
  if (r->layering != LOOM_ROUTING_LAYER_PATH)
    return r->layering == LOOM_ROUTING_LAYER_NONE;
  for (size_t i = 0; i < turns * r->classes; i++)
    if (r->layer[i] != r->layer[i % r->classes])
      return false;
  return true;
}

static void write_list(const struct loom_routing *r, const char *option, uint32_t weight,
                       FILE *file) {
  fputs(option, file);
  for (uint32_t vl = 0; vl < r->layers; vl++)
    fprintf(file, "%c%" PRIu32 ":%" PRIu32, vl ? ',' : ' ', vl, weight);
  fputc('\n', file);
}

bool loom_routing_write_conf(const struct loom_routing *r, FILE *file) {
  if (!is_uniform(r))
    return false;
  fprintf(file, "# options: 6\nqos TRUE\nqos_max_vls %" PRIu32 "\nqos_high_limit 4\n", r->layers);
  write_list(r, "qos_vlarb_high", 64, file);
  write_list(r, "qos_vlarb_low", 4, file);
  fputs("qos_sl2vl", file);
  for (uint32_t sl = 0; sl < 16; sl++)
    fprintf(file, "%c%" PRIu32, sl ? ',' : ' ', loom_routing_layer(r, 0, 0, 0, sl % r->classes, 0));
  fputc('\n', file);
  return true;
}
