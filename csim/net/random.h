/* random.h - random numbers of the fabric: splitmix64, by seed (docs/elan5.md) */
#ifndef LOOM_NET_RANDOM_H
#define LOOM_NET_RANDOM_H

#include <stdint.h>

static inline uint64_t loom_net_random(uint64_t *seed) {
  uint64_t x = *seed += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/* 0 .. n - 1 */
static inline uint32_t loom_net_below(uint64_t *seed, uint32_t n) {
  return (uint32_t)((loom_net_random(seed) >> 32) * n >> 32);
}

#endif
