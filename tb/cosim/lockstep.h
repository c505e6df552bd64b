/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep.h - a circuit follows its twin and is compared with it: the one comparison of the bench
 * and of fabrics
 *
 * Page: docs/cosim.md. Whoever drives the twin leaves inputs, outputs and probes of some cycles in
 * the chunk; the circuit then runs the same inputs, everything is compared, and within a window
 * both are dumped. The first difference is the same as with a comparison after each cycle, at a
 * fraction of the cost.
 */
#ifndef LOOM_TB_LOCKSTEP_H
#define LOOM_TB_LOCKSTEP_H

#include "tb/cosim/cosim.h"

/* Waves of the cycles from..to go into `dir`; NULL: none. */
struct window {
  const char *dir;
  uint64_t from, to;
};

struct waves;

struct lockstep {
  const struct circuit *c;
  const struct dut *dut;
  const void *cfg;
  struct plant plant;
  struct window window;
  /* Up to `chunk` cycles; the first two are the driver's. */
  size_t chunk;
  char *in, *twin_out, *twin_probe;
  char *circuit_out, *circuit_probe;
  struct waves *waves; /* while they are written */
  bool differs;
  struct difference diff; /* the first */
  const char *wrong;      /* NULL, or what else is wrong */
  double seconds;         /* of the circuit alone, CPU, */
  uint64_t cycles;        /* in so many cycles */
};

/* A chunk of so many cycles; all else is 0. False: out of memory. */
bool lockstep_open(struct lockstep *l, const struct circuit *c, size_t chunk);
/* Closes waves as well; the circuit is the caller's. */
void lockstep_close(struct lockstep *l);

/* How many of the next `n` cycles, from `cycle` on, may stand in one chunk: no more than it has,
 * and none on both sides of an end of the window. */
size_t lockstep_room(const struct lockstep *l, uint64_t cycle, uint64_t n);

/* The chunk holds n cycles, `cycle` and those after it, of which the first `blind` are not
 * compared. The number of cycles before the first difference, n: none in this chunk (or there was
 * one before).
 */
size_t lockstep_follow(struct lockstep *l, uint64_t cycle, size_t n, size_t blind);
/* The next chunk does not begin where the last one ended: if there were waves, they begin anew. */
void lockstep_leap(struct lockstep *l);
/* Closes the waves if `cycle`, the next one, lies after the window. False: it is over, there is a
 * difference and its waves are written. */
bool lockstep_goes_on(struct lockstep *l, uint64_t cycle);

/* CPU time of this process. */
double cpu_seconds(void);

#endif
