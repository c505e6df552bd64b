/* SPDX-License-Identifier: Apache-2.0 */
/* Dependencies that are kept in order while paths come and go (KN-08), and the heap of dfsssp,
 * against ways to find out that take longer. */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "routing/dependencies.h"
#include "routing/heap.h"
#include "topo/generate.h"

enum { SIDE = 4, LONG = 6, PATHS = 400 };

/* A torus: many ways between many switches. */
struct bench {
  struct loom_topo *topo;
  struct loom_routing *r;
  struct loom_dependencies d;
  uint32_t path[PATHS][LONG];
  uint32_t length[PATHS];
  bool in[PATHS];
};

static void setup(struct bench *b) {
  struct loom_routing_error err = {""};
  memset(b, 0, sizeof *b);
  b->topo = loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 2, .size = {SIDE, SIDE}, .nodes = 1, .trunk = 1});
  assert_non_null(b->topo);
  b->r = loom_routing_create(b->topo, 0, &err);
  assert_non_null(b->r);
  assert_true(loom_dependencies_make(&b->d, b->r));
}

static void teardown(struct bench *b) {
  loom_dependencies_drop(&b->d);
  loom_routing_destroy(b->r);
  loom_topo_destroy(b->topo);
}

/* Any walk that does not take the same channel twice. */
static void draw_path(struct bench *b, uint32_t i, uint64_t *seed) {
  uint32_t at = loom_below(seed, b->r->switches);
  uint32_t wanted = 2 + loom_below(seed, LONG - 1);
  b->length[i] = 0;
  while (b->length[i] < wanted) {
    uint32_t port = 1 + loom_below(seed, b->r->ports - 1);
    uint32_t peer = loom_topo_port(b->topo, b->r->device[at], port)->device;
    uint32_t channel = loom_dependencies_channel(b->r, at, port);
    if (peer == LOOM_TOPO_NONE || b->r->row[peer] == LOOM_TOPO_NONE)
      continue;
    for (uint32_t j = 0; j < b->length[i]; j++)
      if (b->path[i][j] == channel)
        return;
    b->path[i][b->length[i]++] = channel;
    at = b->r->row[peer];
  }
}

/* Do the paths that are in, and one more, close a cycle? Channels that no other waits for are taken
 * away, over and over. */
static bool is_cyclic(const struct bench *b, uint32_t more) {
  bool gone[SIDE * SIDE * 8] = {false};
  uint32_t left = b->d.channels;
  assert_true(left <= sizeof gone);
  for (bool any = true; any;) {
    bool waited[SIDE * SIDE * 8] = {false};
    any = false;
    for (uint32_t i = 0; i < PATHS; i++)
      for (uint32_t j = 1; (b->in[i] || i == more) && j < b->length[i]; j++)
        if (!gone[b->path[i][j - 1]])
          waited[b->path[i][j]] = true;
    for (uint32_t c = 0; c < b->d.channels; c++)
      if (!gone[c] && !waited[c]) {
        gone[c] = true;
        any = true;
        left--;
      }
  }
  return left != 0;
}

static void assert_counts(const struct bench *b) {
  uint32_t wanted[SIDE * SIDE * 8][8] = {{0}};
  for (uint32_t i = 0; i < PATHS; i++)
    for (uint32_t j = 1; b->in[i] && j < b->length[i]; j++)
      wanted[b->path[i][j - 1]][b->path[i][j] % b->r->ports]++;
  for (uint32_t c = 0; c < b->d.channels; c++)
    for (uint32_t p = 0; p < b->r->ports; p++)
      assert_int_equal(b->d.paths[c * b->r->ports + p], wanted[c][p]);
}

static void a_path_is_taken_if_it_closes_no_cycle(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  uint64_t seed = 5;
  uint32_t taken = 0, refused = 0;
  assert_non_null(b);
  setup(b);
  for (uint32_t i = 0; i < PATHS; i++) {
    draw_path(b, i, &seed);
    bool good = !is_cyclic(b, i);
    assert_int_equal(loom_dependencies_add(&b->d, b->path[i], b->length[i]), good);
    b->in[i] = good;
    taken += good;
    refused += !good;
    uint32_t old = loom_below(&seed, i + 1);
    if (b->in[old] && loom_below(&seed, 2)) {
      loom_dependencies_remove(&b->d, b->path[old], b->length[old]);
      b->in[old] = false;
    }
    assert_counts(b);
  }
  assert_true(taken > PATHS / 8 && refused > PATHS / 8); /* both happen */
  teardown(b);
  free(b);
}

/* The least key comes out first, whatever fell in between. */
static void a_heap_gives_the_least_key_first(void **state) {
  (void)state;
  uint64_t seed = 9;
  struct loom_heap h;
  assert_true(loom_heap_make(&h, 100));
  for (unsigned round = 0; round < 50; round++) {
    uint64_t least = 0;
    loom_heap_fill(&h, 100);
    for (unsigned i = 0; i < 100; i++) {
      for (unsigned j = 0; j < 5; j++) {
        uint32_t element = loom_below(&seed, 100);
        uint64_t key = least + loom_below(&seed, 30);
        if (h.place[element] < h.count && h.element[h.place[element]] == element &&
            key < h.key[element])
          loom_heap_lower(&h, element, key);
      }
      uint32_t top = loom_heap_take(&h);
      assert_true(h.key[top] >= least);
      for (uint32_t k = 0; k < h.count; k++)
        assert_true(h.key[h.element[k]] >= h.key[top]);
      least = h.key[top] == UINT64_MAX ? least : h.key[top];
    }
    assert_int_equal(h.count, 0);
  }
  loom_heap_drop(&h);
}

/* 1, 2 and 3 are children of 0. */
static void of_equal_children_the_last_rises(void **state) {
  (void)state;
  static const uint32_t wanted[] = {0, 3, 2, 1};
  struct loom_heap h;
  assert_true(loom_heap_make(&h, 6));
  loom_heap_fill(&h, 6);
  for (uint32_t i = 0; i < 4; i++)
    loom_heap_lower(&h, i, i ? 5 : 1);
  for (unsigned i = 0; i < 4; i++)
    assert_int_equal(loom_heap_take(&h), wanted[i]);
  loom_heap_drop(&h);
}

static void things_are_sorted_by_their_keys(void **state) {
  (void)state;
  uint32_t thing[64], key[64] = {0};
  uint64_t seed = 3;
  for (uint32_t count = 0; count <= 64; count++) {
    for (uint32_t i = 0; i < 64; i++) {
      uint32_t j = loom_below(&seed, i + 1);
      key[i] = key[j];
      key[j] = i;
    }
    for (uint32_t i = 0; i < count; i++)
      thing[i] = i;
    loom_heap_sort(thing, key, count);
    for (uint32_t i = 1; i < count; i++)
      assert_true(key[thing[i - 1]] < key[thing[i]]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_path_is_taken_if_it_closes_no_cycle),
      cmocka_unit_test(a_heap_gives_the_least_key_first),
      cmocka_unit_test(of_equal_children_the_last_rises),
      cmocka_unit_test(things_are_sorted_by_their_keys),
  };
  return UNIT_RUN("dependencies", tests, NULL, NULL);
}
