/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto.h - traces that ui.perfetto.dev opens (docs/trace.md)
 *
 * A trace is a sequence of records of Protocol Buffers, so each function appends one or two of them
 * and traces can stand one after the other. Errors are those of the stream. Names of more than
 * LOOM_PERFETTO_NAME bytes are cut. */
#ifndef LOOM_IO_PERFETTO_H
#define LOOM_IO_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LOOM_PERFETTO_NAME = 200, LOOM_PERFETTO_NOTES = 4 };

/* A number beside a slice. */
struct loom_perfetto_note {
  const char *name; /* NULL: none */
  uint64_t value;
};

/* Something on a track that lasted. */
struct loom_perfetto_slice {
  uint64_t track;
  uint64_t begin, end; /* ns */
  uint64_t flow;       /* an arrow joins the slices that have the same, in the order of time */
  bool last;           /* of its flow */
  const char *name, *category;
  struct loom_perfetto_note note[LOOM_PERFETTO_NOTES];
};

/* A group of tracks. Numbers of tracks and groups are different from each other and not 0. */
void loom_perfetto_group(FILE *out, uint64_t number, uint32_t process, const char *name);
void loom_perfetto_track(FILE *out, uint64_t number, uint64_t group, const char *name);
/* Slices of a track come in order and do not overlap. */
void loom_perfetto_slice(FILE *out, const struct loom_perfetto_slice *slice);

#endif
