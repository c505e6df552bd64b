/* kns.c - the registers that both KNS devices have, written from docs/kns.md
 *
 * Inside: kns_node, and kns_switch. */
#include "kns/kns.h"

enum { ADDRESS_MASK = 0xFFFF, ON_BIT = 16 };

void loom_kns_write(struct loom_switch *core, uint32_t addr, uint32_t data) {
  struct loom_kns *s = (struct loom_kns *)core;
  if (addr != LOOM_KNS_ADDRESS)
    return;
  s->address = data & ADDRESS_MASK;
  s->on = data >> ON_BIT & 1;
}

uint32_t loom_kns_read(const struct loom_switch *core, uint32_t addr) {
  const struct loom_kns *s = (const struct loom_kns *)core;
  return addr == LOOM_KNS_ADDRESS ? (uint32_t)s->on << ON_BIT | s->address : 0;
}
