/* SPDX-License-Identifier: Apache-2.0 */
/* run_bench.h - the commands loom run, sweep and plot in a folder of their own, and what they leave
 * there. Of a command `a` and `b` go where it has an @. */
#ifndef LOOM_TB_UNIT_RUN_BENCH_H
#define LOOM_TB_UNIT_RUN_BENCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

enum { PATH = 200, COMMAND = 400 };

/* ---- files ----------------------------------------------------------------------------------- */

extern char bench_folder[SCRATCH_FOLDER];

/* Of a group of tests, and what goes with it. */
int make_folder(void **state);
int remove_folder(void **state);

/* The path of a file in the folder, until the fourth call after this one. */
const char *in_folder(const char *name);
void write_file(const char *name, const char *text);
bool is_there(const char *name);
void assert_same_file(const char *a, const char *b);
/* Two summaries say the same of a run, from whatever command line and file it came; they are given
 * back. */
void assert_same_figures(json_t *left, json_t *right);
/* The same of summary.json. */
void assert_same_summary(const char *a, const char *b);
/* All of a file that may be anywhere, the caller's; NULL: there is none. */
char *read_file(const char *path);

/* ---- running --------------------------------------------------------------------------------- */

struct outcome run(const char *command, const char *a, const char *b);
void assert_run(int status, const char *command, const char *a, const char *b);
/* It is refused in one line, which has `why` in it. */
void assert_says(const char *why, const char *command, const char *a, const char *b);
/* What it prints, which must be JSON; the caller's. */
json_t *json_of(const char *command, const char *a, const char *b);

/* What `act` gives in a process of its own. */
/* The first process that `pid` has started; 0: it has none. */
pid_t child_of(pid_t pid);

int in_child(int act(void));
/* The status of a command for which the disk is as good as full, so it says `why`; others: it did
 * not. For a process of its own. */
int with_little_room(const char *command, const char *a, const char *b, const char *why);

/* ---- what comes of it ------------------------------------------------------------------------ */

/* Everything was delivered whole, and something was. */
void assert_delivered(const json_t *root);
double mean_of(const json_t *class, const char *metric);
/* What comes of the text of a fabric file, from.yaml then, that delivers everything; the caller's.
 */
json_t *delivered_by(const char *text);
/* It is the same, to the bit. */
void assert_same_run(const char *a, const char *b);

/* sweep.yaml of six points. */
void write_sweep(const char *measure);

/* ---- tiny fabrics ---------------------------------------------------------------------------- */

#define RUN "run: {warmup: 200, measure: 600, drain: 20000, seeds: 1, interval: 200}\n...\n"
#define ONE                                                                                        \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 64}]\n"               \
  "traffic:\n"                                                                                     \
  "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"                                       \
  "  - {class: B, pattern: uniform, size: 64, load: 0.2, process: poisson}\n" RUN
#define LAYERED                                                                                    \
  "traffic:\n"                                                                                     \
  "  - {class: A, pattern: uniform, size: 256, load: 0.5}\n"                                       \
  "  - {class: B, pattern: random, size: 64, load: 0.4}\n" RUN
#define TWO                                                                                        \
  "classes: [{name: A, sl: 0, vls: [0, 1], mtu: 128}, {name: B, sl: 8, vls: [2, 3], mtu: "         \
  "64}]\n" LAYERED
#define THREE                                                                                      \
  "classes: [{name: A, sl: 0, vls: [0, 1, 2], mtu: 128}, "                                         \
  "{name: B, sl: 8, vls: [3, 4, 5], mtu: 64}]\n" LAYERED
#define SIX                                                                                        \
  "classes: [{name: A, sl: 0, vls: [0, 1, 2, 3, 4, 5], mtu: 128}, "                                \
  "{name: B, sl: 8, vls: [6, 7, 8, 9, 10, 11], mtu: 64}]\n" LAYERED

#define TINY_TREE                                                                                  \
  "---\nname: a\ntopology: {kind: tree, k: 3, n: 2}\n"                                             \
  "switch: {kind: opa, scheduler: sbt}\n"                                                          \
  "table: [{sl: 0, weight: 3}, {sl: 1, weight: 1}]\n" ONE
#define TINY_NET                                                                                   \
  "---\nname: g\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"                                \
  "routing: {engine: hdor}\nswitch: {kind: ib, scheduler: rr}\n" ONE

/* A ring without a dateline: it is refused, and taken all the same it gets stuck (TP-03). */
#define RING_OF(kind, parameters, routing, vls)                                                    \
  "---\nname: ring\ntopology: {kind: torus, size: 8, nodes: 4}\nrouting: " routing "\n"            \
  "switch: {kind: " kind ", scheduler: rr, parameters: {" parameters "}}\n"                        \
  "host: {buffer: 4096}\nclasses: [{name: A, sl: 0, " vls ", mtu: 1024}]\n"                        \
  "traffic: [{class: A, pattern: uniform, size: 1024, load: 1}]\n"                                 \
  "run: {warmup: 1000, measure: 100000, watchdog: 3000}\n...\n"

#define RING(routing) RING_OF("ib", "CELLS_IN: 16, CELLS_OUT: 16", routing, "vl: 0")

#endif
