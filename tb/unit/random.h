/* random.h - random numbers of the unit tests: splitmix64 */
#ifndef LOOM_TB_UNIT_RANDOM_H
#define LOOM_TB_UNIT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* A word scrambled so that each bit of x turns half of its bits. */
static inline uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

static inline uint64_t rnd(uint64_t *seed) { return scramble(*seed += 0x9E3779B97F4A7C15ull); }

/* 0 .. n - 1 */
static inline uint32_t below(uint64_t *seed, uint32_t n) {
  return (uint32_t)((rnd(seed) >> 32) * n >> 32);
}

static inline bool chance(uint64_t *seed, uint32_t percent) { return below(seed, 100) < percent; }

#endif
