/* SPDX-License-Identifier: Apache-2.0 */
/* rng.c - random numbers of the bench: xoshiro256** seeded by splitmix64 (both public domain) */
#include <loom/random.h>

#include "tb/cosim/cosim.h"

void rng_seed(struct rng *r, uint64_t seed) {
  for (int i = 0; i < 4; i++)
    r->s[i] = loom_random(&seed);
}

static uint64_t turn(uint64_t x, int n) { return x << n | x >> (64 - n); }

uint64_t rng_next(struct rng *r) {
  uint64_t *s = r->s;
  uint64_t result = turn(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = turn(s[3], 45);
  return result;
}

uint32_t rng_below(struct rng *r, uint32_t n) {
  return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

uint32_t rng_range(struct rng *r, uint32_t lo, uint32_t hi) {
  return lo + rng_below(r, hi - lo + 1);
}

bool rng_chance(struct rng *r, uint32_t num) { return (rng_next(r) >> 56) < num; }

uint64_t rng_bits(struct rng *r, uint32_t bits, uint32_t density) {
  uint64_t x = rng_next(r);
  uint64_t keep = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  /* Eight coin flips a bit, lowest digit of the density first: and for a 0, or for a 1. */
  if (density >= 256)
    return keep;
  if (density == 128)
    return x & keep;
  uint64_t y = 0;
  for (int i = 0; i < 8; i++) {
    uint64_t coin = rng_next(r);
    y = (density >> i) & 1 ? y | coin : y & coin;
  }
  return y & keep;
}
