/* SPDX-License-Identifier: Apache-2.0 */
/* vef_log.h - what the ranks of an MPI program noted, and the trace that it makes (docs/record.md;
 * VF-13)
 *
 * A log is read rank by rank; loom_vef_merge finds out what belongs together. Memory comes from the
 * functions that return a log or a trace, and goes with loom_vef_log_free and loom_vef_destroy.
 */
#ifndef LOOM_VEF_VEF_LOG_H
#define LOOM_VEF_VEF_LOG_H

#include "vef/vef.h"

enum {
  LOOM_VEF_LOG_TAG = 0x7FFFFFFF, /* largest tag, post, number of a communicator or collective */
  LOOM_VEF_SCALE = 1000          /* a scale of computing times is so many parts of 1 */
};

enum loom_vef_event_kind {
  LOOM_VEF_EVENT_SEND,
  LOOM_VEF_EVENT_RECEIVE,
  LOOM_VEF_EVENT_COLLECTIVE,
  LOOM_VEF_EVENT_TRACE, /* recording goes on, or rests */
  LOOM_VEF_EVENT_END,
};

/* A line of a log. */
struct loom_vef_event {
  uint64_t time;  /* nanoseconds of computing since the event before */
  uint32_t line;  /* of the file */
  uint32_t peer;  /* other rank; of a collective: its root */
  uint32_t comm;  /* of this rank */
  uint32_t tag;   /* of a message; number of the collective */
  uint32_t post;  /* of a reception; TRACE: whether it goes on */
  uint32_t bytes; /* of a message; of a collective: its block */
  uint8_t kind;   /* enum loom_vef_event_kind */
  uint8_t op;     /* enum loom_vef_op */
  bool part;      /* a message within a collective, whose number is `tag` */
};

/* A communicator of a rank, beyond those of all ranks (0) and of itself (1). */
struct loom_vef_log_comm {
  uint32_t line;
  uint32_t size;
  size_t first; /* in `member` */
};

struct loom_vef_log {
  uint32_t rank, ranks;
  size_t events, comms, members;
  struct loom_vef_event *event;
  struct loom_vef_log_comm *comm;
  uint32_t *member;
};

/* Reads the log of a rank. False: *error says why; it has no key if memory ran out. */
bool loom_vef_log_parse(struct loom_vef_log *log, const char *text, size_t size,
                        struct loom_vef_error *error);
void loom_vef_log_free(struct loom_vef_log *log);

/* What becomes of the logs. */
struct loom_vef_merge_cfg {
  uint32_t scale; /* computing times are multiplied by scale / LOOM_VEF_SCALE */
  uint32_t from,
      to; /* collectives of all ranks, by number: only what lies between them, and they */
};

/* All of it, as it was. */
#define LOOM_VEF_MERGE_ALL                                                                         \
  (struct loom_vef_merge_cfg) { .scale = LOOM_VEF_SCALE, .to = LOOM_VEF_LOG_TAG }

/* What a merge found. */
struct loom_vef_merged {
  uint64_t messages, bytes; /* that the program sent by itself, as far as they are in the trace */
  uint64_t collectives;     /* in the trace as such */
  uint64_t parts;           /* messages of other collectives in the trace */
  uint64_t unreceived;      /* messages of all kinds that nobody received */
};

/* The trace of a program; `log` are those of all ranks, in order. NULL: *error says what does not
 * fit together, and in the log of which rank; it has no key if memory ran out or there are too many
 * records. */
struct loom_vef_trace *loom_vef_merge(const struct loom_vef_log *log, uint32_t ranks,
                                      const struct loom_vef_merge_cfg *cfg,
                                      struct loom_vef_merged *merged, struct loom_vef_error *error,
                                      uint32_t *rank);

#endif
