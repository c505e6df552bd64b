/* SPDX-License-Identifier: Apache-2.0 */
/* kns_rule.c - the part of both KNS devices in a family of switches, written from docs/kns.md
 *
 * Inside: kns_node, and kns_switch. */
#include "switch/kns_rule.h"

bool loom_kns_lookup(const struct loom_switch *core, uint32_t dest, uint32_t *out) {
  return loom_kns_place_finds(&((const struct loom_kns *)core)->place, dest, out);
}

void loom_kns_write(struct loom_switch *core, uint32_t addr, uint32_t data) {
  loom_kns_place_write(&((struct loom_kns *)core)->place, addr, data);
}

uint32_t loom_kns_read(const struct loom_switch *core, uint32_t addr) {
  return loom_kns_place_read(&((const struct loom_kns *)core)->place, addr);
}
