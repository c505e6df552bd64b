/* SPDX-License-Identifier: Apache-2.0 */
/* read_sweep.h - the sweep file: one fabric over a grid of changes (docs/fabric.md) */
#ifndef LOOM_IO_READ_SWEEP_H
#define LOOM_IO_READ_SWEEP_H

#include "io/source.h"
#include "io/yaml_edit.h"
#include "io/yaml_schema.h"

/* What the file may say. */
extern const struct loom_yaml_schema loom_sweep_schema;

enum {
  LOOM_SWEEP_AXES = 4,
  LOOM_SWEEP_VALUES = 128, /* of an axis */
  LOOM_SWEEP_SETS = 16,    /* changes of a value */
  LOOM_SWEEP_POINTS = 4096,
  LOOM_SWEEP_LABEL = 40,   /* characters */
  LOOM_SWEEP_FOLDER = 240, /* characters of the name of a point's directory: 255, less `~part123` */
  LOOM_SWEEP_NAME = LOOM_SWEEP_AXES * (2 * LOOM_SWEEP_LABEL + 2) + 1
};

/* One value of an axis: what it is called and what it changes. */
struct loom_sweep_value {
  char label[LOOM_SWEEP_LABEL + 1];
  uint32_t sets;
  char *text[LOOM_SWEEP_SETS]; /* owned: path, NUL, value */
  struct loom_edit edit[LOOM_SWEEP_SETS];
};

struct loom_sweep_axis {
  char name[LOOM_SWEEP_LABEL + 1];
  uint32_t values;
  struct loom_sweep_value *value; /* owned */
};

struct loom_sweep {
  char name[64];
  char *fabric;                /* path of the fabric file; owned */
  struct loom_sweep_value all; /* changes of all points */
  uint32_t axes, points;
  uint32_t search; /* the axis of loads on which saturation is searched; `axes`: none */
  struct loom_sweep_axis axis[LOOM_SWEEP_AXES];
};

/* False: refused, *err says why and *sweep is empty. */
bool loom_read_sweep(struct loom_sweep *sweep, const struct loom_source *src,
                     struct loom_error *err);
void loom_sweep_free(struct loom_sweep *sweep);

/* Number of a point's value on an axis; the last axis changes fastest. */
uint32_t loom_sweep_place(const struct loom_sweep *sweep, uint32_t point, uint32_t axis);
/* The point with another value on an axis, and the same on all others. */
uint32_t loom_sweep_moved(const struct loom_sweep *sweep, uint32_t point, uint32_t axis,
                          uint32_t value);
/* Its name, which no other point has, fit for a directory: `load=0.2,scheduler=rr`. */
void loom_sweep_point_name(const struct loom_sweep *sweep, uint32_t point,
                           char name[LOOM_SWEEP_NAME]);
/* All changes of a point, in order; how many. */
size_t loom_sweep_edits(const struct loom_sweep *sweep, uint32_t point,
                        struct loom_edit edit[(LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS]);

#endif
