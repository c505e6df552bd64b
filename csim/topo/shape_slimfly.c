/* SPDX-License-Identifier: Apache-2.0 */
/* shape_slimfly.c - Slim Fly: the graphs of McKay, Miller and Siran of a prime, of diameter 2
 * (docs/topo.md) */
#include <inttypes.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

enum { Q_MAX = 255 };

static bool is_odd_prime(uint32_t q) {
  for (uint32_t d = 2; d * d <= q; d++)
    if (q % d == 0)
      return false;
  return q > 2;
}

/* Of a column: a switch is joined to as many of it. */
static uint32_t generators_of(uint32_t q) { return q % 4 == 1 ? (q - 1) / 2 : (q + 1) / 2; }

static uint32_t ports_of(const struct loom_topo_slimfly_cfg *c) {
  return c->nodes + generators_of(c->q) + c->q;
}

const char *loom_topo_slimfly_bad(const struct loom_topo_slimfly_cfg *c) {
  if (c->q > Q_MAX || !is_odd_prime(c->q) || generators_of(c->q) + c->q >= LOOM_TOPO_PORTS)
    return "q";
  return c->nodes < 1 || c->nodes > LOOM_TOPO_PORTS || ports_of(c) > LOOM_TOPO_PORTS ? "nodes"
                                                                                     : NULL;
}

/* Powers of x modulo q until they come round to 1. */
static uint32_t order_of(uint32_t x, uint32_t q) {
  uint32_t order = 1;
  for (uint32_t power = x; power != 1; power = power * x % q)
    order++;
  return order;
}

static uint32_t primitive_of(uint32_t q) {
  uint32_t x = 2;
  while (order_of(x, q) != q - 1)
    x++;
  return x;
}

/* By distance in a column: whether it joins two switches, of each half. Half 0 has the even powers
 * of a primitive element and half 1 the odd ones; if q + 1 is a multiple of 4 only the first half
 * of each, and their negatives. */
struct columns {
  bool joined[2][Q_MAX];
};

static struct columns columns_of(uint32_t q) {
  struct columns of = {.joined = {{false}}};
  uint32_t x = primitive_of(q), power = 1, powers = q % 4 == 1 ? q - 1 : (q + 1) / 2;
  for (uint32_t i = 0; i < powers; i++, power = power * x % q)
    of.joined[i % 2][power] = of.joined[i % 2][q - power] = true;
  return of;
}

/* The port of switch y of a column to switch `to` of it. */
static uint32_t port_to(const struct loom_topo_slimfly_cfg *c, const bool *joined, uint32_t y,
                        uint32_t to) {
  uint32_t port = c->nodes + 1;
  for (uint32_t i = 0; i < to; i++)
    port += joined[(i + c->q - y) % c->q];
  return port;
}

static void join_column(struct loom_topo *t, const struct loom_topo_slimfly_cfg *c,
                        const bool *joined, uint32_t first) {
  for (uint32_t y = 0; y < c->q; y++)
    for (uint32_t to = y + 1; to < c->q; to++)
      if (joined[to - y])
        loom_topo_connect(t, first + y, port_to(c, joined, y, to), first + to,
                          port_to(c, joined, to, y));
}

/* Switch (0, x, y) and switch (1, m, c) are joined if y = m x + c: each to one of each column. */
static void join_halves(struct loom_topo *t, const struct loom_topo_slimfly_cfg *c,
                        uint32_t first) {
  uint32_t q = c->q, before = c->nodes + generators_of(q) + 1;
  for (uint32_t x = 0; x < q; x++)
    for (uint32_t y = 0; y < q; y++)
      for (uint32_t m = 0; m < q; m++)
        loom_topo_connect(t, first + x * q + y, before + m,
                          first + (q + m) * q + (y + q * q - m * x) % q, before + x);
}

static void build_slimfly(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_slimfly_cfg *c = cfg;
  uint32_t q = c->q, switches = 2 * q * q;
  for (uint32_t i = 0; i < switches * c->nodes && !t->overflow; i++) {
    uint32_t w = i / c->nodes;
    const uint32_t at[4] = {w / q / q, w / q % q, w % q, i % c->nodes};
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), 4, at);
  }
  uint32_t first = t->devices;
  for (uint32_t w = 0; w < switches && !t->overflow; w++) {
    const uint32_t at[3] = {w / q / q, w / q % q, w % q};
    loom_topo_place(t,
                    loom_topo_add(t, LOOM_TOPO_SWITCH, ports_of(c),
                                  "S%" PRIu32 "-%" PRIu32 "-%" PRIu32, at[0], at[1], at[2]),
                    3, at);
  }
  if (!t->device)
    return;
  const struct columns of = columns_of(q);
  for (uint32_t i = 0; i < switches * c->nodes; i++)
    loom_topo_connect(t, i, 1, first + i / c->nodes, i % c->nodes + 1);
  for (uint32_t column = 0; column < 2 * q; column++)
    join_column(t, c, of.joined[column / q], first + column * q);
  join_halves(t, c, first);
}

struct loom_topo *loom_topo_slimfly_make(const struct loom_topo_slimfly_cfg *cfg) {
  return loom_topo_slimfly_bad(cfg) ? NULL : loom_topo_make(build_slimfly, cfg);
}
