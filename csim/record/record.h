/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - the recorder of MPI programs: a library in front of Open MPI's own that notes what a
 * rank does in a log (docs/record.md; VF-13)
 *
 * Every function of MPI that sends, receives, waits or makes a communicator has a wrapper:
 *
 *     LOOM_RECORD(Send)                                  // next_Send, and PMPI_Send is MPI_Send
 *     int MPI_Send(...) {
 *       bool outer = loom_record_enter();                // the program's time ends, MPI's begins
 *       int error = next_Send()(...);
 *       if (outer && !error)
 *         loom_record_send(comm, dest, tag, bytes);
 *       return loom_record_leave(outer, error);          // the program's time goes on
 *     }
 *
 * A wrapper takes both names, MPI_X and PMPI_X: Open MPI's bindings for Fortran call the second. A
 * call that MPI makes within a call is not the program's own, and is not noted.
 *
 * The recorder has one state, in log.c, comm.c and request.c: the functions of MPI have no argument
 * that could carry it. MPI is initialized for one thread at a time, so nothing needs a lock.
 */
#ifndef LOOM_RECORD_RECORD_H
#define LOOM_RECORD_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function of this name in the next library, which is MPI's. */
void *loom_record_next(const char *name);

#define LOOM_RECORD(name)                                                                          \
  static __typeof__(&PMPI_##name) next_##name(void) {                                              \
    static void *found;                                                                            \
    if (!found)                                                                                    \
      found = loom_record_next("PMPI_" #name);                                                     \
    return (__typeof__(&PMPI_##name))found;                                                        \
  }                                                                                                \
  extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));

/* ---- the log --------------------------------------------------------------------------------- */

/* Begins and ends the log of this rank. Without LOOM_RECORD in the environment there is none. */
void loom_record_open(int rank, int ranks);
void loom_record_close(void);

/* Whether the call is the program's own and is noted; its computing ends. */
bool loom_record_enter(void);

/* The end of a call that entered; returns `error`. */
int loom_record_leave(bool outer, int error);

/* A line: `word`, the time since the line before, the rest. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void loom_record_line(const char *word, const char *format, ...);

/* Ends the program: it does what cannot be recorded. `call` is the name of a function. */
#ifdef __GNUC__
__attribute__((noreturn))
#endif
void loom_record_refuse(const char *call, const char *why);

/* As realloc, for `call`; without memory the program ends. */
void *loom_record_memory(const char *call, void *old, size_t size);

/* Refuses what a trace has no room for: bytes of 32 bits. */
void loom_record_check(const char *call, MPI_Count bytes);

/* ---- communicators --------------------------------------------------------------------------- */

struct loom_record_comm {
  MPI_Comm handle;      /* MPI_COMM_NULL: freed */
  unsigned index;       /* in the log */
  int size, rank;       /* of this rank in it */
  int *world;           /* by rank: rank in MPI_COMM_WORLD */
  unsigned collectives; /* begun so far */
};

/* The line that says who is in a communicator. */
void loom_record_members(const struct loom_record_comm *comm);

/* A communicator of this rank. One that no wrapper has seen ends the program; `call` asks. */
struct loom_record_comm *loom_record_comm(const char *call, MPI_Comm handle);

/* Takes down a communicator that has just been made. MPI_COMM_NULL is none. */
void loom_record_made(const char *call, MPI_Comm handle);
void loom_record_freed(MPI_Comm handle);

/* Bytes of so many elements. */
MPI_Count loom_record_bytes(MPI_Count count, MPI_Datatype type);

/* ---- messages -------------------------------------------------------------------------------- */

/* A message leaves; `dest` is a rank of the communicator, or MPI_PROC_NULL. */
void loom_record_send(const char *call, MPI_Comm comm, int dest, int tag, MPI_Count bytes);

/* A reception is posted: its number. */
unsigned loom_record_post(void);

/* It is complete. */
void loom_record_receive(const char *call, MPI_Comm comm, unsigned post, MPI_Status *status);

/* ---- requests -------------------------------------------------------------------------------- */

struct loom_record_plan;

enum loom_record_kind {
  LOOM_RECORD_RECEIVE,    /* a reception */
  LOOM_RECORD_SEND,       /* a persistent send: nothing to note when it is complete */
  LOOM_RECORD_COLLECTIVE, /* what is left to note of a collective */
};

/* What is known of a request or a message of MPI_Mprobe. */
struct loom_record_request {
  const void *handle;
  enum loom_record_kind kind;
  bool persistent;
  bool active; /* begun, and not complete */
  MPI_Comm comm;
  unsigned post;                 /* reception */
  int dest, tag;                 /* persistent send */
  MPI_Count bytes;               /* persistent send */
  struct loom_record_plan *plan; /* collective: the rest of it; owned */
  struct loom_record_request *next;
};

/* Keeps it under a handle, MPI_Request or MPI_Message. */
void loom_record_keep(const void *handle, const struct loom_record_request *request);

/* NULL: nothing is known of it. It stays. */
struct loom_record_request *loom_record_find(const void *handle);

/* Forgets it. */
void loom_record_drop(const void *handle);

/* Notes that the request is complete, and forgets it unless it is persistent. */
void loom_record_complete(const char *call, const void *handle, MPI_Status *status);

/* ---- collectives ----------------------------------------------------------------------------- */

/* Notes what is left of a collective whose call returned a request, and frees it. */
void loom_record_finish(struct loom_record_plan *plan);

/* Frees it without a note. */
void loom_record_forget(struct loom_record_plan *plan);

#endif
