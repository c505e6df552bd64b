/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - processors with caches on a fabric of twins, and what they send (docs/caches.md;
 * VF-11)
 *
 * Each host of the fabric is a tile with a processor, its L1 cache, a bank of the L2 cache with the
 * directory of its lines, and a memory. The processors run a program: what they do next depends on
 * when the fabric delivers.
 */
#ifndef LOOM_TB_CACHES_MACHINE_H
#define LOOM_TB_CACHES_MACHINE_H

#include <loom/fabric.h>

enum {
  TILES = 16,
  KINDS = 3, /* devices of a tile: L1, L2, memory */
  DEVICES = KINDS * TILES,
  WITHIN = 2, /* cycles of a message within a tile */
};
#define NOTHING UINT32_MAX

/* A message that was sent: what a record of VEF says, and when things happened. */
struct sent {
  uint32_t from, to; /* devices: number of the kind * TILES + tile */
  uint32_t bytes;
  uint32_t cause; /* the message after whose reception it was sent; NOTHING: the start */
  uint64_t posted, received;
};

struct log {
  struct sent *message; /* in the order in which they were sent */
  uint32_t count, room;
  uint64_t end; /* cycle of the last reception */
};

struct run {
  const struct loom_setup *setup;
  const char *program;
  uint32_t accesses; /* of each processor */
  uint32_t line;     /* bytes of a line */
  uint64_t seed;
  bool
      by_device; /* what happens in one cycle happens in the order of devices, else of its causes */
};

/* The names of programs, NULL at the end. */
extern const char *const program_names[];

/* Runs a program to its end. False: *why says why. */
bool machine_run(const struct run *run, struct log *log, struct loom_refusal *why);

#endif
