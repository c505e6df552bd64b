/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between two ranks: sends, receptions, probes, persistent requests. */
#include <inttypes.h>

#include "record/record.h"

static unsigned posted; /* receptions of this rank */

unsigned loom_record_post(void) { return posted++; }

MPI_Count loom_record_bytes(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count * size;
}

void loom_record_send(const char *call, MPI_Comm comm, int dest, int tag, MPI_Count bytes) {
  if (dest == MPI_PROC_NULL)
    return;
  const struct loom_record_comm *c = loom_record_comm(call, comm);
  loom_record_check(call, bytes);
  loom_record_line("send", " %d %u %d %" PRId64, c->world[dest], c->index, tag, (int64_t)bytes);
}

void loom_record_receive(const char *call, MPI_Comm comm, unsigned post, MPI_Status *status) {
  MPI_Count bytes = 0;
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled || status->MPI_SOURCE == MPI_PROC_NULL)
    return;
  const struct loom_record_comm *c = loom_record_comm(call, comm);
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  loom_record_line("recv", " %u %d %u %d %" PRId64, post, c->world[status->MPI_SOURCE], c->index,
                   status->MPI_TAG, (int64_t)bytes);
}

/* ---- sends ----------------------------------------------------------------------------------- */

#define SEND(name)                                                                                 \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,              \
                 MPI_Comm comm) {                                                                  \
    bool outer = loom_record_enter();                                                              \
    int error = next_##name()(buffer, count, type, dest, tag, comm);                               \
    if (outer && !error)                                                                           \
      loom_record_send("MPI_" #name, comm, dest, tag, loom_record_bytes(count, type));             \
    return loom_record_leave(outer, error);                                                        \
  }

SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

/* Nothing is to be noted when such a request is complete. */
#define ISEND(name)                                                                                \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,              \
                 MPI_Comm comm, MPI_Request *request) {                                            \
    bool outer = loom_record_enter();                                                              \
    int error = next_##name()(buffer, count, type, dest, tag, comm, request);                      \
    if (outer && !error)                                                                           \
      loom_record_send("MPI_" #name, comm, dest, tag, loom_record_bytes(count, type));             \
    return loom_record_leave(outer, error);                                                        \
  }

ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

/* ---- receptions ------------------------------------------------------------------------------ */

LOOM_RECORD(Recv)
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  unsigned post = outer ? loom_record_post() : 0;
  int error = next_Recv()(buffer, count, type, source, tag, comm, got);
  if (outer && !error)
    loom_record_receive("MPI_Recv", comm, post, got);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Irecv)
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
  bool outer = loom_record_enter();
  int error = next_Irecv()(buffer, count, type, source, tag, comm, request);
  if (outer && !error)
    loom_record_keep(*request, &(struct loom_record_request){.kind = LOOM_RECORD_RECEIVE,
                                                             .active = true,
                                                             .comm = comm,
                                                             .post = loom_record_post()});
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Sendrecv)
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int source, int in_tag,
                 MPI_Comm comm, MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  unsigned post = outer ? loom_record_post() : 0;
  int error = next_Sendrecv()(out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                              source, in_tag, comm, got);
  if (outer && !error) {
    loom_record_send("MPI_Sendrecv", comm, dest, out_tag, loom_record_bytes(out_count, out_type));
    loom_record_receive("MPI_Sendrecv", comm, post, got);
  }
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Sendrecv_replace)
int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest, int out_tag,
                         int source, int in_tag, MPI_Comm comm, MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  unsigned post = outer ? loom_record_post() : 0;
  int error =
      next_Sendrecv_replace()(buffer, count, type, dest, out_tag, source, in_tag, comm, got);
  if (outer && !error) {
    loom_record_send("MPI_Sendrecv_replace", comm, dest, out_tag, loom_record_bytes(count, type));
    loom_record_receive("MPI_Sendrecv_replace", comm, post, got);
  }
  return loom_record_leave(outer, error);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* They say what is there and take nothing: only their time is MPI's. */
LOOM_RECORD(Probe)
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  bool outer = loom_record_enter();
  return loom_record_leave(outer, next_Probe()(source, tag, comm, status));
}

LOOM_RECORD(Iprobe)
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  bool outer = loom_record_enter();
  return loom_record_leave(outer, next_Iprobe()(source, tag, comm, flag, status));
}

/* A message that is taken out is matched here, so its reception counts as posted here. */
static void keep_message(MPI_Message message, MPI_Comm comm) {
  if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC)
    loom_record_keep(message, &(struct loom_record_request){.kind = LOOM_RECORD_RECEIVE,
                                                            .active = true,
                                                            .comm = comm,
                                                            .post = loom_record_post()});
}

LOOM_RECORD(Mprobe)
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  bool outer = loom_record_enter();
  int error = next_Mprobe()(source, tag, comm, message, status);
  if (outer && !error)
    keep_message(*message, comm);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Improbe)
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status) {
  bool outer = loom_record_enter();
  int error = next_Improbe()(source, tag, comm, flag, message, status);
  if (outer && !error && *flag)
    keep_message(*message, comm);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Mrecv)
int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
              MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  MPI_Message taken = *message;
  int error = next_Mrecv()(buffer, count, type, message, got);
  if (outer && !error)
    loom_record_complete("MPI_Mrecv", taken, got);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Imrecv)
int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request) {
  bool outer = loom_record_enter();
  MPI_Message taken = *message;
  int error = next_Imrecv()(buffer, count, type, message, request);
  const struct loom_record_request *known = outer && !error ? loom_record_find(taken) : NULL;
  if (known) {
    struct loom_record_request kept = *known;
    loom_record_drop(taken);
    loom_record_keep(*request, &kept);
  }
  return loom_record_leave(outer, error);
}

/* ---- persistent requests --------------------------------------------------------------------- */

#define SEND_INIT(name)                                                                            \
  LOOM_RECORD(name)                                                                                \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,              \
                 MPI_Comm comm, MPI_Request *request) {                                            \
    bool outer = loom_record_enter();                                                              \
    int error = next_##name()(buffer, count, type, dest, tag, comm, request);                      \
    if (outer && !error)                                                                           \
      loom_record_keep(*request,                                                                   \
                       &(struct loom_record_request){.kind = LOOM_RECORD_SEND,                     \
                                                     .persistent = true,                           \
                                                     .comm = comm,                                 \
                                                     .dest = dest,                                 \
                                                     .tag = tag,                                   \
                                                     .bytes = loom_record_bytes(count, type)});    \
    return loom_record_leave(outer, error);                                                        \
  }

SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

LOOM_RECORD(Recv_init)
int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
  bool outer = loom_record_enter();
  int error = next_Recv_init()(buffer, count, type, source, tag, comm, request);
  if (outer && !error)
    loom_record_keep(*request, &(struct loom_record_request){
                                   .kind = LOOM_RECORD_RECEIVE, .persistent = true, .comm = comm});
  return loom_record_leave(outer, error);
}

static void started(const char *call, MPI_Request request) {
  struct loom_record_request *r = loom_record_find(request);
  if (r)
    r->active = true;
  if (r && r->kind == LOOM_RECORD_SEND)
    loom_record_send(call, r->comm, r->dest, r->tag, r->bytes);
  else if (r && r->kind == LOOM_RECORD_RECEIVE)
    r->post = loom_record_post();
}

LOOM_RECORD(Start)
int MPI_Start(MPI_Request *request) {
  bool outer = loom_record_enter();
  int error = next_Start()(request);
  if (outer && !error)
    started("MPI_Start", *request);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Startall)
int MPI_Startall(int count, MPI_Request *requests) {
  bool outer = loom_record_enter();
  int error = next_Startall()(count, requests);
  for (int i = 0; outer && !error && i < count; i++)
    started("MPI_Startall", requests[i]);
  return loom_record_leave(outer, error);
}
