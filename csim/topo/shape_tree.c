/* SPDX-License-Identifier: Apache-2.0 */
/* shape_tree.c - fat trees: k-ary n-trees and the slimmed one of KN-07 (docs/topo.md; TP-01, E5-41)
 */
#include "topo/shape_tree.h"

#include <inttypes.h>

#include "topo/generate.h"

/* ---- stages of switches ---------------------------------------------------------------------- */

uint32_t loom_topo_times(uint32_t base, uint32_t factor) {
  uint64_t product = (uint64_t)base * factor;
  return product > LOOM_TOPO_SIZE_MAX ? LOOM_TOPO_SIZE_MAX + 1u : (uint32_t)product;
}

uint32_t loom_topo_power(uint32_t base, uint32_t exponent) {
  uint32_t result = 1;
  for (; exponent && base != 1 && result && result <= LOOM_TOPO_SIZE_MAX; exponent--)
    result = loom_topo_times(result, base);
  return result;
}

static uint32_t divide_up(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

uint32_t loom_topo_stages_room(const struct loom_topo_stages *s) {
  return loom_topo_times(s->top, loom_topo_power(s->arity, s->levels - 1));
}

/* Links down of a device of a level. */
static uint32_t down_links(const struct loom_topo_stages *s, uint32_t level) {
  return level + 1 == s->levels ? s->top * s->hosted : s->arity;
}

/* Links down of a switch of a level. */
static uint32_t down_of(const struct loom_topo_stages *s, uint32_t level) {
  return level + 1 == s->levels ? s->top : s->arity;
}

/* Devices of a level that an end is below: of the groups of arity^level that reach the same
 * leaves, the first. */
static uint32_t width(const struct loom_topo_stages *s, uint32_t level) {
  uint32_t group = loom_topo_power(s->arity, level);
  uint32_t leaves = divide_up(s->ends, down_of(s, 0));
  if (level + 1 == s->levels)
    return group / s->hosted;
  return loom_topo_times(divide_up(leaves, group), group);
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void add_level(struct loom_topo *t, const struct loom_topo_stages *s, uint32_t level) {
  uint32_t lanes = level ? s->trunk : s->hold;
  /* The top level of a k-ary n-tree has the ports of the others; its ports up stay free. */
  uint32_t up = s->levels > 1 && s->top * s->hosted == s->arity ? s->arity * s->trunk : 0;
  if (level + 1 < s->levels)
    up = s->arity * s->trunk;
  uint32_t ports = larger(down_links(s, level) * lanes + up, s->ports);
  for (uint32_t i = 0; i < width(s, level) && !t->overflow; i++) {
    uint32_t coord[LOOM_TOPO_COORDS] = {0};
    uint32_t d =
        loom_topo_add(t, LOOM_TOPO_SWITCH, ports, "%s%" PRIu32 "-%" PRIu32, s->name, level, i);
    for (uint32_t c = 0; c < s->coords; c++)
      coord[c] = s->coord[c];
    coord[s->coords] = level;
    coord[s->coords + 1] = i;
    loom_topo_place(t, d, s->coords + 2, coord);
  }
}

/* Cables from switch `w` of a level, the first of which is `lower`, to the next, `upper`. Digit
 * `level` of w is replaced by the link that is taken; top switches that differ only in that digit,
 * their highest, share a device. */
static void join(struct loom_topo *t, const struct loom_topo_stages *s, uint32_t level, uint32_t w,
                 uint32_t lower, uint32_t upper) {
  uint32_t weight = loom_topo_power(s->arity, level);
  bool top = level + 2 == s->levels;
  uint32_t digit = top ? w / weight : w / weight % s->arity, hosted = top ? s->hosted : 1;
  uint32_t below = down_of(s, level) * (level ? s->trunk : s->hold);
  for (uint32_t j = 0; j < s->arity; j++)
    for (uint32_t lane = 0; lane < s->trunk; lane++)
      loom_topo_connect(t, lower + w, below + j * s->trunk + lane + 1,
                        upper + w - digit * weight + j / hosted * weight,
                        (j % hosted * s->top + digit) * s->trunk + lane + 1);
}

uint32_t loom_topo_stages_add(struct loom_topo *t, const struct loom_topo_stages *s) {
  uint32_t first = t->devices;
  for (uint32_t level = 0; level < s->levels; level++)
    add_level(t, s, level);
  uint32_t lower = first;
  for (uint32_t level = 0; t->device && level + 1 < s->levels; level++) {
    uint32_t upper = lower + width(s, level);
    for (uint32_t w = 0; w < width(s, level); w++)
      join(t, s, level, w, lower, upper);
    lower = upper;
  }
  return first;
}

struct loom_topo_plug loom_topo_stages_plug(const struct loom_topo_stages *s, uint32_t end,
                                            uint32_t lane) {
  uint32_t down = down_of(s, 0);
  return (struct loom_topo_plug){.leaf = end / down, .port = end % down * s->hold + lane + 1};
}

/* ---- k-ary n-tree ---------------------------------------------------------------------------- */

static uint32_t links_of(const struct loom_topo_tree_cfg *c) { return c->links ? c->links : 1; }

/* Links down of a top switch. */
static uint32_t top_of(const struct loom_topo_tree_cfg *c) {
  return c->top ? c->top : c->full ? 2 * c->k : c->k;
}

static struct loom_topo_stages stages_of(const struct loom_topo_tree_cfg *c) {
  struct loom_topo_stages s = {.arity = c->k,
                               .levels = c->n,
                               .top = top_of(c),
                               .hosted = c->hosted ? c->hosted : 1,
                               .trunk = c->trunk,
                               .hold = 1,
                               .ports = c->k + c->k * c->trunk,
                               .name = "S"};
  if (c->n == 1)
    s.ports = 2 * c->k;
  s.ends = loom_topo_stages_room(&s);
  return s;
}

const char *loom_topo_tree_bad(const struct loom_topo_tree_cfg *c) {
  if (c->k < 1 || c->k > LOOM_TOPO_PORTS)
    return "k";
  if (c->n < 1 || loom_topo_power(c->k, c->n) > LOOM_TOPO_DEVICES || c->n > 20)
    return "n";
  if (c->trunk < 1 || loom_topo_times(2 * c->k, c->trunk) > LOOM_TOPO_PORTS)
    return "trunk";
  struct loom_topo_stages s = stages_of(c);
  if (c->hosted && (c->k % c->hosted || (c->n == 1 && c->hosted > 1)))
    return "hosted";
  if (s.top > LOOM_TOPO_PORTS ||
      loom_topo_times(s.top * s.hosted, c->n > 1 ? c->trunk : 1) > LOOM_TOPO_PORTS ||
      loom_topo_stages_room(&s) > LOOM_TOPO_DEVICES)
    return c->top ? "top" : "n";
  if (c->spread && c->n == 1)
    return "spread";
  return (c->spread ? s.top : down_of(&s, 0)) % links_of(c) ? "links" : NULL;
}

/* Which end of the tree link `link` of a node is: side by side, or on leaves that differ in the
 * highest digit (E5-24). */
static uint32_t end_of(const struct loom_topo_tree_cfg *c, const struct loom_topo_stages *s,
                       uint32_t node, uint32_t link) {
  if (!c->spread)
    return node * links_of(c) + link;
  uint32_t weight = loom_topo_power(s->arity, s->levels - 2), leaf = node / s->arity;
  uint32_t digit = leaf / weight * links_of(c) + link;
  return (digit * weight + leaf % weight) * s->arity + node % s->arity;
}

static void build_tree(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_tree_cfg *c = cfg;
  struct loom_topo_stages s = stages_of(c);
  uint32_t links = links_of(c), nodes = s.ends / links;
  for (uint32_t i = 0; i < nodes && !t->overflow; i++) {
    uint32_t d = loom_topo_add(t, LOOM_TOPO_HCA, links, "H%" PRIu32, i);
    loom_topo_place(t, d, 1, &i);
  }
  uint32_t first = loom_topo_stages_add(t, &s);
  for (uint32_t d = first; t->device && d < t->devices; d++)
    loom_topo_raise(t, d, t->device[d].coord[0]);
  for (uint32_t i = 0; t->device && i < nodes * links; i++) {
    struct loom_topo_plug plug = loom_topo_stages_plug(&s, end_of(c, &s, i / links, i % links), 0);
    loom_topo_connect(t, i / links, i % links + 1, first + plug.leaf, plug.port);
  }
}

struct loom_topo *loom_topo_tree_make(const struct loom_topo_tree_cfg *cfg) {
  return loom_topo_tree_bad(cfg) ? NULL : loom_topo_make(build_tree, cfg);
}
