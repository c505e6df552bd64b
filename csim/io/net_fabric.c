/* SPDX-License-Identifier: Apache-2.0 */
#include "io/net_fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/read_net.h"

static bool has_lid(const struct loom_topo *t) {
  for (uint32_t i = 0; i < t->ports; i++)
    if (t->port[i].lid)
      return true;
  return false;
}

uint32_t loom_net_lids(const struct loom_topo *t) {
  uint32_t lids = 0;
  for (uint32_t d = 0; d < t->devices; d++) {
    bool hca = t->device[d].kind == LOOM_TOPO_HCA;
    lids += !hca;
    for (uint32_t p = 1; hca && p <= t->device[d].ports; p++)
      lids += loom_topo_port(t, d, p)->device != LOOM_TOPO_NONE;
  }
  return lids;
}

/* Coordinates from the end of a switch's name, `S1-0-2`: a file has no others. */
static void place(struct loom_topo *t, uint32_t d) {
  const char *at = t->device[d].name;
  uint32_t coord[LOOM_TOPO_COORDS] = {0};
  uint32_t count = 0;
  at += strcspn(at, "0123456789");
  while (*at && count < LOOM_TOPO_COORDS) {
    size_t digits = strspn(at, "0123456789");
    if (!digits || digits > 7 || (at[digits] && at[digits] != '-'))
      return;
    coord[count++] = (uint32_t)strtoul(at, NULL, 10);
    at += digits + (at[digits] == '-');
  }
  if (!*at)
    loom_topo_place(t, d, count, coord);
}

/* A fabric of a generator that has too many devices for LIDs is written without any. */
static bool number(struct loom_topo *t, const char *name, struct loom_error *err) {
  if (has_lid(t))
    return true;
  loom_topo_number(t);
  uint32_t lids = loom_net_lids(t);
  return lids <= LOOM_TOPO_LID_MAX ||
         loom_fail(err, name, 0, "lid", "the fabric needs %" PRIu32 " LIDs, there are %d", lids,
                   LOOM_TOPO_LID_MAX);
}

struct loom_topo *loom_net_fabric(const struct loom_source *src, struct loom_error *err) {
  struct loom_topo *t = loom_read_net(src, err);
  if (t && !number(t, src->name, err)) {
    loom_topo_destroy(t);
    return NULL;
  }
  for (uint32_t d = 0; t && d < t->devices; d++)
    if (t->device[d].kind == LOOM_TOPO_SWITCH)
      place(t, d);
  return t;
}
