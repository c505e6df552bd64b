! SPDX-License-Identifier: Apache-2.0
! A message of 100 numbers around all ranks, and their sum: Open MPI's bindings for Fortran.
program ring
  implicit none
  include 'mpif.h'
  integer :: error, rank, ranks, request(2), statuses(MPI_STATUS_SIZE, 2)
  double precision :: out(100), in(100), total(100)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  out = rank
  call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, request(1), error)
  call MPI_Isend(out, 100, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 1, MPI_COMM_WORLD, request(2), error)
  call MPI_Waitall(2, request, statuses, error)
  call MPI_Allreduce(in, total, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program ring
