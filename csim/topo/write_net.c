/* SPDX-License-Identifier: Apache-2.0 */
/* write_net.c - a fabric in ibsim's form (docs/formats.md; KN-10) */
#include <inttypes.h>

#include "topo/topo.h"

/* The number after `lid` pins the LID of an HCA's own port in ibsim; in a switch's line it is the
 * peer's, as ibnetdiscover prints it. */
static void write_port(const struct loom_topo *t, uint32_t d, uint32_t p, FILE *file) {
  const struct loom_topo_port *near = loom_topo_port(t, d, p);
  const char *peer = t->device[near->device].name;
  uint16_t lid =
      t->device[d].kind == LOOM_TOPO_HCA ? near->lid : loom_topo_lid(t, near->device, near->port);
  fprintf(file, "[%" PRIu32 "]\t\"%s\"[%u]\t# \"%s\" lid %u 4xQDR\n", p, peer, (unsigned)near->port,
          peer, (unsigned)lid);
}

static void write_device(const struct loom_topo *t, uint32_t d, FILE *file) {
  const struct loom_topo_device *device = &t->device[d];
  bool node = device->kind == LOOM_TOPO_HCA;
  uint16_t lid = loom_topo_port(t, d, 0)->lid;
  fprintf(file, "\n%s\t%" PRIu32 " \"%s\"", node ? "Hca" : "Switch", device->ports, device->name);
  if (!node && lid)
    fprintf(file, "\t# \"%s\" base port 0 lid %u lmc 0", device->name, (unsigned)lid);
  fputc('\n', file);
  for (uint32_t p = 1; p <= device->ports; p++)
    if (loom_topo_port(t, d, p)->device != LOOM_TOPO_NONE)
      write_port(t, d, p, file);
}

void loom_topo_write_net(const struct loom_topo *t, FILE *file) {
  fprintf(file, "# devices: %" PRIu32 "\n", t->devices);
  for (uint32_t d = 0; d < t->devices; d++)
    write_device(t, d, file);
}
