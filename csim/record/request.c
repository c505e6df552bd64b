/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: what is known of them, and the functions that wait for them. */
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

enum { BUCKETS = 4096, FEW = 64 };

/* By handle; a program may have thousands at a time. */
static struct loom_record_request *bucket[BUCKETS];

static struct loom_record_request **place_of(const void *handle) {
  struct loom_record_request **place =
      &bucket[(uintptr_t)handle * UINT64_C(0x9E3779B97F4A7C15) >> 52];
  while (*place && (*place)->handle != handle)
    place = &(*place)->next;
  return place;
}

void loom_record_keep(const void *handle, const struct loom_record_request *request) {
  struct loom_record_request *r = loom_record_memory("a request", NULL, sizeof *r);
  struct loom_record_request **place = place_of(handle);
  if (*place) /* freed unseen, and its handle used again */
    loom_record_drop(handle);
  place = place_of(handle);
  *r = *request;
  r->handle = handle;
  r->next = *place;
  *place = r;
}

struct loom_record_request *loom_record_find(const void *handle) {
  return *place_of(handle);
}

void loom_record_drop(const void *handle) {
  struct loom_record_request **place = place_of(handle);
  struct loom_record_request *r = *place;
  if (!r)
    return;
  *place = r->next;
  loom_record_forget(r->plan);
  free(r);
}

void loom_record_complete(const char *call, const void *handle, MPI_Status *status) {
  struct loom_record_request *r = loom_record_find(handle);
  if (!r || !r->active)
    return;
  r->active = false;
  if (r->kind == LOOM_RECORD_RECEIVE)
    loom_record_receive(call, r->comm, r->post, status);
  if (r->kind == LOOM_RECORD_COLLECTIVE) {
    loom_record_finish(r->plan);
    r->plan = NULL;
  }
  if (!r->persistent)
    loom_record_drop(handle);
}

/* ---- one request ----------------------------------------------------------------------------- */

LOOM_RECORD(Wait)
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  MPI_Request waited = *request;
  int error = next_Wait()(request, got);
  if (outer && !error && waited != MPI_REQUEST_NULL)
    loom_record_complete("MPI_Wait", waited, got);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Test)
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  bool outer = loom_record_enter();
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  MPI_Status *got = status == MPI_STATUS_IGNORE ? &mine : status;
  MPI_Request waited = *request;
  int error = next_Test()(request, flag, got);
  if (outer && !error && *flag && waited != MPI_REQUEST_NULL)
    loom_record_complete("MPI_Test", waited, got);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Request_free)
int MPI_Request_free(MPI_Request *request) {
  bool outer = loom_record_enter();
  MPI_Request freed = *request;
  int error = next_Request_free()(request);
  if (outer && !error)
    loom_record_drop(freed);
  return loom_record_leave(outer, error);
}

/* ---- several --------------------------------------------------------------------------------- */

/* The handles and the statuses of a call: MPI overwrites the one and may be told to leave out the
 * other. */
struct several {
  MPI_Request few[FEW], *handle;
  MPI_Status few_got[FEW], *got;
  bool own_handles, own_statuses;
};

static void begin(struct several *s, int count, const MPI_Request *requests, MPI_Status *statuses) {
  size_t n = count > 0 ? (size_t)count : 0;
  s->own_handles = n > FEW;
  s->own_statuses = statuses == MPI_STATUSES_IGNORE && n > FEW;
  s->handle =
      s->own_handles ? loom_record_memory("requests", NULL, n * sizeof(MPI_Request)) : s->few;
  s->got = statuses != MPI_STATUSES_IGNORE ? statuses
           : s->own_statuses ? loom_record_memory("requests", NULL, n * sizeof *s->got)
                             : s->few_got;
  if (n)
    memcpy(s->handle, requests, n * sizeof(MPI_Request));
}

static void end(struct several *s) {
  if (s->own_handles)
    free(s->handle);
  if (s->own_statuses)
    free(s->got);
}

static void complete(const char *call, const struct several *s, int request, int status) {
  if (s->handle[request] != MPI_REQUEST_NULL)
    loom_record_complete(call, s->handle[request], &s->got[status]);
}

LOOM_RECORD(Waitall)
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  bool outer = loom_record_enter();
  struct several s;
  begin(&s, count, requests, statuses);
  int error = next_Waitall()(count, requests, s.got);
  for (int i = 0; outer && !error && i < count; i++)
    complete("MPI_Waitall", &s, i, i);
  end(&s);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Testall)
int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  bool outer = loom_record_enter();
  struct several s;
  begin(&s, count, requests, statuses);
  int error = next_Testall()(count, requests, flag, s.got);
  for (int i = 0; outer && !error && *flag && i < count; i++)
    complete("MPI_Testall", &s, i, i);
  end(&s);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Waitany)
int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  bool outer = loom_record_enter();
  struct several s;
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  begin(&s, count, requests, status == MPI_STATUS_IGNORE ? &mine : status);
  int error = next_Waitany()(count, requests, index, s.got);
  if (outer && !error && *index != MPI_UNDEFINED)
    complete("MPI_Waitany", &s, *index, 0);
  end(&s);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Testany)
int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  bool outer = loom_record_enter();
  struct several s;
  MPI_Status mine = {.MPI_ERROR = MPI_SUCCESS};
  begin(&s, count, requests, status == MPI_STATUS_IGNORE ? &mine : status);
  int error = next_Testany()(count, requests, index, flag, s.got);
  if (outer && !error && *flag && *index != MPI_UNDEFINED)
    complete("MPI_Testany", &s, *index, 0);
  end(&s);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Waitsome)
int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  bool outer = loom_record_enter();
  struct several s;
  begin(&s, count, requests, statuses);
  int error = next_Waitsome()(count, requests, done, indices, s.got);
  for (int i = 0; outer && !error && *done != MPI_UNDEFINED && i < *done; i++)
    complete("MPI_Waitsome", &s, indices[i], i);
  end(&s);
  return loom_record_leave(outer, error);
}

LOOM_RECORD(Testsome)
int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  bool outer = loom_record_enter();
  struct several s;
  begin(&s, count, requests, statuses);
  int error = next_Testsome()(count, requests, done, indices, s.got);
  for (int i = 0; outer && !error && *done != MPI_UNDEFINED && i < *done; i++)
    complete("MPI_Testsome", &s, indices[i], i);
  end(&s);
  return loom_record_leave(outer, error);
}
