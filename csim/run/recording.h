/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - an MPI program is run with the recorder in front of MPI (docs/record.md) */
#ifndef LOOM_RUN_RECORDING_H
#define LOOM_RUN_RECORDING_H

#include "io/source.h"

struct loom_recording {
  const char *mpirun;   /* a command of Open MPI, with options of its own after blanks */
  uint32_t ranks;       /* 1.. */
  const char *library;  /* the recorder; NULL: the one that belongs to this command */
  const char *clock;    /* cpu, wall or none */
  const char *folder;   /* for the logs; it is there */
  char *const *command; /* the program and its arguments, NULL at the end */
};

enum loom_recording_end {
  LOOM_RECORDING_DONE,    /* all ranks came to their end */
  LOOM_RECORDING_FAILED,  /* the program did not, *err says how it ended */
  LOOM_RECORDING_REFUSED, /* it cannot be recorded, or cannot be started: *err says why */
};

/* Runs the program and waits for it. */
enum loom_recording_end loom_recording_run(const struct loom_recording *recording,
                                           struct loom_error *err);

/* A new folder whose name begins with `beside`: the caller's. NULL: *err says why. */
char *loom_recording_folder(const char *beside, struct loom_error *err);

/* Removes a folder of logs and what the recorder puts there. */
void loom_recording_remove(const char *folder, uint32_t ranks);

#endif
