/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command build/cosim/cosim */
#define _GNU_SOURCE /* argp */
#include "tb/cosim/play.h"
#include "tb/cosim/suite.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  KEY_PLAY = 1000,
  KEY_BFS,
  KEY_STATES,
  KEY_TEST,
  KEY_WAVES,
  KEY_NO_WAVES,
  KEY_VECTORS,
  KEY_CIRCUITS,
  KEY_RECORD,
  KEY_LONG,
  KEY_RESULTS,
  KEY_FOLLOW,
  KEY_NEEDED
};

struct args {
  struct suite_opts o;
  const char *vectors, *play;
  bool list, circuits_needed;
};

static const struct argp_option options[] = {
    {"dut", 'd', "NAME", 0, "Only this device", 0},
    {"config", 'c', "NAME", 0, "Only this configuration of it", 0},
    {"case", 'k', "NAME", 0, "Only this case; random: random traffic", 0},
    {"seed", 's', "N", 0, "Seed of configuration and traffic (default 1)", 0},
    {"cycles", 'n', "N", 0, "Cycles of each run (default: as listed)", 0},
    {"plant", 'p', "CYCLE:OUTPUT:BIT", 0,
     "Flip a bit of the circuit's output in this cycle: must be found", 0},
    {"waves", KEY_WAVES, "CYCLES", OPTION_ARG_OPTIONAL,
     "Waves also without a difference, of the first CYCLES (default 2000; with --play all)", 0},
    {"no-waves", KEY_NO_WAVES, NULL, 0, "No waves, not even of a difference", 0},
    {"record", KEY_RECORD, "FILE", 0, "Write inputs and expected outputs (.out) of the one run", 0},
    {"play", KEY_PLAY, "FILE", 0,
     "Run circuit and twin on a recorded .out file; with --record the twin alone", 0},
    {"bfs", KEY_BFS, NULL, 0, "Search all states instead of running traffic", 0},
    {"states", KEY_STATES, "N", 0, "Give a search up beyond N states (default 10000000)", 0},
    {"test", KEY_TEST, NULL, 0, "Print PASS or FAIL for each run instead of the table", 0},
    {"long", KEY_LONG, NULL, 0, "The long runs, and only these", 0},
    {"list", 'l', NULL, 0, "Print the runs, do not run them", 0},
    {"json", 'j', NULL, 0, "Print one JSON object a run", 0},
    {"results", KEY_RESULTS, "FILE", 0, "Also write one JSON object a run into this file", 0},
    {"jobs", 'J', "N", 0, "Runs at a time (default: as many as there are cores)", 0},
    {"circuits-needed", KEY_NEEDED, NULL, 0, "Print the circuits of the runs, do not run them", 0},
    {"follow", KEY_FOLLOW, NULL, 0,
     "Circuits are being built: each is named on standard input, a run waits for its own", 0},
    {"vectors", KEY_VECTORS, "FOLDER", 0, "Folder of the cases", 0},
    {"circuits", KEY_CIRCUITS, "FOLDER", 0, "Folder of the Verilated circuits", 0},
    {0}};

static uint64_t number(const char *text, const char *option, struct argp_state *state) {
  char *end;
  uint64_t v = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end)
    argp_failure(state, 2, 0, "--%s %s: not a number", option, text);
  return v;
}

static error_t option(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
  case 'd':
    a->o.dut = arg;
    break;
  case 'c':
    a->o.config = arg;
    break;
  case 'k':
    a->o.name = arg;
    break;
  case 's':
    a->o.seed = number(arg, "seed", state);
    break;
  case 'n':
    a->o.cycles = number(arg, "cycles", state);
    break;
  case 'p':
    a->o.plant = arg;
    break;
  case 'J':
    a->o.workers = (unsigned)number(arg, "jobs", state);
    break;
  case 'j':
    a->o.json = true;
    break;
  case 'l':
    a->list = true;
    break;
  case KEY_RECORD:
    a->o.record = arg;
    break;
  case KEY_PLAY:
    a->play = arg;
    break;
  case KEY_BFS:
    a->o.bfs = true;
    break;
  case KEY_TEST:
    a->o.test = true;
    break;
  case KEY_STATES:
    a->o.max_states = number(arg, "states", state);
    break;
  case KEY_LONG:
    a->o.late = true;
    break;
  case KEY_RESULTS:
    a->o.results = arg;
    break;
  case KEY_FOLLOW:
    a->o.follow = true;
    break;
  case KEY_NEEDED:
    a->circuits_needed = true;
    break;
  case KEY_VECTORS:
    a->vectors = arg;
    break;
  case KEY_CIRCUITS:
    a->o.circuits = arg;
    break;
  case KEY_NO_WAVES:
    a->o.no_waves = true;
    break;
  case KEY_WAVES:
    a->o.always_waves = true;
    a->o.wave_to = arg ? number(arg, "waves", state) : 2000;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp parser = {
    options,
    option,
    NULL,
    "Circuit and C twin of every device in lock-step: every output of every cycle is compared.\v"
    "Exit status: 0 no difference, 1 a difference or a failed check, 2 bad input.",
    NULL,
    NULL,
    NULL};

static void print_list(const struct job_list *l) {
  for (size_t i = 0; i < l->count; i++)
    printf("%-16s %-12s %-24s %" PRIu64 "\n", l->job[i].dut, l->job[i].config, l->job[i].name,
           l->job[i].cycles);
}

int main(int argc, char **argv) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  struct args a = {.o = {.circuits = "build/rtl",
                         .waves = "build/waves",
                         .seed = 1,
                         .workers = cores < 1 ? 1 : (unsigned)cores,
                         .max_states = 10000000},
                   .vectors = "vectors"};
  argp_err_exit_status = 2;
  argp_parse(&parser, argc, argv, 0, NULL, &a);
  if (a.play && a.o.record)
    return play_twin(a.play, a.o.record);
  if (a.play)
    return play(a.play, a.o.circuits, a.o.plant, a.o.always_waves ? a.o.waves : NULL);
  struct job_list l = {0};
  int status = 2;
  if (suite_read(&l, a.vectors)) {
    if (a.list)
      print_list(&l);
    status = a.list ? 0 : a.circuits_needed ? suite_print_circuits(&l, &a.o) : suite_run(&l, &a.o);
  }
  suite_free(&l);
  return status;
}
