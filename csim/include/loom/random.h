/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - random numbers by seed: splitmix64 (public domain), the same everywhere */
#ifndef LOOM_RANDOM_H
#define LOOM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* x scrambled, so that each of its bits turns about half of the bits of the result. */
static inline uint64_t loom_scramble(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/* The next 64 bits. Any seed will do; it moves on. */
static inline uint64_t loom_random(uint64_t *seed) {
  return loom_scramble(*seed += 0x9E3779B97F4A7C15ull);
}

/* 0 .. n - 1; 0 for n = 0. */
static inline uint32_t loom_below(uint64_t *seed, uint32_t n) {
  return (uint32_t)((loom_random(seed) >> 32) * n >> 32);
}

/* True in so many of 100 cases. */
static inline bool loom_chance(uint64_t *seed, uint32_t percent) {
  return loom_below(seed, 100) < percent;
}

#endif
