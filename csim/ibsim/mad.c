/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/mad.h"

#include <loom/bits.h>

struct place {
  uint8_t byte, bit, bits;
};

static const struct place places[LOOM_MAD_FIELD_COUNT] = {
#define LOOM_MAD_PLACE(name, byte, bit, bits) [LOOM_##name] = {byte, bit, bits},
    LOOM_MAD_FIELDS(LOOM_MAD_PLACE)
#undef LOOM_MAD_PLACE
};

/* No field is wider than 64 bits, and those that begin within a byte end in it. */
uint64_t loom_mad_get(const uint8_t *at, enum loom_mad_field field) {
  const struct place *p = &places[field];
  uint32_t bytes = (p->bit + p->bits + 7u) / 8;
  uint64_t value = 0;
  for (uint32_t i = 0; i < bytes; i++)
    value = value << 8 | at[p->byte + i];
  return value >> (bytes * 8 - p->bit - p->bits) & loom_mask(p->bits);
}

void loom_mad_put(uint8_t *at, enum loom_mad_field field, uint64_t value) {
  const struct place *p = &places[field];
  uint32_t bytes = (p->bit + p->bits + 7u) / 8, up = bytes * 8 - p->bit - p->bits;
  uint64_t mask = loom_mask(p->bits) << up;
  value = value << up & mask;
  for (uint32_t i = bytes; i--; value >>= 8, mask >>= 8)
    at[p->byte + i] = (uint8_t)((at[p->byte + i] & ~mask) | value);
}

void loom_mad_put_most(uint8_t *at, enum loom_mad_field field, uint64_t value) {
  uint64_t most = loom_mask(places[field].bits);
  loom_mad_put(at, field, value < most ? value : most);
}
