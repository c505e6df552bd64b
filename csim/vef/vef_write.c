/* SPDX-License-Identifier: Apache-2.0 */
/* Trace to text (docs/formats.md). */
#include <string.h>

#include "vef/vef.h"

enum { CHUNK = 4096, FIELD = 24 };

/* Text on its way to the sink. */
struct writer {
  loom_vef_sink *sink;
  void *context;
  bool failed;
  size_t used;
  char text[CHUNK];
};

static void flush(struct writer *w) {
  if (w->used && !w->failed)
    w->failed = !w->sink(w->context, w->text, w->used);
  w->used = 0;
}

static void put_text(struct writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->used + length > CHUNK)
    flush(w);
  memcpy(w->text + w->used, text, length);
  w->used += length;
}

static void put_number(struct writer *w, const char *before, uint64_t value) {
  char digits[FIELD];
  char *at = digits + sizeof digits - 1;
  *at = 0;
  do
    *--at = (char)('0' + value % 10);
  while (value /= 10);
  put_text(w, before);
  put_text(w, at);
}

static void put_dependency(struct writer *w, const struct loom_vef_trace *t,
                           const struct loom_vef_record *r) {
  put_number(w, " ", r->dep);
  put_number(w, " ", r->dtime);
  if ((r->dep & 3) == LOOM_VEF_AT)
    put_text(w, " -1");
  else
    put_number(w, (r->dep & 3) == LOOM_VEF_GROUP ? " G" : " ", t->record[r->on].id);
  put_text(w, "\n");
}

static void put_record(struct writer *w, const struct loom_vef_trace *t,
                       const struct loom_vef_record *r) {
  bool group = r->kind == LOOM_VEF_COLLECTIVE;
  put_number(w, group ? "G" : "", r->id);
  if (group) {
    put_number(w, " ", r->dst);
    put_text(w, " ");
    put_text(w, loom_vef_op_names[r->op]);
    put_number(w, " ", r->src);
    put_number(w, " ", r->length);
    put_number(w, " ", loom_vef_part_of(t, r->id, r->src)->received);
  } else {
    put_number(w, " ", r->src);
    put_number(w, " ", r->dst);
    put_number(w, " ", r->length);
  }
  put_dependency(w, t, r);
}

static void put_header(struct writer *w, const struct loom_vef_trace *t) {
  const struct loom_vef_size *s = &t->size;
  put_text(w, s->version == 3 ? "VEF3" : s->version == 2 ? "VEF2" : "VEF");
  put_number(w, " ", s->tasks);
  put_number(w, " ", t->count - t->parts);
  put_number(w, " ", s->comms);
  put_number(w, " ", t->groups);
  put_number(w, " ", t->parts);
  put_number(w, " ", t->no_recv_dep);
  put_number(w, " ", t->clock);
  put_text(w, "\n");
}

bool loom_vef_write(const struct loom_vef_trace *t, loom_vef_sink *sink, void *context) {
  struct writer w = {.sink = sink, .context = context};
  put_header(&w, t);
  for (uint32_t c = 0; c < t->size.comms; c++) {
    put_number(&w, "C", c);
    for (size_t i = t->comm[c]; i < t->comm[c + 1]; i++)
      put_number(&w, " ", t->member[i]);
    put_text(&w, "\n");
  }
  for (uint32_t i = 0; i < t->count; i++)
    put_record(&w, t, &t->record[i]);
  flush(&w);
  return !w.failed;
}
