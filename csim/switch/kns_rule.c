/* SPDX-License-Identifier: Apache-2.0 */
/* kns_rule.c - parameters and registers that both KNS devices have, written from docs/kns.md
 *
 * Inside: kns_node, and kns_switch. */
#include "switch/kns_rule.h"

#include <string.h>

bool loom_kns_cfg_ok(const struct loom_switch_cfg *core, uint32_t hosts, uint32_t dims,
                     uint32_t w) {
  return loom_switch_cfg_ok(core) && loom_clog2(hosts) + dims * w <= LOOM_KNS_ADDRESS_BITS;
}

void loom_kns_init(struct loom_kns *s, const struct loom_switch_cfg *core, uint32_t hosts,
                   uint32_t dims, uint32_t w, void *storage) {
  memset(s, 0, sizeof *s);
  loom_switch_init(&s->core, core, storage);
  s->hosts = hosts;
  s->dims = dims;
  s->w = w;
  s->hw = loom_clog2(hosts);
}

void loom_kns_write(struct loom_switch *core, uint32_t addr, uint32_t data) {
  struct loom_kns *s = (struct loom_kns *)core;
  if (addr != LOOM_KNS_REG_ADDRESS)
    return;
  s->address = LOOM_GET(LOOM_KNS_REG_ADDRESS_ADDRESS, data);
  s->on = LOOM_GET(LOOM_KNS_REG_ADDRESS_ON, data);
}

uint32_t loom_kns_read(const struct loom_switch *core, uint32_t addr) {
  const struct loom_kns *s = (const struct loom_kns *)core;
  if (addr != LOOM_KNS_REG_ADDRESS)
    return 0;
  return LOOM_PUT(LOOM_KNS_REG_ADDRESS_ON, s->on) |
         LOOM_PUT(LOOM_KNS_REG_ADDRESS_ADDRESS, s->address);
}
