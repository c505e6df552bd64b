/* SPDX-License-Identifier: Apache-2.0 */
/* Where messages go: every pattern against its closed form, uniform and hot spots by chi-square,
 * what is drawn by seed, task mappings, refusals (TR-01, TR-02, KN-09). */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "traffic/pattern.h"

enum { MOST = 512 };

static struct loom_pattern_cfg cfg_of(enum loom_pattern_kind kind, uint32_t hosts) {
  return (struct loom_pattern_cfg){.kind = kind, .hosts = hosts, .seed = 1};
}

static struct loom_pattern *create(const struct loom_pattern_cfg *cfg) {
  assert_null(loom_pattern_bad(cfg));
  struct loom_pattern *p = loom_pattern_create(cfg);
  assert_non_null(p);
  return p;
}

/* The first destination of each host. */
static void first_of(const struct loom_pattern_cfg *cfg, uint32_t *to) {
  struct loom_pattern *p = create(cfg);
  uint64_t random = 99;
  for (uint32_t s = 0; s < cfg->hosts; s++) {
    to[s] = loom_pattern_next(p, s, &random);
    assert_int_equal(loom_pattern_silent(p, s), to[s] == LOOM_PATTERN_SILENT);
    assert_int_not_equal(to[s], s);
    assert_true(to[s] < cfg->hosts || to[s] == LOOM_PATTERN_SILENT);
  }
  loom_pattern_destroy(p);
}

/* Each host is the destination of exactly one, if silent ones count as sending to themselves. */
static void check_permutation(const uint32_t *to, uint32_t hosts) {
  uint8_t seen[MOST] = {0};
  for (uint32_t s = 0; s < hosts; s++) {
    uint32_t d = to[s] == LOOM_PATTERN_SILENT ? s : to[s];
    assert_false(seen[d]);
    seen[d] = 1;
  }
}

/* The list, -1 for silent, again and again, and a permutation. */
static void check_fixed(const struct loom_pattern_cfg *cfg, const int *want) {
  struct loom_pattern *p = create(cfg);
  uint32_t to[MOST];
  uint64_t random = 7;
  first_of(cfg, to);
  check_permutation(to, cfg->hosts);
  for (unsigned again = 0; again < 3; again++)
    for (uint32_t s = 0; s < cfg->hosts; s++)
      assert_int_equal((int)loom_pattern_next(p, s, &random), want[s]);
  assert_int_equal(random, 7); /* nothing is drawn */
  loom_pattern_destroy(p);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static void a_shift_sends_to_the_host_so_many_further(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_SHIFT, 5);
  c.shift = 1;
  check_fixed(&c, (const int[]){1, 2, 3, 4, 0});
  c.shift = 13;
  check_fixed(&c, (const int[]){3, 4, 0, 1, 2});
  c.shift = UINT32_MAX; /* = 0 mod 5, so let it be one less */
  c.shift--;
  check_fixed(&c, (const int[]){4, 0, 1, 2, 3});
}

static void reversal_and_complement_turn_the_bits_of_the_host(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_REVERSAL, 8);
  check_fixed(&c, (const int[]){-1, 4, -1, 6, 1, -1, 3, -1});
  c.hosts = 2;
  check_fixed(&c, (const int[]){-1, -1});
  c = cfg_of(LOOM_PATTERN_COMPLEMENT, 8);
  check_fixed(&c, (const int[]){7, 6, 5, 4, 3, 2, 1, 0});
  c.hosts = 5;
  check_fixed(&c, (const int[]){4, 3, -1, 1, 0});
  uint32_t to[MOST];
  c.hosts = 256;
  first_of(&c, to);
  for (uint32_t s = 0; s < 256; s++)
    assert_int_equal(to[s], ~s & 255);
  c.kind = LOOM_PATTERN_REVERSAL;
  first_of(&c, to);
  check_permutation(to, 256);
  for (uint32_t s = 0; s < 256; s++)
    for (uint32_t bit = 0; bit < 8 && to[s] != LOOM_PATTERN_SILENT; bit++)
      assert_int_equal(to[s] >> bit & 1, s >> (7 - bit) & 1);
}

static void a_transpose_exchanges_row_and_column(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_TRANSPOSE, 9);
  check_fixed(&c, (const int[]){-1, 3, 6, 1, -1, 7, 2, 5, -1});
  c.hosts = 4;
  check_fixed(&c, (const int[]){-1, 2, 1, -1});
}

static void a_tornado_never_goes_half_way_round(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_TORNADO, 8);
  c.dims = 1;
  c.size[0] = 8;
  c.nodes_at = 1;
  check_fixed(&c, (const int[]){3, 4, 5, 6, 7, 0, 1, 2}); /* never half way round */
  c.hosts = c.size[0] = 5;
  check_fixed(&c, (const int[]){2, 3, 4, 0, 1});
  c = (struct loom_pattern_cfg){.kind = LOOM_PATTERN_TORNADO, .hosts = 120, .dims = 3};
  memcpy(c.size, (const uint32_t[]){5, 2, 4}, sizeof c.size);
  c.nodes_at = 3;
  uint32_t to[MOST];
  first_of(&c, to);
  check_permutation(to, 120);
  for (uint32_t s = 0; s < 120; s++) {
    uint32_t x = (s / 3 % 5 + 2) % 5;
    uint32_t y = s / 15 % 2;
    uint32_t z = (s / 30 + 1) % 4;
    assert_int_equal(to[s], ((z * 2 + y) * 5 + x) * 3 + s % 3);
  }
}

static void pairs_send_to_their_partner_one_way(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_PAIRS, 5);
  struct loom_pattern *p = create(&c);
  static const int want[] = {1, -1, 3, -1, -1};
  for (uint32_t s = 0; s < 5; s++)
    assert_int_equal((int)loom_pattern_next(p, s, NULL), want[s]);
  loom_pattern_destroy(p);
}

/* N to 1, N to M: targets are silent, and each hears floor or ceil of (N - M) / M senders. */
static void an_incast_sends_to_its_targets_alone(void **state) {
  (void)state;
  static const uint32_t targets[] = {9, 4, 7};
  for (uint32_t n = 10; n <= 48; n++)
    for (uint32_t m = 1; m <= 3; m++) {
      struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_INCAST, n);
      uint32_t to[MOST], heard[MOST] = {0}, silent = 0;
      c.targets = targets;
      c.target_count = m;
      first_of(&c, to);
      for (uint32_t s = 0; s < n; s++)
        if (to[s] == LOOM_PATTERN_SILENT)
          silent++;
        else
          heard[to[s]]++;
      assert_int_equal(silent, m);
      for (uint32_t i = 0; i < m; i++) {
        assert_int_equal(to[targets[i]], LOOM_PATTERN_SILENT);
        assert_in_range(heard[targets[i]], (n - m) / m, (n - 1) / m);
        silent += heard[targets[i]];
      }
      assert_int_equal(silent, n);
    }
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_INCAST, 5);
  c.targets = (const uint32_t[]){2};
  c.target_count = 1;
  struct loom_pattern *p = create(&c);
  for (uint32_t s = 0; s < 5; s++)
    for (unsigned again = 0; again < 3; again++)
      assert_int_equal((int)loom_pattern_next(p, s, NULL), s == 2 ? -1 : 2);
  loom_pattern_destroy(p);
}

static void a_file_says_where_each_host_sends(void **state) {
  (void)state;
  static const uint32_t list[] = {2, LOOM_PATTERN_SILENT, 0, 3};
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_FILE, 4);
  c.file = list;
  check_fixed(&c, (const int[]){2, -1, 0, -1}); /* 3 would send to itself */
}

/* ---- in turn --------------------------------------------------------------------------------- */

static void neighbours_send_to_both_sides_in_turn(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_NEIGHBOUR, 7);
  struct loom_pattern *p = create(&c);
  for (unsigned i = 0; i < 6; i++)
    for (uint32_t s = 0; s < 7; s++)
      assert_int_equal(loom_pattern_next(p, s, NULL), (s + (i % 2 ? 6 : 1)) % 7);
  loom_pattern_destroy(p);
}

static void all_to_all_goes_round_all_others(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 9; n++) {
    struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_ALL_TO_ALL, n);
    struct loom_pattern *p = create(&c);
    for (uint32_t i = 0; i < 3 * n; i++)
      for (uint32_t s = 0; s < n; s++)
        assert_int_equal(loom_pattern_next(p, s, NULL), (s + 1 + i % (n - 1)) % n);
    assert_false(loom_pattern_silent(p, 0));
    loom_pattern_destroy(p);
  }
}

/* One ring of all; the way back is the way there. */
static void a_random_ring_is_one_ring_of_all(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_RANDOM_RING, 50);
  struct loom_pattern *p = create(&c);
  uint32_t to[50];
  uint32_t back[50];
  uint32_t natural = 0;
  for (uint32_t s = 0; s < 50; s++) {
    to[s] = loom_pattern_next(p, s, NULL);
    back[s] = loom_pattern_next(p, s, NULL);
    assert_int_equal(loom_pattern_next(p, s, NULL), to[s]);
    natural += to[s] == (s + 1) % 50;
  }
  uint32_t at = 0;
  for (uint32_t i = 0; i < 50; i++) {
    assert_int_equal(back[to[at]], at);
    at = to[at];
    assert_int_equal(at == 0, i == 49);
  }
  assert_true(natural < 10);
  loom_pattern_destroy(p);
}

/* Blocks (I, J) of a matrix of L x L blocks, L a multiple of P and Q, lie at (I mod P, J mod Q);
 * block (J, I) is where they must go. */
static void check_ptrans(uint32_t rows, uint32_t columns) {
  uint8_t wanted[64][64] = {{0}};
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_PTRANS, rows * columns);
  c.size[0] = rows;
  c.size[1] = columns;
  struct loom_pattern *p = create(&c);
  for (uint32_t i = 0; i < rows * columns; i++)
    for (uint32_t j = 0; j < rows * columns; j++)
      wanted[i % rows * columns + j % columns][j % rows * columns + i % columns] = 1;
  for (uint32_t s = 0; s < rows * columns; s++) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < rows * columns; d++)
      count += wanted[s][d] && d != s;
    assert_int_equal(loom_pattern_silent(p, s), count == 0);
    for (uint32_t i = 0, last = 0; i < 3 * count; i++) { /* each once, rising, then again */
      uint32_t to = loom_pattern_next(p, s, NULL);
      assert_true(to != s && wanted[s][to]);
      assert_true(i % count == 0 || to > last);
      last = to;
    }
  }
  loom_pattern_destroy(p);
}

static void ptrans_sends_blocks_of_a_grid_across_its_diagonal(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 8; rows++)
    for (uint32_t columns = rows == 1 ? 2 : 1; columns <= 8; columns++)
      check_ptrans(rows, columns);
  struct loom_pattern_cfg a = cfg_of(LOOM_PATTERN_PTRANS, 36);
  struct loom_pattern_cfg b = cfg_of(LOOM_PATTERN_TRANSPOSE, 36);
  a.size[0] = a.size[1] = 6;
  uint32_t to[2][MOST];
  first_of(&a, to[0]);
  first_of(&b, to[1]);
  assert_memory_equal(to[0], to[1], 36 * sizeof to[0][0]);
}

/* ---- drawn by seed --------------------------------------------------------------------------- */

static void a_random_permutation_leaves_no_host_in_its_place(void **state) {
  (void)state;
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_RANDOM, 48);
  uint32_t to[MOST];
  uint32_t again[MOST];
  first_of(&c, to);
  first_of(&c, again);
  assert_memory_equal(to, again, 48 * sizeof to[0]);
  c.seed = 2;
  first_of(&c, again);
  assert_memory_not_equal(to, again, 48 * sizeof to[0]);
  check_fixed(&c, (const int *)again);
  /* Of 3 hosts there are two such permutations, equally likely; of 2 hosts one. */
  uint32_t up = 0;
  for (c.seed = 0, c.hosts = 3; c.seed < 1000; c.seed++) {
    first_of(&c, to);
    check_permutation(to, 3);
    up += to[0] == 1;
  }
  assert_in_range(up, 420, 580);
  c.hosts = 2;
  check_fixed(&c, (const int[]){1, 0});
}

static void a_bisection_pairs_hosts_at_random(void **state) {
  (void)state;
  uint32_t met[7] = {0};
  for (uint32_t hosts = 6; hosts <= 7; hosts++)
    for (uint64_t seed = 0; seed < 1200; seed++) {
      struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_BISECTION, hosts);
      uint32_t to[MOST];
      uint32_t silent = 0;
      c.seed = seed;
      first_of(&c, to);
      for (uint32_t s = 0; s < hosts; s++)
        if (to[s] == LOOM_PATTERN_SILENT)
          silent++;
        else
          assert_int_equal(to[to[s]], s);
      assert_int_equal(silent, hosts % 2);
      if (hosts == 6)
        met[to[0]]++;
    }
  for (uint32_t d = 1; d < 6; d++) /* each partner equally often: 240 +- 5 sigma */
    assert_in_range(met[d], 170, 310);
}

/* ---- anew for each message ------------------------------------------------------------------- */

/* Chi-square of counts with `free` degrees of freedom stays within 5 sigma. */
static void check_even(const uint32_t *count, uint32_t bins, const double *want) {
  double chi = 0;
  uint32_t freedom = 0;
  for (uint32_t i = 0; i < bins; i++) {
    if (want[i] <= 0) {
      assert_int_equal(count[i], 0);
      continue;
    }
    double off = count[i] - want[i];
    chi += off * off / want[i];
    freedom++;
  }
  double off = chi - (freedom - 1);
  if (off * off > 25 * 2.0 * (freedom - 1))
    fail_msg("chi-square %f with %u bins", chi, freedom);
}

static void count_all(const struct loom_pattern_cfg *c, uint32_t s, uint32_t *count,
                      uint32_t draws) {
  struct loom_pattern *p = create(c);
  uint64_t random = 5;
  memset(count, 0, c->hosts * sizeof *count);
  for (uint32_t i = 0; i < draws; i++) {
    uint32_t to = loom_pattern_next(p, s, &random);
    assert_true(to < c->hosts);
    count[to]++;
  }
  loom_pattern_destroy(p);
}

static void uniform_traffic_goes_evenly_to_all_others(void **state) {
  (void)state;
  static const uint32_t senders[] = {0, 17, 47};
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_UNIFORM, 48);
  for (unsigned i = 0; i < 3; i++) {
    uint32_t count[48];
    double want[48];
    for (uint32_t d = 0; d < 48; d++)
      want[d] = d == senders[i] ? 0 : 1000;
    count_all(&c, senders[i], count, 47000);
    check_even(count, 48, want);
  }
  c.hosts = 2;
  uint32_t count[2];
  count_all(&c, 1, count, 10);
  assert_int_equal(count[0], 10);
}

/* The chance of each destination of a sender that is, or is not, a hot spot itself. */
static void check_hotspot(uint32_t s, uint32_t heat) {
  static const uint32_t targets[] = {9, 4, 7};
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_HOTSPOT, 20);
  uint32_t count[20];
  double want[20];
  uint32_t others = s == 9 || s == 4 || s == 7 ? 2 : 3;
  c.targets = targets;
  c.target_count = 3;
  c.heat = heat;
  count_all(&c, s, count, 100000);
  for (uint32_t d = 0; d < 20; d++) {
    bool hot = d == 9 || d == 4 || d == 7;
    double part = heat / 1e6;
    want[d] = d == s ? 0 : 1e5 * ((1 - part) / 19 + (hot ? part / others : 0));
  }
  check_even(count, 20, want);
}

static void hot_spots_get_their_share_more(void **state) {
  (void)state;
  static const uint32_t senders[] = {0, 9, 4, 7, 19};
  for (unsigned i = 0; i < 5; i++) {
    check_hotspot(senders[i], 250000);
    check_hotspot(senders[i], 0);
    check_hotspot(senders[i], 1000000);
  }
  /* The only hot spot has nowhere hotter to go. */
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_HOTSPOT, 3);
  uint32_t count[3];
  c.targets = (const uint32_t[]){1};
  c.target_count = 1;
  c.heat = 1000000;
  count_all(&c, 1, count, 1000);
  assert_in_range(count[0], 400, 600);
  assert_int_equal(count[0] + count[2], 1000);
}

/* The same draws whatever other hosts do in between. */
static void draws_do_not_depend_on_what_other_hosts_do(void **state) {
  (void)state;
  for (enum loom_pattern_kind kind = 0; kind < LOOM_PATTERNS; kind++) {
    struct loom_pattern_cfg c = cfg_of(kind, 16);
    static const uint32_t list[16] = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14};
    c.shift = 3;
    c.dims = 1;
    c.size[0] = kind == LOOM_PATTERN_PTRANS ? 2 : 16;
    c.size[1] = 8;
    c.nodes_at = 1;
    c.targets = list;
    c.target_count = 2;
    c.heat = 300000;
    c.file = list;
    struct loom_pattern *a = create(&c);
    struct loom_pattern *b = create(&c);
    uint64_t one[16];
    uint64_t two[16];
    uint32_t to[16][8];
    for (uint32_t s = 0; s < 16; s++) {
      one[s] = two[s] = s;
      for (unsigned i = 0; i < 8; i++)
        to[s][i] = loom_pattern_next(a, s, &one[s]);
    }
    for (unsigned i = 0; i < 8; i++)
      for (uint32_t s = 16; s-- > 0;)
        assert_int_equal(loom_pattern_next(b, s, &two[s]), to[s][i]);
    loom_pattern_destroy(a);
    loom_pattern_destroy(b);
  }
}

/* ---- task mappings --------------------------------------------------------------------------- */

static void tasks_send_from_and_to_their_places(void **state) {
  (void)state;
  static const uint32_t places[] = {6, 2, 5, 0};
  struct loom_pattern_cfg c = cfg_of(LOOM_PATTERN_SHIFT, 7);
  c.tasks = 4;
  c.places = places;
  c.shift = 1;
  uint32_t to[MOST];
  first_of(&c, to);
  static const int want[] = {6, -1, 5, -1, -1, 0, 2};
  for (uint32_t s = 0; s < 7; s++)
    assert_int_equal((int)to[s], want[s]);
  c.kind = LOOM_PATTERN_UNIFORM; /* only hosts with a task send and receive */
  uint32_t count[7];
  count_all(&c, 5, count, 3000);
  check_even(count, 7, (const double[]){1000, 0, 1000, 0, 0, 0, 1000});
  c.places = NULL;
  first_of(&c, to);
  for (uint32_t s = 0; s < 7; s++)
    assert_int_equal(to[s] == LOOM_PATTERN_SILENT, s >= 4);
}

static void a_scatter_is_an_even_permutation_drawn_by_its_seed(void **state) {
  (void)state;
  uint32_t a[100];
  uint32_t b[100];
  uint32_t first[10] = {0};
  loom_pattern_scatter(100, 4, a);
  loom_pattern_scatter(100, 4, b);
  assert_memory_equal(a, b, sizeof a);
  check_permutation(a, 100);
  loom_pattern_scatter(100, 5, b);
  assert_memory_not_equal(a, b, sizeof a);
  for (uint64_t seed = 0; seed < 10000; seed++) {
    loom_pattern_scatter(10, seed, a);
    first[a[0]]++;
  }
  double want[10];
  for (unsigned i = 0; i < 10; i++)
    want[i] = 1000;
  check_even(first, 10, want);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void check_bad(const struct loom_pattern_cfg *c, const char *key) {
  const char *bad = loom_pattern_bad(c);
  assert_non_null(bad);
  assert_string_equal(bad, key);
  assert_null(loom_pattern_create(c));
}

static void wrong_patterns_are_refused_by_the_key(void **state) {
  (void)state;
  static const uint32_t twice[] = {1, 2, 1};
  static const uint32_t beyond[] = {1, 2, 3};
  static const uint32_t silent[] = {1, LOOM_PATTERN_SILENT, 2};
#define BAD(key, ...) check_bad(&(struct loom_pattern_cfg){__VA_ARGS__}, key)
  BAD("hosts", .hosts = 1);
  BAD("hosts", .hosts = 0);
  BAD("tasks", .hosts = 4, .tasks = 1);
  BAD("tasks", .hosts = 4, .tasks = 5);
  BAD("kind", .kind = LOOM_PATTERNS, .hosts = 4);
  BAD("shift", .kind = LOOM_PATTERN_SHIFT, .hosts = 4, .shift = 8);
  BAD("shift", .kind = LOOM_PATTERN_SHIFT, .hosts = 4);
  BAD("hosts", .kind = LOOM_PATTERN_REVERSAL, .hosts = 6);
  BAD("tasks", .kind = LOOM_PATTERN_REVERSAL, .hosts = 8, .tasks = 6);
  BAD("hosts", .kind = LOOM_PATTERN_TRANSPOSE, .hosts = 8);
  BAD("size", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .nodes_at = 1);
  BAD("size", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .dims = 4, .nodes_at = 1);
  BAD("size", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .dims = 2, .size = {2, 2}, .nodes_at = 1);
  BAD("size", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .dims = 2, .size = {4, 0}, .nodes_at = 1);
  BAD("nodes_at", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .dims = 1, .size = {4}, .nodes_at = 2);
  BAD("nodes_at", .kind = LOOM_PATTERN_TORNADO, .hosts = 4, .dims = 1, .size = {4});
  BAD("targets", .kind = LOOM_PATTERN_HOTSPOT, .hosts = 4);
  BAD("targets", .kind = LOOM_PATTERN_HOTSPOT, .hosts = 4, .targets = twice, .target_count = 3);
  BAD("targets", .kind = LOOM_PATTERN_HOTSPOT, .hosts = 3, .targets = beyond, .target_count = 3);
  BAD("targets", .kind = LOOM_PATTERN_INCAST, .hosts = 4);
  BAD("targets", .kind = LOOM_PATTERN_INCAST, .hosts = 4, .targets = twice, .target_count = 3);
  BAD("targets", .kind = LOOM_PATTERN_INCAST, .hosts = 3, .targets = beyond, .target_count = 3);
  BAD("heat", .kind = LOOM_PATTERN_HOTSPOT, .hosts = 4, .targets = beyond, .target_count = 2,
      .heat = 1000001);
  BAD("size", .kind = LOOM_PATTERN_PTRANS, .hosts = 4, .size = {4, 2});
  BAD("file", .kind = LOOM_PATTERN_FILE, .hosts = 3);
  BAD("file", .kind = LOOM_PATTERN_FILE, .hosts = 3, .file = twice);
  BAD("file", .kind = LOOM_PATTERN_FILE, .hosts = 3, .file = beyond);
  BAD("places", .hosts = 3, .places = twice);
  BAD("places", .hosts = 3, .places = beyond);
  BAD("places", .hosts = 3, .places = silent);
#undef BAD
  loom_pattern_destroy(NULL);
}

/* Each kind has a name of its own. */
static void each_pattern_has_a_name_of_its_own(void **state) {
  (void)state;
  assert_null(loom_pattern_names[LOOM_PATTERNS]);
  for (unsigned i = 0; i < LOOM_PATTERNS; i++)
    for (unsigned j = 0; j < i; j++)
      assert_string_not_equal(loom_pattern_names[i], loom_pattern_names[j]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shift_sends_to_the_host_so_many_further),
      cmocka_unit_test(reversal_and_complement_turn_the_bits_of_the_host),
      cmocka_unit_test(a_transpose_exchanges_row_and_column),
      cmocka_unit_test(a_tornado_never_goes_half_way_round),
      cmocka_unit_test(pairs_send_to_their_partner_one_way),
      cmocka_unit_test(an_incast_sends_to_its_targets_alone),
      cmocka_unit_test(a_file_says_where_each_host_sends),
      cmocka_unit_test(neighbours_send_to_both_sides_in_turn),
      cmocka_unit_test(all_to_all_goes_round_all_others),
      cmocka_unit_test(a_random_ring_is_one_ring_of_all),
      cmocka_unit_test(ptrans_sends_blocks_of_a_grid_across_its_diagonal),
      cmocka_unit_test(a_random_permutation_leaves_no_host_in_its_place),
      cmocka_unit_test(a_bisection_pairs_hosts_at_random),
      cmocka_unit_test(uniform_traffic_goes_evenly_to_all_others),
      cmocka_unit_test(hot_spots_get_their_share_more),
      cmocka_unit_test(draws_do_not_depend_on_what_other_hosts_do),
      cmocka_unit_test(tasks_send_from_and_to_their_places),
      cmocka_unit_test(a_scatter_is_an_even_permutation_drawn_by_its_seed),
      cmocka_unit_test(wrong_patterns_are_refused_by_the_key),
      cmocka_unit_test(each_pattern_has_a_name_of_its_own),
  };
  return UNIT_RUN("pattern", tests, NULL, NULL);
}
