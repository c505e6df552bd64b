/* SPDX-License-Identifier: Apache-2.0 */
/* bits.h - small helpers for words used as sets of bits; also usable in the width expressions of
 * the lists */
#ifndef LOOM_BITS_H
#define LOOM_BITS_H

#include <stdint.h>

/* Bits needed to tell n things apart: the smallest w with 2^w >= n; 0 for n = 0 and n = 1. */
static inline uint32_t loom_clog2(uint64_t n) {
  return n <= 1 ? 0u : 64u - (uint32_t)__builtin_clzll(n - 1);
}

static inline uint32_t loom_max(uint32_t a, uint32_t b) { return a > b ? a : b; }

static inline uint32_t loom_min(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The word whose low n bits are set, n = 0..64. */
static inline uint64_t loom_mask(uint32_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

/* Place of the lowest set bit; x must not be 0. */
static inline uint32_t loom_ctz(uint64_t x) { return (uint32_t)__builtin_ctzll(x); }

static inline uint32_t loom_popcount(uint64_t x) { return (uint32_t)__builtin_popcountll(x); }

/* The first set bit of x at place p, p + 1, ... and then from 0; x must not be 0, p < 64. */
static inline uint32_t loom_ctz_from(uint64_t x, uint32_t p) {
  uint64_t ahead = x & (~0ull << p);
  return loom_ctz(ahead ? ahead : x);
}

/* A field of a word, by its name in a list (<loom/names.h>): what it holds, 32 bits at most or 64,
 * and the word of 32 or 64 bits that holds `value` in it, cut to its width, and 0 elsewhere. */
#define LOOM_GET(field, word)                                                                      \
  ((uint32_t)((word) >> field##_AT) & (UINT32_MAX >> (32 - field##_BITS)))
#define LOOM_GET64(field, word)                                                                    \
  ((uint64_t)(word) >> field##_AT & (UINT64_MAX >> (64 - field##_BITS)))
#define LOOM_PUT(field, value)                                                                     \
  (((uint32_t)(value) & (UINT32_MAX >> (32 - field##_BITS))) << field##_AT)
#define LOOM_PUT64(field, value)                                                                   \
  (((uint64_t)(value) & (UINT64_MAX >> (64 - field##_BITS))) << field##_AT)

/* Sets of any size: words of 64 members. */
enum { LOOM_SET_WORD = 64 };

static inline uint32_t loom_set_words(uint32_t members) {
  return (members + LOOM_SET_WORD - 1) / LOOM_SET_WORD;
}

static inline void loom_set_include(uint64_t *set, uint32_t member) {
  set[member / LOOM_SET_WORD] |= 1ull << member % LOOM_SET_WORD;
}

/* x turned left by n places, n = 0..63. */
static inline uint64_t loom_rotl(uint64_t x, uint32_t n) { return x << n | x >> ((64 - n) & 63); }

#endif
