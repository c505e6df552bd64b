/* SPDX-License-Identifier: Apache-2.0 */
/* kns_place.c - the rule of addresses, and the registers that say where a device is, written from
 * docs/kns.md
 *
 * Inside: kns_node, kns_switch, and crossbar_switch. */
#include "switch/kns_place.h"

#include <string.h>

#include <loom/switch_registers.h>

bool loom_kns_fits(uint32_t hosts, uint32_t dims, uint32_t w) {
  return loom_clog2(hosts) + dims * w <= LOOM_KNS_ADDRESS_BITS;
}

void loom_kns_place_init(struct loom_kns_place *s, enum loom_kns_kind kind, uint32_t hosts,
                         uint32_t dims, uint32_t w) {
  memset(s, 0, sizeof *s);
  s->kind = kind;
  s->hosts = hosts;
  s->dims = dims;
  s->w = w;
  s->hw = loom_clog2(hosts);
}

/* ---- the rule -------------------------------------------------------------------------------- */

static uint32_t coordinate(const struct loom_kns_place *s, uint32_t dest, uint32_t d) {
  return dest >> (s->hw + d * s->w) & (uint32_t)loom_mask(s->w);
}

/* 0 if there is only one. */
static uint32_t host(const struct loom_kns_place *s, uint32_t dest) {
  return dest & (uint32_t)loom_mask(s->hw);
}

/* The device is on and `dest` is one of its fabric. */
static bool is_here(const struct loom_kns_place *s, uint32_t dest) {
  return s->on && (dest ^ s->address) >> (s->hw + s->dims * s->w) == 0;
}

/* The first dimension in which the packet is not yet where it should be, else its host (KN-02). */
static bool node_finds(const struct loom_kns_place *s, uint32_t dest, uint32_t *out) {
  for (uint32_t d = 0; d < s->dims; d++)
    if (coordinate(s, dest ^ s->address, d)) {
      *out = s->hosts + d;
      return true;
    }
  *out = host(s, dest);
  return *out < s->hosts;
}

/* The node with the right coordinate in the dimension of the switch (KN-02). */
static bool switch_finds(const struct loom_kns_place *s, uint32_t dest, uint32_t *out) {
  if (s->dimension >= s->dims)
    return false;
  *out = coordinate(s, dest, s->dimension);
  return true;
}

bool loom_kns_place_finds(const struct loom_kns_place *s, uint32_t dest, uint32_t *out) {
  if (!is_here(s, dest))
    return false;
  return s->kind == LOOM_KNS_NODE ? node_finds(s, dest, out) : switch_finds(s, dest, out);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* A node is in no dimension: its register stays 0. */
void loom_kns_place_write(struct loom_kns_place *s, uint32_t addr, uint32_t data) {
  if (addr == LOOM_KNS_REG_ADDRESS) {
    s->address = LOOM_GET(LOOM_KNS_REG_ADDRESS_ADDRESS, data);
    s->on = LOOM_GET(LOOM_KNS_REG_ADDRESS_ON, data);
  } else if (addr == LOOM_KNS_REG_DIMENSION && s->kind == LOOM_KNS_SWITCH) {
    s->dimension = LOOM_GET(LOOM_KNS_REG_DIMENSION_DIMENSION, data);
  }
}

uint32_t loom_kns_place_read(const struct loom_kns_place *s, uint32_t addr) {
  if (addr == LOOM_KNS_REG_ADDRESS)
    return LOOM_PUT(LOOM_KNS_REG_ADDRESS_ON, s->on) |
           LOOM_PUT(LOOM_KNS_REG_ADDRESS_ADDRESS, s->address);
  return addr == LOOM_KNS_REG_DIMENSION ? s->dimension : 0;
}
