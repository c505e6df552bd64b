/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h - the list of runs of `make sim`, some at a time, one table */
#ifndef LOOM_TB_SUITE_H
#define LOOM_TB_SUITE_H

#include "tb/cosim/cosim.h"

/* What tb/devices.py has read of tb/devices.list and tb/cosim/cases.list, in their order; a NULL at
 * the end (build/cosim/devices.c). */
struct listed_config {
  const char *device, *name;
  uint64_t cycles;    /* of a run with random traffic, 0: none */
  bool circuit;       /* else the twin runs alone */
  const char *params; /* " NAME=VALUE" for each that is not at its default */
};
struct listed_case {
  const char *device, *config, *name;
  uint64_t cycles;
  bool twin, late; /* the twin alone, without its circuit; in `make sim-long` only */
};
extern const struct listed_config listed_configs[];
extern const struct listed_case listed_cases[];

struct job {
  char dut[32], config[32], name[64]; /* name: "random" or <table>:<case> */
  char path[256], case_name[64];      /* the published table and its case; "" for random traffic */
  const char *params;                 /* of the configuration, as listed */
  bool directed, alone, late;         /* a case of cases.list; twin alone; for sim-long only */
  uint64_t cycles;
};

struct job_list {
  struct job *job;
  size_t count;
};

/* What is listed, the cases of the published tables (vectors/papers) and packet streams; false
 * after a line `file:line: reason`. */
bool suite_read(struct job_list *l, const char *vectors);
void suite_free(struct job_list *l);

struct suite_opts {
  const char *dut, *config, *name; /* only these, NULL: all */
  const char *circuits, *waves;    /* folders */
  uint64_t seed, cycles;           /* cycles 0: as listed */
  const char *plant;
  bool always_waves, no_waves, json, bfs, test, late;
  uint64_t max_states; /* of a search */
  uint64_t wave_to;    /* end of the window when there is no difference */
  const char *record;
  const char *results; /* file that gets a JSON object a run; NULL: none */
  bool follow; /* names of circuits come on stdin as they are built; a run waits for its own */
  unsigned workers;
};

/* Exit status: 0 all agree, 1 a difference or a failed check, 2 bad input. */
int suite_run(const struct job_list *l, const struct suite_opts *o);

/* Prints the circuits that these runs need, DEVICE-CONFIGURATION a line, in the order of the runs.
 * Exit status: 0 done, 2 no run is chosen. */
int suite_print_circuits(const struct job_list *l, const struct suite_opts *o);

#endif
