/* SPDX-License-Identifier: Apache-2.0 */
/* waves.c - writes the waves of circuit and twin (libfst, as Verilator installs it)
 *
 * rtl.fst is Verilator's own dump of everything inside the circuit. twin.fst has what the bench
 * compared: tb.in, tb.rtl (the circuit as the bench saw it), tb.twin, tb.mismatch. waves.gtkw opens
 * twin.fst with each output of the circuit above the same of the twin.
 */
#define _GNU_SOURCE /* mkdir; what fstapi.h uses */
#include "tb/cosim/waves.h"

#include <errno.h>
#include <gtkwave/fstapi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TIME_PER_CYCLE = 10 };

/* The handles of one field: a lane each, of what is shown in one scope. */
struct signals {
  fstHandle *lane;
};

struct waves {
  void *fst;
  const struct dut *dut;
  const void *cfg;
  struct signals *in, *rtl, *twin, *mismatch; /* by field; unused ones have no lane */
  fstHandle any;
  uint64_t last;
};

static const char *const suffix[] = {"_i", "_o", "_q"};

static void make_dirs(const char *path) {
  char part[512];
  for (size_t i = 0; i < sizeof part - 1 && path[i]; i++) {
    part[i] = path[i];
    part[i + 1] = 0;
    if (path[i + 1] == '/' || !path[i + 1])
      mkdir(part, 0777);
  }
}

static void signal_name(char *to, size_t size, const struct field *f, uint32_t lane,
                        uint32_t bits) {
  char index[24] = "", range[24] = "";
  if (f->array)
    snprintf(index, sizeof index, "_%u", lane);
  if (bits > 1)
    snprintf(range, sizeof range, "[%u:0]", bits - 1);
  snprintf(to, size, "%s%s%s%s", f->name, suffix[f->dir], index, range);
}

static struct signals *scope(struct waves *w, const char *name, bool inputs, bool one_bit) {
  struct signals *s = calloc(w->dut->field_count, sizeof *s);
  if (!s)
    return NULL;
  fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, name, NULL);
  for (size_t i = 0; i < w->dut->field_count; i++) {
    const struct field *f = &w->dut->fields[i];
    if ((f->dir == FIELD_IN) != inputs)
      continue;
    uint32_t lanes = f->lanes(w->cfg), bits = one_bit ? 1 : f->bits(w->cfg);
    s[i].lane = calloc(lanes ? lanes : 1, sizeof *s[i].lane);
    for (uint32_t l = 0; s[i].lane && l < lanes; l++) {
      char text[96];
      signal_name(text, sizeof text, f, l, bits);
      s[i].lane[l] = fstWriterCreateVar(w->fst, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, text, 0);
    }
  }
  fstWriterSetUpscope(w->fst);
  return s;
}

static void gtkw_group(FILE *f, const struct waves *w, size_t i, const char *name) {
  const struct field *fd = &w->dut->fields[i];
  uint32_t bits = fd->bits(w->cfg);
  for (uint32_t l = 0; l < fd->lanes(w->cfg); l++) {
    char text[96];
    signal_name(text, sizeof text, fd, l, bits);
    fprintf(f, "@%s\ntb.%s.%s\n", bits > 1 ? "22" : "28", name, text);
  }
}

static bool write_gtkw(const struct waves *w, const char *dir) {
  char path[512];
  snprintf(path, sizeof path, "%s/waves.gtkw", dir);
  FILE *f = fopen(path, "w");
  if (!f)
    return false;
  fprintf(f, "[*] circuit and twin of %s\n[dumpfile] \"%s/twin.fst\"\n", w->dut->name, dir);
  fprintf(f, "[timestart] 0\n[sst_expanded] 1\n@28\ntb.mismatch.any\n");
  for (size_t i = 0; i < w->dut->field_count; i++)
    if (w->dut->fields[i].dir == FIELD_IN)
      gtkw_group(f, w, i, "in");
  for (size_t i = 0; i < w->dut->field_count; i++) {
    if (w->dut->fields[i].dir == FIELD_IN)
      continue;
    fprintf(f, "@200\n-%s\n", w->dut->fields[i].name);
    gtkw_group(f, w, i, "rtl");
    gtkw_group(f, w, i, "twin");
  }
  return fclose(f) == 0;
}

struct waves *waves_open(const struct circuit *c, const char *dir, uint64_t cycle) {
  char path[512];
  struct waves *w = c->api->wave_open ? calloc(1, sizeof *w) : NULL;
  if (!w) {
    fprintf(stderr, "%s: the circuit has no waves, or memory ended\n", dir);
    return NULL;
  }
  make_dirs(dir);
  snprintf(path, sizeof path, "%s/twin.fst", dir);
  w->dut = c->dut;
  w->cfg = c->api->cfg;
  w->fst = fstWriterCreate(path, 1);
  if (!w->fst) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(w);
    return NULL;
  }
  fstWriterSetTimescaleFromString(w->fst, "1ns");
  fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, "tb", NULL);
  w->in = scope(w, "in", true, false);
  w->rtl = scope(w, "rtl", false, false);
  w->twin = scope(w, "twin", false, false);
  fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, "mismatch", NULL);
  w->any = fstWriterCreateVar(w->fst, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, "any", 0);
  w->mismatch = scope(w, "of", false, true);
  fstWriterSetUpscope(w->fst);
  fstWriterSetUpscope(w->fst);
  if (!w->in || !w->rtl || !w->twin || !w->mismatch || !write_gtkw(w, dir)) {
    fprintf(stderr, "%s: cannot write waves\n", dir);
    waves_close(w, c);
    return NULL;
  }
  snprintf(path, sizeof path, "%s/rtl.fst", dir);
  c->api->wave_open(c->handle, path, cycle);
  w->last = cycle;
  return w;
}

static void emit(struct waves *w, fstHandle h, uint64_t value, uint32_t bits) {
  char text[65];
  for (uint32_t i = 0; i < bits; i++)
    text[i] = (char)('0' + (value >> (bits - 1 - i) & 1));
  text[bits] = 0;
  fstWriterEmitValueChange(w->fst, h, text);
}

void waves_cycle(struct waves *w, uint64_t cycle, const void *in, const void *circuit_out,
                 const void *twin_out, const void *circuit_probe, const void *twin_probe) {
  bool any = false;
  fstWriterEmitTimeChange(w->fst, cycle * TIME_PER_CYCLE);
  for (size_t i = 0; i < w->dut->field_count; i++) {
    const struct field *f = &w->dut->fields[i];
    const void *a = f->dir == FIELD_IN ? in : f->dir == FIELD_OUT ? circuit_out : circuit_probe;
    const void *b = f->dir == FIELD_IN ? in : f->dir == FIELD_OUT ? twin_out : twin_probe;
    uint32_t bits = f->bits(w->cfg);
    for (uint32_t l = 0; l < f->lanes(w->cfg); l++) {
      uint64_t x = field_get(f, a, l), y = field_get(f, b, l);
      if (f->dir == FIELD_IN) {
        emit(w, w->in[i].lane[l], x, bits);
        continue;
      }
      emit(w, w->rtl[i].lane[l], x, bits);
      emit(w, w->twin[i].lane[l], y, bits);
      emit(w, w->mismatch[i].lane[l], x != y, 1);
      any |= x != y;
    }
  }
  emit(w, w->any, any, 1);
  w->last = cycle + 1;
}

static void free_signals(struct signals *s, size_t n) {
  for (size_t i = 0; s && i < n; i++)
    free(s[i].lane);
  free(s);
}

void waves_close(struct waves *w, const struct circuit *c) {
  c->api->wave_close(c->handle);
  fstWriterEmitTimeChange(w->fst, w->last * TIME_PER_CYCLE);
  fstWriterClose(w->fst);
  free_signals(w->in, w->dut->field_count);
  free_signals(w->rtl, w->dut->field_count);
  free_signals(w->twin, w->dut->field_count);
  free_signals(w->mismatch, w->dut->field_count);
  free(w);
}
