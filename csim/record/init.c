/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of MPI, the region of interest, and what cannot be recorded. */
#include <stdio.h>

#include "record/record.h"

static void begin(void) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  loom_record_open(rank, ranks);
  loom_record_made("MPI_Init", MPI_COMM_WORLD);
  loom_record_made("MPI_Init", MPI_COMM_SELF);
  loom_record_leave(true, 0); /* computing begins */
}

LOOM_RECORD(Init)
int MPI_Init(int *argc, char ***argv) {
  int error = next_Init()(argc, argv);
  if (!error)
    begin();
  return error;
}

LOOM_RECORD(Init_thread)
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  bool many = required == MPI_THREAD_MULTIPLE;
  int error = next_Init_thread()(argc, argv, many ? MPI_THREAD_SERIALIZED : required, provided);
  if (error)
    return error;
  begin();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (many && !rank)
    fprintf(stderr, "loom record: the program asks for MPI_THREAD_MULTIPLE and gets "
                    "MPI_THREAD_SERIALIZED: a trace has one order for each task\n");
  return MPI_SUCCESS;
}

LOOM_RECORD(Finalize)
int MPI_Finalize(void) {
  if (loom_record_enter())
    loom_record_close();
  return next_Finalize()();
}

LOOM_RECORD(Pcontrol)
int MPI_Pcontrol(const int level, ...) {
  bool outer = loom_record_enter();
  if (outer)
    loom_record_line("trace", " %d", level != 0);
  return loom_record_leave(outer, next_Pcontrol()(level));
}

/* ---- refused --------------------------------------------------------------------------------- */

#define REFUSE(name, parameters, arguments, why)                                                   \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name parameters {                                                                      \
    if (loom_record_enter())                                                                       \
      loom_record_refuse("MPI_" #name, why);                                                       \
    return loom_record_leave(false, next_##name() arguments);                                      \
  }

static const char one_sided[] = "one-sided communication cannot be recorded";
static const char two_groups[] = "a communicator between two groups cannot be recorded";
static const char later[] = "processes that start or join later cannot be recorded";

REFUSE(Win_create,
       (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, unit, info, comm, win), one_sided)
REFUSE(Win_allocate,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win), one_sided)
REFUSE(Win_allocate_shared,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win), one_sided)
REFUSE(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win),
       one_sided)
REFUSE(Intercomm_create,
       (MPI_Comm comm, int leader, MPI_Comm bridge, int remote, int tag, MPI_Comm *made),
       (comm, leader, bridge, remote, tag, made), two_groups)
REFUSE(Comm_spawn,
       (const char *command, char **argv, int most, MPI_Info info, int root, MPI_Comm comm,
        MPI_Comm *made, int *errors),
       (command, argv, most, info, root, comm, made, errors), later)
REFUSE(Comm_spawn_multiple,
       (int count, char **commands, char ***argvs, const int *most, const MPI_Info *infos, int root,
        MPI_Comm comm, MPI_Comm *made, int *errors),
       (count, commands, argvs, most, infos, root, comm, made, errors), later)
REFUSE(Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
       (port, info, root, comm, made), later)
REFUSE(Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
       (port, info, root, comm, made), later)
REFUSE(Comm_join, (int fd, MPI_Comm *made), (fd, made), later)
