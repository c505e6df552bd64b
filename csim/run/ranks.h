/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h - the processes that run a fabric together, each a part of it (docs/ranks.md)
 *
 * What carries their messages is a library that only `--ranks` loads; the command itself needs
 * none.
 */
#ifndef LOOM_RUN_RANKS_H
#define LOOM_RUN_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loom_plan_error;

/* What one process has for another one. */
struct loom_ranks_bytes {
  unsigned char *at;
  size_t size, room; /* room: of what loom_ranks_add filled */
};

struct loom_ranks {
  uint32_t rank, count;
  /* Sends out[r] to each other rank r, and waits for what each has for this one: in[r], the
   * library's until the next call. False: *why of loom_ranks_why. */
  bool (*exchange)(void *context, const struct loom_ranks_bytes *out, struct loom_ranks_bytes *in);
  void *context;
};

/* What a library of ranks has to offer, under the name loom_ranks_library. */
struct loom_ranks_library {
  /* Of this process among those that were started together. False: *why says why not. */
  bool (*open)(struct loom_ranks *ranks, char *why, size_t size);
  /* All of them come here, or the run ends with this status for all. */
  void (*close)(struct loom_ranks *ranks, int status);
};

/* A library that was loaded. */
struct loom_ranks_loaded {
  void *library;
  const struct loom_ranks_library *api;
  struct loom_ranks ranks;
};

/* Loads the library that lies beside this command. False: *why says why not. */
bool loom_ranks_load(struct loom_ranks_loaded *l, char *why, size_t size);
void loom_ranks_unload(struct loom_ranks_loaded *l, int status);

/* More bytes for a rank. False: out of memory. */
bool loom_ranks_add(struct loom_ranks_bytes *b, const void *from, size_t size);
/* The next bytes of what came, which go. False: there are not so many. */
bool loom_ranks_cut(struct loom_ranks_bytes *b, void *to, size_t size);

/* Each rank comes with what it has against going on (status 0: nothing), and leaves with what the
 * first of them has. False: one has something. */
bool loom_ranks_agree(const struct loom_ranks *r, struct loom_plan_error *err);

#endif
