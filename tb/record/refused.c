/* SPDX-License-Identifier: Apache-2.0 */
/* What cannot be recorded, and a program that does not come to its end.
 *
 *     mpirun -n N refused window|groups|spawn|killed|failed
 */
#include <mpi.h>
#include <signal.h>
#include <string.h>

static void window(void) {
  MPI_Win win;
  int memory = 0;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static void groups(int rank) {
  MPI_Comm half;
  MPI_Comm both;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
}

static void spawn(void) {
  MPI_Comm made;
  char command[] = "true";
  MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made,
                 MPI_ERRCODES_IGNORE);
}

int main(int argc, char **argv) {
  int rank = 0;
  const char *what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(what, "window"))
    window();
  if (!strcmp(what, "groups"))
    groups(rank);
  if (!strcmp(what, "spawn"))
    spawn();
  if (!strcmp(what, "killed") && rank == 1)
    raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return !strcmp(what, "failed") && rank == 1 ? 3 : 0;
}
