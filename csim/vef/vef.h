/* SPDX-License-Identifier: Apache-2.0 */
/* vef.h - VEF, VEF2 and VEF3 traces: what a parallel program sends, as text and in memory
 * (docs/vef.md; VF-01..06, VF-08, VF-10)
 *
 * A trace holds records in file order. Each depends on at most one other record, so that a replay
 * (traffic/vef_replay.h) follows the speed of the network. Memory comes from the functions that
 * return a trace and goes with loom_vef_destroy; nothing else allocates, nothing here knows files.
 */
#ifndef LOOM_VEF_VEF_H
#define LOOM_VEF_VEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LOOM_VEF_TASKS = 65536,
  LOOM_VEF_COMMS = 65536,
  LOOM_VEF_CLOCK = 65535,    /* largest clock resolution, picoseconds */
  LOOM_VEF_MPI_CLOCK = 1000, /* of a header without a clock: times are nanoseconds */
  LOOM_VEF_TRIGGER = 4,      /* of dep: the receiver has a record that depends on this message */
  LOOM_VEF_NAME = 32,        /* bytes of a device's kind, NUL included */
  LOOM_VEF_NAMES_LATENCY = 65535
};
#define LOOM_VEF_NONE 0xFFFFFFFFu   /* no record */
#define LOOM_VEF_ID_MAX 0xFFFFFFFEu /* also of records in a trace */
#define LOOM_VEF_DTIME_MAX ((UINT64_C(1) << 47) - 1)

/* What a record waits for: dep & 3 (VF-05). */
enum loom_vef_after {
  LOOM_VEF_AT,       /* nothing: sent at cycle dtime of the trace */
  LOOM_VEF_SENT,     /* dtime after its own task sent a message */
  LOOM_VEF_RECEIVED, /* dtime after its own task received a message */
  LOOM_VEF_GROUP,    /* dtime after its own task was done with a collective */
};

enum loom_vef_kind {
  LOOM_VEF_MESSAGE,
  LOOM_VEF_COLLECTIVE, /* one task's part of a collective: a `G` line */
  LOOM_VEF_WAIT,       /* sends nothing; comes about when collectives are expanded */
};

enum loom_vef_op {
  LOOM_VEF_BROADCAST,
  LOOM_VEF_REDUCE,
  LOOM_VEF_ALLREDUCE,
  LOOM_VEF_GATHER,
  LOOM_VEF_SCATTER,
  LOOM_VEF_ALLGATHER,
  LOOM_VEF_BARRIER,
  LOOM_VEF_ALLTOALL,
  LOOM_VEF_OPS
};

/* Millions of these are in memory: 32 bytes each. */
struct loom_vef_record {
  uint64_t dtime;
  uint32_t id;     /* unique among messages; of a collective: shared by its parts */
  uint32_t length; /* bytes; of a collective: bytes that the task sends */
  uint32_t on;     /* index of the record it depends on, or LOOM_VEF_NONE */
  uint32_t origin; /* index of the record of the file that it comes from */
  uint16_t src;    /* task that the record belongs to */
  uint16_t dst;    /* message: task; collective: number of the communicator */
  uint8_t kind;    /* enum loom_vef_kind */
  uint8_t dep;     /* 0..7: enum loom_vef_after, and LOOM_VEF_TRIGGER */
  uint8_t op;      /* enum loom_vef_op */
};

/* One task's part of a collective; sorted by group, then by task. */
struct loom_vef_part {
  uint32_t group;
  uint32_t task;
  uint32_t record;
  uint32_t received; /* bytes that the task receives */
};

struct loom_vef_size {
  uint32_t version; /* 1..3 */
  uint32_t tasks;   /* 1.. */
  uint32_t comms;   /* 1.. */
  uint32_t records;
  uint32_t parts; /* of collectives, among the records */
  size_t members; /* of all communicators together */
};

struct loom_vef_trace {
  struct loom_vef_size size;
  uint32_t clock;       /* picoseconds a unit of dtime */
  uint32_t no_recv_dep; /* 0 or 1; not used any more (VF-01) */
  uint32_t groups;      /* collectives */
  uint32_t count;       /* records so far */
  uint32_t parts;       /* parts so far */
  struct loom_vef_record *record;
  struct loom_vef_part *part;
  size_t *comm;     /* comms + 1: where each communicator begins in `member` */
  uint32_t *member; /* tasks */
  uint32_t *slot;   /* hash of message ids: index of a record, or LOOM_VEF_NONE */
  uint32_t slots;   /* a quarter more than records */
};

/* What is wrong with a text. */
struct loom_vef_error {
  size_t line;         /* 1.. */
  const char *key;     /* field */
  const char *message; /* or NULL: a number is outside min..max */
  uint64_t min, max;
};

/* An empty trace with communicator 0 of all tasks if `members` is 0. NULL: out of memory. */
struct loom_vef_trace *loom_vef_create(const struct loom_vef_size *size);
void loom_vef_destroy(struct loom_vef_trace *trace);

/* Adds a record; false: no room, or a message of this id is there. */
bool loom_vef_append(struct loom_vef_trace *trace, const struct loom_vef_record *record);

/* Index of the message of this id, or LOOM_VEF_NONE. */
uint32_t loom_vef_find(const struct loom_vef_trace *trace, uint32_t id);

/* Brings the parts into their order, by group and task, once all are there. */
void loom_vef_sort_parts(struct loom_vef_trace *trace);

/* The part of `task` in a collective, NULL: it has none. */
const struct loom_vef_part *loom_vef_part_of(const struct loom_vef_trace *trace, uint32_t group,
                                             uint32_t task);

/* Sorts the records by task, in file order: those of task t become order[first[t]] up to
 * order[first[t + 1] - 1]. Room: tasks + 1 in `first`, count in `order`. */
void loom_vef_by_task(const struct loom_vef_trace *trace, uint32_t *first, uint32_t *order);

/* Line of the file that a record stands in, 1.. */
size_t loom_vef_line(const struct loom_vef_trace *trace, uint32_t record);

/* The words that stand for the operations in `G` lines, unless a reader is told others; NULL at
 * the end. */
extern const char *const loom_vef_op_names[LOOM_VEF_OPS + 1];

/* Reads a whole trace. `ops`: the words for the operations, NULL for loom_vef_op_names. NULL:
 * *error says why; it has no key if memory ran out. */
struct loom_vef_trace *loom_vef_parse(const char *text, size_t size,
                                      const char *const ops[LOOM_VEF_OPS],
                                      struct loom_vef_error *error);

/* Takes text; false: it cannot. */
typedef bool loom_vef_sink(void *context, const char *text, size_t size);

/* Writes a trace as it is read; not one with LOOM_VEF_WAIT records. False: the sink said so. */
bool loom_vef_write(const struct loom_vef_trace *trace, loom_vef_sink *sink, void *context);

/* ---- .names (VF-04) -------------------------------------------------------------------------- */

struct loom_vef_device {
  char kind[LOOM_VEF_NAME];
  uint32_t tile;
};

struct loom_vef_names {
  uint32_t latency; /* cycles between two devices of one tile */
  uint32_t count;
  struct loom_vef_device device[];
};

/* Reads a .names file. NULL: *error says why; it has no key if memory ran out. */
struct loom_vef_names *loom_vef_names_parse(const char *text, size_t size,
                                            struct loom_vef_error *error);
void loom_vef_names_destroy(struct loom_vef_names *names);

/* ---- what a trace is like -------------------------------------------------------------------- */

/* Sets the flags of messages that someone waits for and clears all others; the version becomes 3.
 */
void loom_vef_set_triggers(struct loom_vef_trace *trace);

/* Takes all trigger flags away; the version becomes 2 (VF-08). */
void loom_vef_strip_triggers(struct loom_vef_trace *trace);

struct loom_vef_triggers {
  uint32_t missing; /* messages without the flag that someone waits for */
  uint32_t idle;    /* messages with the flag that nobody waits for */
  uint32_t first;   /* id of the first that misses it, if any does */
};

/* Looks at the flags of a VEF3 trace; others have none and miss none (VF-08). `wanted` has room for
 * a byte a record: whether some record waits for its reception. */
void loom_vef_check_triggers(const struct loom_vef_trace *trace, uint8_t *wanted,
                             struct loom_vef_triggers *found);

/* Bytes that the lines of a collective of `n` tasks say (VF-10): what the root, or another task,
 * sends and receives. */
void loom_vef_op_bytes(enum loom_vef_op op, bool root, uint64_t block, uint32_t n, uint64_t *sent,
                       uint64_t *received);

/* How collectives become messages (VF-10). */
enum loom_vef_algorithm { LOOM_VEF_LINEAR, LOOM_VEF_RING, LOOM_VEF_DOUBLING, LOOM_VEF_TREE };
enum { LOOM_VEF_USUAL_ALGORITHM = LOOM_VEF_DOUBLING }; /* if nobody says which */

/* Names in files, by algorithm, NULL at the end. */
extern const char *const loom_vef_algorithm_names[LOOM_VEF_TREE + 2];

/* The trace with messages and waits in place of its collectives. NULL: out of memory, or more
 * records or longer messages than a trace can have. */
struct loom_vef_trace *loom_vef_expand(const struct loom_vef_trace *trace,
                                       enum loom_vef_algorithm algorithm);

struct loom_vef_chain {
  uint32_t messages; /* on the longest chain of dependencies */
  uint64_t time;     /* largest sum of dtime along a chain */
  uint32_t stuck;    /* a record that can never be sent, or LOOM_VEF_NONE */
};

/* Follows the dependencies of an expanded trace. False: out of memory. */
bool loom_vef_follow(const struct loom_vef_trace *trace, struct loom_vef_chain *chain);

#endif
