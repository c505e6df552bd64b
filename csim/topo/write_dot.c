/* SPDX-License-Identifier: Apache-2.0 */
/* write_dot.c - a fabric for Graphviz, with places where levels or coordinates tell them
 * (docs/formats.md) */
#include <inttypes.h>
#include <math.h>

#include "topo/topo.h"

/* ---- places ---------------------------------------------------------------------------------- */

enum {
  LEVELS = 64,
  STEP = 144, /* points of 1/72 inch between switches of a grid */
  BELOW = 54, /* from a switch of a grid down to its hosts */
  SIDE = 72,  /* between devices of a row */
  ROW = 216   /* between the levels of a tree */
};

enum arrangement { ARRANGED_NOT, ARRANGED_ROWS, ARRANGED_GRID };

struct drawing {
  const struct loom_topo *t;
  enum arrangement arrangement;
  /* Rows: hosts, then levels from the leaves up; how many devices each has, and how many of them
   * have been written. */
  uint32_t row[LEVELS + 1], written[LEVELS + 1], widest;
  /* Grid: coordinates of a switch with hosts, and one more than the largest of each. */
  uint32_t dims, size[LOOM_TOPO_COORDS];
};

struct place {
  double x, y; /* points */
};

static bool is_switch(const struct loom_topo *t, uint32_t d) {
  return t->device[d].kind == LOOM_TOPO_SWITCH;
}

static uint32_t peer_of(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return loom_topo_port(t, d, port)->device;
}

static bool is_host_at(const struct loom_topo *t, uint32_t d, uint32_t port) {
  uint32_t peer = peer_of(t, d, port);
  return peer != LOOM_TOPO_NONE && !is_switch(t, peer);
}

static bool has_hosts(const struct loom_topo *t, uint32_t d) {
  for (uint32_t p = 1; p <= t->device[d].ports; p++)
    if (is_host_at(t, d, p))
      return true;
  return false;
}

static uint32_t row_of(const struct loom_topo *t, uint32_t d) {
  return is_switch(t, d) ? t->device[d].level + 1 : 0;
}

/* False: not all switches have a level. */
static bool arrange_rows(struct drawing *w) {
  for (uint32_t d = 0; d < w->t->devices; d++) {
    if (is_switch(w->t, d) && w->t->device[d].level >= LEVELS)
      return false;
    uint32_t devices = ++w->row[row_of(w->t, d)];
    w->widest = devices > w->widest ? devices : w->widest;
  }
  return true;
}

static bool is_in_grid(const struct drawing *w, uint32_t d) {
  return is_switch(w->t, d) && has_hosts(w->t, d);
}

/* The first two coordinates go to the right and up; planes of the others stand side by side. */
static struct place place_in_grid(const struct drawing *w, uint32_t d) {
  const uint32_t *c = w->t->device[d].coord;
  uint32_t plane = 0;
  for (uint32_t k = w->dims; k-- > 2;)
    plane = plane * w->size[k] + c[k];
  return (struct place){STEP * (plane * (w->size[0] + 1.0) + c[0]),
                        w->dims > 1 ? STEP * (double)c[1] : 0};
}

static void see(double range[2], double value) {
  range[0] = value < range[0] ? value : range[0];
  range[1] = value > range[1] ? value : range[1];
}

/* A switch without hosts that joins others stands beside their row or column, or amid them. False:
 * it joins none with hosts. */
static bool find_joint(const struct drawing *w, uint32_t d, struct place *at) {
  double x[2] = {HUGE_VAL, -HUGE_VAL}, y[2] = {HUGE_VAL, -HUGE_VAL};
  for (uint32_t p = 1; p <= w->t->device[d].ports; p++) {
    uint32_t peer = peer_of(w->t, d, p);
    if (peer == LOOM_TOPO_NONE || !is_in_grid(w, peer))
      continue;
    struct place near = place_in_grid(w, peer);
    see(x, near.x);
    see(y, near.y);
  }
  if (x[0] == x[1])
    *at = (struct place){x[0], STEP * (double)w->size[1]};
  else if (y[0] == y[1] && x[1] - x[0] < STEP * (double)w->size[0])
    *at = (struct place){x[1] + STEP, y[0]};
  else
    *at = (struct place){(x[0] + x[1] + STEP) / 2, (y[0] + y[1] + STEP) / 2};
  return x[0] <= x[1];
}

/* False: not all switches with hosts have coordinates alike, or one of the others joins none. */
static bool arrange_grid(struct drawing *w) {
  struct place at;
  for (uint32_t d = 0; d < w->t->devices; d++) {
    const struct loom_topo_device *device = &w->t->device[d];
    if (!is_in_grid(w, d))
      continue;
    if (!device->coords || (w->dims && device->coords != w->dims))
      return false;
    w->dims = device->coords;
    for (uint32_t k = 0; k < w->dims; k++)
      w->size[k] = device->coord[k] < w->size[k] ? w->size[k] : device->coord[k] + 1;
  }
  for (uint32_t d = 0; d < w->t->devices; d++)
    if (is_switch(w->t, d) && !has_hosts(w->t, d) && !find_joint(w, d, &at))
      return false;
  return w->dims > 0;
}

/* The switch of an HCA; LOOM_TOPO_NONE: it has no cable. */
static uint32_t switch_of(const struct loom_topo *t, uint32_t d) {
  for (uint32_t p = 1; p <= t->device[d].ports; p++)
    if (peer_of(t, d, p) != LOOM_TOPO_NONE)
      return peer_of(t, d, p);
  return LOOM_TOPO_NONE;
}

/* Hosts of a switch of a grid stand in a row below it, in the order of its ports. */
static bool place_host(const struct drawing *w, uint32_t d, struct place *at) {
  uint32_t s = switch_of(w->t, d), number = 0, hosts = 0;
  if (s == LOOM_TOPO_NONE || !is_switch(w->t, s))
    return false;
  for (uint32_t p = 1; p <= w->t->device[s].ports; p++) {
    hosts += is_host_at(w->t, s, p);
    number = !number && peer_of(w->t, s, p) == d ? hosts : number;
  }
  *at = place_in_grid(w, s);
  at->x += STEP * (number / (hosts + 1.0) - 0.5);
  at->y -= BELOW;
  return true;
}

/* Rows are as wide as the widest. */
static struct place place_in_row(struct drawing *w, uint32_t d) {
  uint32_t row = row_of(w->t, d), before = w->written[row]++;
  return (struct place){SIDE * (double)w->widest * (before + 0.5) / w->row[row], ROW * (double)row};
}

/* False: no place is known. */
static bool find_place(struct drawing *w, uint32_t d, struct place *at) {
  switch (w->arrangement) {
  case ARRANGED_ROWS:
    *at = place_in_row(w, d);
    return true;
  case ARRANGED_GRID:
    if (!is_switch(w->t, d))
      return place_host(w, d, at);
    if (!has_hosts(w->t, d))
      return find_joint(w, d, at);
    *at = place_in_grid(w, d);
    return true;
  default:
    return false;
  }
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

static void write_name(const struct loom_topo *t, uint32_t d, FILE *file) {
  fputc('"', file);
  for (const char *c = t->device[d].name; *c; c++) {
    if (*c == '"' || *c == '\\')
      fputc('\\', file);
    fputc(*c, file);
  }
  fputc('"', file);
}

/* Cables from device d to `peer` among its ports from `p` on. */
static uint32_t cables(const struct loom_topo *t, uint32_t d, uint32_t p, uint32_t peer) {
  uint32_t count = 0;
  for (; p <= t->device[d].ports; p++)
    count += loom_topo_port(t, d, p)->device == peer;
  return count;
}

/* One edge for all cables between two devices, labelled with their number if above 1. */
static void write_edges(const struct loom_topo *t, uint32_t d, FILE *file) {
  for (uint32_t p = 1; p <= t->device[d].ports; p++) {
    uint32_t peer = loom_topo_port(t, d, p)->device;
    if (peer == LOOM_TOPO_NONE || peer < d)
      continue;
    uint32_t count = cables(t, d, p, peer);
    if (count != cables(t, d, 1, peer))
      continue;
    fputs("  ", file);
    write_name(t, d, file);
    fputs(" -- ", file);
    write_name(t, peer, file);
    if (count > 1)
      fprintf(file, " [label=%" PRIu32 "]", count);
    fputs(";\n", file);
  }
}

static void write_device(struct drawing *w, uint32_t d, FILE *file) {
  struct place at;
  fputs("  ", file);
  write_name(w->t, d, file);
  fprintf(file, " [shape=%s", is_switch(w->t, d) ? "box" : "ellipse");
  if (find_place(w, d, &at))
    fprintf(file, ", pos=\"%.6g,%.6g!\"", at.x, at.y);
  fputs("];\n", file);
}

void loom_topo_write_dot(const struct loom_topo *t, FILE *file) {
  struct drawing w = {.t = t};
  w.arrangement = arrange_rows(&w)   ? ARRANGED_ROWS
                  : arrange_grid(&w) ? ARRANGED_GRID
                                     : ARRANGED_NOT;
  fputs("graph fabric {\n", file);
  for (uint32_t d = 0; d < t->devices; d++)
    write_device(&w, d, file);
  for (uint32_t d = 0; d < t->devices; d++)
    write_edges(t, d, file);
  fputs("}\n", file);
}
