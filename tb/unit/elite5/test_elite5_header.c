/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_header.c - the words on an Elite5 link (csim/elite5/elite5_header.h) against what
 * docs/elite5.md says: every field by its bits, the CRC by the part that makes it in a circuit
 *
 * The requirement of a test stands above it. The literal words were made apart from Loom.
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "elite5/elite5_header.h"
#include "parts/crc16.h"

enum { ROUNDS = 5000 };

/* Types with the layout of a first word and with that of a continuation. */
static const uint8_t first_types[] = {0, 1, 2}, continuation_types[] = {3, 4, 6};

static struct loom_elite5_first random_first(uint64_t *seed) {
  return (struct loom_elite5_first){.type = first_types[loom_below(seed, 3)],
                                    .prio = (uint8_t)loom_below(seed, 4),
                                    .vc = (uint8_t)loom_below(seed, 32),
                                    .len = (uint8_t)loom_below(seed, 249),
                                    .dest = (uint16_t)loom_below(seed, 1 << 16),
                                    .ts = (uint16_t)loom_below(seed, 1 << 14)};
}

static struct loom_elite5_continuation random_continuation(uint64_t *seed) {
  return (struct loom_elite5_continuation){.type = continuation_types[loom_below(seed, 3)],
                                           .vc = (uint8_t)loom_below(seed, 32),
                                           .len = (uint8_t)loom_below(seed, 253),
                                           .payload = (uint32_t)loom_random(seed)};
}

/* The CRC-16 of the first `bytes` bytes of a word, by the twin of the circuit, a byte a clock. */
static uint32_t crc_by_part(uint64_t word, uint32_t bytes) {
  struct loom_crc16 s;
  struct loom_crc16_cfg cfg;
  struct loom_crc16_out out;
  loom_crc16_defaults(&cfg);
  loom_crc16_init(&s, &cfg);
  for (uint32_t i = 0; i < bytes; i++) {
    const struct loom_crc16_in in = {.valid = 1, .bytes = 1, .data = word << 8 * i};
    loom_crc16_step(&s, &in, &out);
  }
  const struct loom_crc16_in look = {0};
  loom_crc16_step(&s, &look, &out);
  return (uint32_t)out.crc;
}

/* ---- layout ---------------------------------------------------------------------------------- */

/* E5-06: type[3] prio[2] vc[5] len[8] dest[16] ts[14] crc16[16], most significant bit first. */
static void the_first_word_has_each_field_at_its_bits(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    struct loom_elite5_first h = random_first(&seed);
    uint64_t w = loom_elite5_pack_first(&h);
    assert_int_equal(w >> 61, h.type);
    assert_int_equal(w >> 59 & 3, h.prio);
    assert_int_equal(w >> 54 & 31, h.vc);
    assert_int_equal(w >> 46 & 255, h.len);
    assert_int_equal(w >> 30 & 0xFFFF, h.dest);
    assert_int_equal(w >> 16 & 0x3FFF, h.ts);
  }
}

/* E5-06: type[3] vc[5] len[8] crc16[16], then 32 bits of payload. */
static void a_continuation_has_each_field_at_its_bits(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    struct loom_elite5_continuation h = random_continuation(&seed);
    uint64_t w = loom_elite5_pack_continuation(&h);
    assert_int_equal(w >> 61, h.type);
    assert_int_equal(w >> 56 & 31, h.vc);
    assert_int_equal(w >> 48 & 255, h.len);
    assert_int_equal(w & 0xFFFFFFFF, h.payload);
  }
}

/* E5-06: type[3] = 7, sub[5] info[40] crc16[16]. */
static void a_link_control_word_has_each_field_at_its_bits(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    uint32_t sub = loom_below(&seed, 3);
    uint64_t info = loom_random(&seed) >> 24,
             w = loom_elite5_control((enum loom_elite5_sub)sub, info);
    assert_int_equal(w >> 61, 7);
    assert_int_equal(w >> 56 & 31, sub);
    assert_true((w >> 16 & 0xFFFFFFFFFF) == info);
    assert_int_equal(w & 0xFFFF, crc_by_part(w, 6));
  }
}

/* E5-06: a field beyond its width touches none of its neighbours. */
static void fields_are_cut_to_their_width(void **state) {
  (void)state;
  const struct loom_elite5_first wide = {8 | 1, 4 | 2, 32 | 5, 17, 0x1234, 0x4000 | 0x0ABC},
                                 cut = {1, 2, 5, 17, 0x1234, 0x0ABC};
  assert_true(loom_elite5_pack_first(&wide) == loom_elite5_pack_first(&cut));
  const struct loom_elite5_continuation beyond = {8 | 3, 32 | 9, 20, 7}, inside = {3, 9, 20, 7};
  assert_true(loom_elite5_pack_continuation(&beyond) == loom_elite5_pack_continuation(&inside));
  assert_true(loom_elite5_control(LOOM_ELITE5_READY, 1ull << 40 | 3) ==
              loom_elite5_control(LOOM_ELITE5_READY, 3));
}

/* E5-06. */
static void packed_words_unpack_to_what_they_were(void **state) {
  (void)state;
  uint64_t seed = 9;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    struct loom_elite5_first f = random_first(&seed), g;
    assert_true(loom_elite5_unpack_first(&g, loom_elite5_pack_first(&f)));
    assert_true(f.type == g.type && f.prio == g.prio && f.vc == g.vc && f.len == g.len);
    assert_true(f.dest == g.dest && f.ts == g.ts);
    struct loom_elite5_continuation c = random_continuation(&seed), d;
    assert_true(loom_elite5_unpack_continuation(&d, loom_elite5_pack_continuation(&c)));
    assert_true(c.type == d.type && c.vc == d.vc && c.len == d.len && c.payload == d.payload);
    uint32_t sub;
    uint64_t sent = loom_random(&seed) >> 24, info;
    assert_true(loom_elite5_unpack_control(&sub, &info, loom_elite5_control(i % 3, sent)));
    assert_int_equal(sub, i % 3);
    assert_true(info == sent);
  }
}

/* E5-06: the fields are read also where the CRC is wrong. */
static void words_with_a_wrong_crc_are_unpacked_all_the_same(void **state) {
  (void)state;
  struct loom_elite5_first f;
  assert_false(loom_elite5_unpack_first(&f, 0x14590E970F0F1158));
  assert_true(f.type == 0 && f.prio == 2 && f.vc == 17 && f.len == 100);
  assert_true(f.dest == 0x3A5C && f.ts == 0x0F0F);
  struct loom_elite5_continuation c;
  assert_false(loom_elite5_unpack_continuation(&c, 0x69FC822F01234567));
  assert_true(c.type == 3 && c.vc == 9 && c.len == 252 && c.payload == 0x01234567);
  uint32_t sub;
  uint64_t info;
  assert_false(loom_elite5_unpack_control(&sub, &info, 0xE1ABCD120000A133));
  assert_int_equal(sub, 1);
  assert_true(info == 0xABCD120000);
}

/* E5-06. */
static void the_type_of_a_word_says_what_it_is(void **state) {
  (void)state;
  for (uint64_t type = 0; type < 8; type++) {
    uint64_t w = type << 61 | 0x1FFFFFFFFFFFFFFF;
    assert_int_equal(loom_elite5_type_of(w), type);
    assert_int_equal(loom_elite5_is_continuation(w), type == 3 || type == 4 || type == 6);
  }
}

/* ---- CRC ------------------------------------------------------------------------------------- */

/* E5-07. */
static void first_words_made_elsewhere_are_the_same(void **state) {
  (void)state;
  static const struct {
    struct loom_elite5_first h;
    uint64_t word;
  } listed[] = {{{0, 0, 0, 0, 0, 0}, 0x0000000000000E10},
                {{1, 3, 31, 248, 0xFFFF, 0x3FFF}, 0x3FFE3FFFFFFF3E0A},
                {{2, 1, 5, 16, 0x8123, 0x1234}, 0x49442048D234325C},
                {{0, 2, 17, 100, 0x3A5C, 0x0F0F}, 0x14590E970F0F1159},
                {{1, 0, 28, 8, 0x00FF, 0x0001}, 0x2702003FC001583B},
                {{5, 1, 1, 1, 0x0001, 0x0001}, 0xA840400040018063}};
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
    assert_true(loom_elite5_pack_first(&listed[i].h) == listed[i].word);
    assert_true(loom_elite5_crc_ok(listed[i].word));
  }
}

/* E5-07. */
static void continuations_made_elsewhere_are_the_same(void **state) {
  (void)state;
  static const struct {
    struct loom_elite5_continuation h;
    uint64_t word;
  } listed[] = {{{3, 0, 252, 0xDEADBEEF}, 0x60FC38B6DEADBEEF},
                {{4, 31, 4, 0}, 0x9F04555E00000000},
                {{6, 0, 0, 0}, 0xC0000B5B00000000},
                {{3, 9, 252, 0x01234567}, 0x69FC822E01234567},
                {{4, 21, 128, 0xFFFFFFFF}, 0x95806B99FFFFFFFF}};
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
    assert_true(loom_elite5_pack_continuation(&listed[i].h) == listed[i].word);
    assert_true(loom_elite5_crc_ok(listed[i].word));
  }
  assert_true(loom_elite5_void(0) == 0xC0000B5B00000000);
  assert_true(loom_elite5_void(17) == 0xD1003B1900000000);
  assert_true(loom_elite5_void(31) == 0xDF00181600000000);
}

/* E5-07. */
static void link_control_words_made_elsewhere_are_the_same(void **state) {
  (void)state;
  assert_true(loom_elite5_control(LOOM_ELITE5_READY, 0) == 0xE200000000000E68);
  assert_true(loom_elite5_control(LOOM_ELITE5_NEGOTIATE, 0x5100000000) == 0xE051000000003A4B);
  assert_true(loom_elite5_control(LOOM_ELITE5_IDENTIFY, 0xABCD120000) == 0xE1ABCD120000A132);
  assert_true(loom_elite5_crc_ok(0xFFFFFFFFFFFF99CF)); /* sub 31, info all ones */
}

/* E5-07: over bits 63:16 of a first word and of link control, 63:48 of a continuation. */
static void the_crc_of_a_word_is_that_of_the_part(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    struct loom_elite5_first f = random_first(&seed);
    uint64_t w = loom_elite5_pack_first(&f);
    assert_int_equal(w & 0xFFFF, crc_by_part(w, 6));
    struct loom_elite5_continuation c = random_continuation(&seed);
    w = loom_elite5_pack_continuation(&c);
    assert_int_equal(w >> 32 & 0xFFFF, crc_by_part(w, 2));
    w = loom_random(&seed);
    bool ok = loom_elite5_is_continuation(w) ? (w >> 32 & 0xFFFF) == crc_by_part(w, 2)
                                             : (w & 0xFFFF) == crc_by_part(w, 6);
    assert_int_equal(loom_elite5_crc_ok(w), ok);
  }
}

/* A word with one or two of its `bits` highest bits turned is not taken for a good word of its
 * layout: the CRC has distance 4 over so few bits. */
static void expect_flips_found(uint64_t word, uint32_t bits, bool (*good)(uint64_t)) {
  assert_true(good(word));
  for (uint32_t i = 0; i < bits; i++)
    for (uint32_t k = i; k < bits; k++) {
      uint64_t turned = word ^ 1ull << (63 - i);
      if (k != i)
        turned ^= 1ull << (63 - k);
      assert_false(good(turned));
    }
}

static bool good_first(uint64_t word) {
  struct loom_elite5_first h;
  return loom_elite5_unpack_first(&h, word);
}

static bool good_continuation(uint64_t word) {
  struct loom_elite5_continuation h;
  return loom_elite5_unpack_continuation(&h, word);
}

static bool good_control(uint64_t word) {
  uint32_t sub;
  uint64_t info;
  return loom_elite5_unpack_control(&sub, &info, word);
}

/* E5-07. */
static void one_and_two_flipped_bits_are_always_found(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (uint32_t i = 0; i < 50; i++) {
    struct loom_elite5_first f = random_first(&seed);
    struct loom_elite5_continuation c = random_continuation(&seed);
    expect_flips_found(loom_elite5_pack_first(&f), 64, good_first);
    expect_flips_found(loom_elite5_pack_continuation(&c), 32, good_continuation);
    expect_flips_found(loom_elite5_control(i % 3, loom_random(&seed) >> 24), 64, good_control);
  }
}

/* E5-07: the same as a router looks at it, who takes the layout from the type: flips inside the
 * type too, where a first word turns into a continuation, are found in these words. */
static void flips_that_change_the_type_are_found_too(void **state) {
  (void)state;
  static const uint64_t firsts[] = {0x3FFE3FFFFFFF3E0A, 0x49442048D234325C, 0x14590E970F0F1159};
  for (uint32_t i = 0; i < 3; i++)
    expect_flips_found(firsts[i], 64, loom_elite5_crc_ok);
  expect_flips_found(0x69FC822E01234567, 32, loom_elite5_crc_ok);
  expect_flips_found(0x95806B99FFFFFFFF, 32, loom_elite5_crc_ok);
}

/* E5-07: the payload of a continuation is the endpoints' business (CRC-32). */
static void the_crc_of_a_continuation_does_not_cover_its_payload(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 32; i++)
    assert_true(loom_elite5_crc_ok(0x69FC822E01234567 ^ 1ull << i));
}

/* ---- another VC ------------------------------------------------------------------------------ */

/* E5-07. */
static void rewriting_the_vc_is_unpacking_and_packing(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    uint8_t vc = (uint8_t)loom_below(&seed, 32);
    struct loom_elite5_first f = random_first(&seed);
    uint64_t w = loom_elite5_pack_first(&f);
    f.vc = vc;
    assert_true(loom_elite5_rewrite_vc(w, vc) == loom_elite5_pack_first(&f));
    struct loom_elite5_continuation c = random_continuation(&seed);
    w = loom_elite5_pack_continuation(&c);
    c.vc = vc;
    assert_true(loom_elite5_rewrite_vc(w, vc) == loom_elite5_pack_continuation(&c));
  }
}

/* E5-07. */
static void rewriting_the_vc_there_and_back_gives_the_word_back(void **state) {
  (void)state;
  for (uint32_t from = 0; from < 32; from++)
    for (uint32_t to = 0; to < 32; to++) {
      assert_true(loom_elite5_rewrite_vc(loom_elite5_void(from), to) == loom_elite5_void(to));
      struct loom_elite5_first f = {1, 3, (uint8_t)from, 248, 0xA5A5, 0x1555};
      uint64_t w = loom_elite5_pack_first(&f);
      assert_true(loom_elite5_rewrite_vc(loom_elite5_rewrite_vc(w, to), from) == w);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_word_has_each_field_at_its_bits),
      cmocka_unit_test(a_continuation_has_each_field_at_its_bits),
      cmocka_unit_test(a_link_control_word_has_each_field_at_its_bits),
      cmocka_unit_test(fields_are_cut_to_their_width),
      cmocka_unit_test(packed_words_unpack_to_what_they_were),
      cmocka_unit_test(words_with_a_wrong_crc_are_unpacked_all_the_same),
      cmocka_unit_test(the_type_of_a_word_says_what_it_is),
      cmocka_unit_test(first_words_made_elsewhere_are_the_same),
      cmocka_unit_test(continuations_made_elsewhere_are_the_same),
      cmocka_unit_test(link_control_words_made_elsewhere_are_the_same),
      cmocka_unit_test(the_crc_of_a_word_is_that_of_the_part),
      cmocka_unit_test(one_and_two_flipped_bits_are_always_found),
      cmocka_unit_test(flips_that_change_the_type_are_found_too),
      cmocka_unit_test(the_crc_of_a_continuation_does_not_cover_its_payload),
      cmocka_unit_test(rewriting_the_vc_is_unpacking_and_packing),
      cmocka_unit_test(rewriting_the_vc_there_and_back_gives_the_word_back),
  };
  return UNIT_RUN("elite5_header", tests, NULL, NULL);
}
