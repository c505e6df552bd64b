/* SPDX-License-Identifier: Apache-2.0 */
/* cosim.h - the lock-step engine: what a device, its stimulus and a Verilated circuit look like to
 * it
 *
 * Page: docs/cosim.md. A device is described once, by csim/D/N.def; tb/cosim/stim/N.c turns that
 * list into a `struct dut` (dut.h) and adds the traffic that drives it.
 */
#ifndef LOOM_TB_COSIM_H
#define LOOM_TB_COSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shim.h"

/* ---- random numbers: xoshiro256**, one stream a purpose -------------------------------------- */

struct rng {
  uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
/* Uniform in 0..n-1 (n >= 1). */
uint32_t rng_below(struct rng *r, uint32_t n);
/* Uniform in lo..hi. */
uint32_t rng_range(struct rng *r, uint32_t lo, uint32_t hi);
/* True num times in 256. */
bool rng_chance(struct rng *r, uint32_t num);
/* `bits` random bits of which about `density` in 256 are 1. */
uint64_t rng_bits(struct rng *r, uint32_t bits, uint32_t density);

/* ---- what a device measures of itself -------------------------------------------------------- */

enum { SHARES_MAX = 32, HISTORY = 8 };

/* A packet as a stimulus saw it; fields that a device does not have stay 0. */
struct packet_note {
  uint64_t cycle;
  uint32_t port, vl, dest, length, id;
};

/* Filled by `observe` from the outputs of the circuit. */
struct stats {
  uint64_t packets, grants;
  bool has_shares;
  uint64_t amount[SHARES_MAX]; /* per key or VL, in whatever unit the case shares out */
  uint64_t seen;               /* packets noted so far */
  struct packet_note last[HISTORY];
};

void stats_note(struct stats *s, const struct packet_note *note);
/* Share of key k in percent. */
double stats_share(const struct stats *s, uint32_t k);

/* ---- a device -------------------------------------------------------------------------------- */

enum field_dir { FIELD_IN, FIELD_OUT, FIELD_PROBE };

/* One line of the list. A field is `lanes` values of `bits` bits in uint64_t at `offset` of its
 * struct. */
struct field {
  const char *name;
  enum field_dir dir;
  bool array;
  size_t offset;
  uint32_t (*lanes)(const void *cfg);
  uint32_t (*bits)(const void *cfg);
};

struct scenario;

/* Traffic for a device. `next` drives it from the outputs of the twin; `observe` sees the inputs
 * and the outputs and probes of the circuit, later but in order, and must not touch what `next`
 * uses. */
struct stim {
  size_t size;
  /* Cycles between two resets with a new draw; 0: one run is one draw. */
  uint64_t episode;
  void (*init)(void *st, struct rng *rng, const void *cfg, const struct scenario *sc);
  /* Cycle 0 is the first after a reset; `out` is what the twin showed in the cycle before (all 0 in
   * cycle 0); `in` is all 0. */
  void (*next)(void *st, uint64_t cycle, const void *out, void *in);
  /* NULL, or looks into the twin after each of its cycles, for what the ports do not show; belongs
   * to the side of `next`. */
  void (*look_inside)(void *st, const void *twin);
  /* Here `cycle` counts through the whole run. */
  void (*observe)(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                  struct stats *stats);
  /* Cycles after reset in which outputs are not defined and not compared; NULL: none. */
  uint64_t (*warmup)(const void *cfg);
  /* NULL, or whether everything was right that `observe` has looked at: asked every now and then,
   * writes the reason into `why` if not. */
  bool (*check)(const void *st, char *why, size_t why_size);
  /* Whether the device agrees with what the scenario expects; writes the reason into `why` if not,
   * else what there is to report, if anything. */
  bool (*verdict)(const void *st, const struct stats *stats, char *why, size_t why_size);
  /* Breadth-first search: the number of inputs to try in a state, and the i-th of them. `twin` is
   * the state before the edge; an input that breaks the contract there is left out (false). */
  uint32_t (*bfs_depth)(const void *cfg); /* NULL, or its 0: until no state is new */
  uint32_t (*bfs_inputs)(const void *cfg);
  bool (*bfs_input)(const void *cfg, const void *twin, uint32_t i, void *in);
  /* NULL and 0, or bytes of notes that are part of a state, all 0 after reset: what the contract of
   * the user asks for beside the twin. `bfs_legal` completes the input, false leaves it out;
   * `bfs_after` is called with each input and its outputs. */
  size_t bfs_note_size;
  bool (*bfs_legal)(const void *cfg, const void *note, void *in);
  void (*bfs_after)(void *note, const void *in, const void *out);
};

/* A parameter of the list: a uint32_t at `offset` of the struct of parameters. */
struct param {
  const char *name;
  size_t offset;
};

struct dut {
  const char *name;
  const struct param *params;
  size_t param_count;
  void (*defaults)(void *cfg);
  const struct field *fields;
  size_t field_count;
  size_t cfg_size, in_size, out_size, probe_size, twin_size;
  size_t (*storage_size)(const void *cfg);
  void (*init)(void *twin, const void *cfg, void *storage);
  /* n cycles: probes before each step, then the step. */
  void (*run)(void *twin, const void *in, void *out, void *probe, size_t n);
  /* n cycles, nothing but the step: what the speed of the twin is measured on. */
  void (*step_only)(void *twin, const void *in, void *out, size_t n);
  const struct stim *stim;
};

/* Every device that is linked in, NULL at the end (build/cosim/devices.c, of tb/devices.py). */
extern const struct dut *const loom_duts[];
const struct dut *dut_find(const char *name);

/* ---- a circuit ------------------------------------------------------------------------------- */

struct circuit {
  const struct shim_api *api;
  const struct dut *dut;
  void *handle; /* of the circuit; NULL: the twin runs alone, its outputs stand for the circuit's */
  void *library;
  struct shim_api own; /* what stands for the library's when there is none, */
  void *own_cfg;       /* and its parameters */
};

/* Why something cannot be, a line. */
struct reason {
  char text[600];
};

/* Loads `dir`/<dut>-<config>/shim.so; false: *why says why. */
bool circuit_load(struct circuit *c, const char *dir, const struct dut *dut, const char *config,
                  uint64_t random, struct reason *why);
/* The same of a device's name; prints the reason. */
bool circuit_open(struct circuit *c, const char *dir, const char *dut, const char *config,
                  uint64_t random);
/* The same of one that has waves, which make may have to build. */
bool circuit_open_waves(struct circuit *c, const char *dir, const char *dut, const char *config,
                        uint64_t random);
/* No circuit, but its parameters: `params` is NAME=VALUE, separated by blanks. */
bool circuit_none(struct circuit *c, const char *dut, const char *config, const char *params);
void circuit_close(struct circuit *c);

/* ---- a run ----------------------------------------------------------------------------------- */

struct plant {
  bool on;
  uint64_t cycle;
  const struct field *field;
  uint32_t bit; /* of the flat bus: lane * bits + place */
};

struct run_opts {
  uint64_t seed, cycles;
  struct plant plant;
  const struct scenario *scenario;
  const char *record; /* .out file to write, or NULL */
  /* Dump waves for cycles from..to into wave_dir; NULL: none. */
  const char *wave_dir;
  uint64_t wave_from, wave_to;
};

struct difference {
  uint64_t cycle;
  const struct field *field;
  uint32_t lane;
  uint64_t circuit, twin;
};

struct run_result {
  uint64_t cycles; /* compared */
  bool differs;
  struct difference diff;
  bool failed; /* the twin is not deterministic, the verdict is no, a file cannot be written ... */
  char why[256];
  struct stats stats;
  char report[256]; /* what the verdict says beside yes */
  double twin_seconds, rtl_seconds;
  uint64_t twin_cycles, rtl_cycles;
};

void run(struct circuit *c, const struct run_opts *o, struct run_result *r);
/* The difference, and the packets before it. */
void difference_print(FILE *f, const struct difference *d, const struct stats *stats);

/* Flips the bit in the outputs of a cycle. */
void plant_flip(const struct plant *p, const void *cfg, void *out);
/* Reads CYCLE:OUTPUT:BIT; false: it names nothing, *why says why. */
bool plant_read(struct plant *p, const char *text, const struct dut *dut, const void *cfg,
                struct reason *why);
/* The same; prints the reason. */
bool plant_parse(struct plant *p, const char *text, const struct dut *dut, const void *cfg);

/* ---- breadth-first search -------------------------------------------------------------------- */

struct bfs_result {
  uint64_t states, transitions, depth;
  bool complete, differs, failed;
  bool bounded; /* complete up to the depth that the stimulus sets, states are left beyond it */
  struct difference diff;
  char why[256];
};

/* `plant`: the bit is flipped in the transition of this number, counted from 0. */
void bfs(struct circuit *c, uint64_t max_states, const struct plant *plant, struct bfs_result *r);

/* ---- values of fields ------------------------------------------------------------------------ */

uint64_t field_get(const struct field *f, const void *base, uint32_t lane);
void field_set(const struct field *f, void *base, uint32_t lane, uint64_t value);
/* First difference of two structs that hold the fields of `dir`; false if they agree. */
bool field_differs(const struct dut *dut, const void *cfg, enum field_dir dir, const void *circuit,
                   const void *twin, struct difference *d);

#endif
