/* SPDX-License-Identifier: Apache-2.0 */
/* dut.h - makes the `struct dut` of a device from csim/D/N.def
 *
 * Included once by tb/cosim/stim/N.c, after the twin's header:
 *
 *     #include "parts/fifo.h"
 *     #define DUT_NAME fifo
 *     #define DUT_LIST "parts/fifo.def"
 *     #include "tb/cosim/dut.h"
 *     ... static const struct stim stim = {...};
 *     const struct dut fifo_dut = DUT_INIT(&stim);
 */
#if !defined(DUT_NAME) || !defined(DUT_LIST)
#error "define DUT_NAME and DUT_LIST before including this file"
#endif

#include <loom/bits.h>

#include "tb/cosim/cosim.h"

#define DUT_ID(suffix) LOOM_GLUE3(loom_, DUT_NAME, suffix)
#define DUT_STR_(x) #x
#define DUT_STR(x) DUT_STR_(x)

#define P(NAME) (((const struct DUT_ID(_cfg) *)cfg)->NAME)
#define DUT_FN(name, what, expr)                                                                   \
  static uint32_t dut_##what##_##name(const void *cfg) {                                           \
    (void)cfg;                                                                                     \
    return (uint32_t)(expr);                                                                       \
  }
#define DUT_ONE(name, dir, bits) DUT_FN(name, dir##_lanes, 1) DUT_FN(name, dir##_bits, bits)
#define DUT_MANY(name, dir, lanes, bits)                                                           \
  DUT_FN(name, dir##_lanes, lanes) DUT_FN(name, dir##_bits, bits)
#define LOOM_IN(name, bits) DUT_ONE(name, i, bits)
#define LOOM_OUT(name, bits) DUT_ONE(name, o, bits)
#define LOOM_PROBE(name, bits) DUT_ONE(name, q, bits)
#define LOOM_IN_ARRAY(name, lanes, bits, max) DUT_MANY(name, i, lanes, bits)
#define LOOM_OUT_ARRAY(name, lanes, bits, max) DUT_MANY(name, o, lanes, bits)
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>

#define DUT_FIELD(name, enumerator, array, part, d)                                                \
  {#name,                                                                                          \
   enumerator,                                                                                     \
   array,                                                                                          \
   offsetof(struct DUT_ID(part), name),                                                            \
   dut_##d##_lanes_##name,                                                                         \
   dut_##d##_bits_##name},
static const struct field dut_fields[] = {
#define LOOM_IN(name, bits) DUT_FIELD(name, FIELD_IN, false, _in, i)
#define LOOM_OUT(name, bits) DUT_FIELD(name, FIELD_OUT, false, _out, o)
#define LOOM_PROBE(name, bits) DUT_FIELD(name, FIELD_PROBE, false, _probe, q)
#define LOOM_IN_ARRAY(name, lanes, bits, max) DUT_FIELD(name, FIELD_IN, true, _in, i)
#define LOOM_OUT_ARRAY(name, lanes, bits, max) DUT_FIELD(name, FIELD_OUT, true, _out, o)
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
};

static const struct param dut_params[] = {
#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, offsetof(struct DUT_ID(_cfg), NAME)},
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
    {NULL, 0}};

static void dut_defaults(void *cfg) { DUT_ID(_defaults)(cfg); }

static size_t dut_storage_size(const void *cfg) {
  size_t size = 0;
#define P(NAME) (((const struct DUT_ID(_cfg) *)cfg)->NAME)
#define LOOM_STORAGE(bytes) size += (size_t)(bytes);
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
  (void)cfg;
  return size;
}

static void dut_init(void *twin, const void *cfg, void *storage) {
  (void)storage;
  DUT_ID(_init)
  (twin, cfg
#define LOOM_STORAGE(bytes) , storage
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
  );
}

static void dut_run(void *twin, const void *in, void *out, void *probe, size_t n) {
  const struct DUT_ID(_in) *i = in;
  struct DUT_ID(_out) *o = out;
  struct DUT_ID(_probe) *p = probe;
  for (size_t c = 0; c < n; c++) {
    DUT_ID(_probe)(twin, &p[c]);
    DUT_ID(_step)(twin, &i[c], &o[c]);
  }
}

static void dut_step_only(void *twin, const void *in, void *out, size_t n) {
  const struct DUT_ID(_in) *i = in;
  struct DUT_ID(_out) *o = out;
  for (size_t c = 0; c < n; c++)
    DUT_ID(_step)(twin, &i[c], &o[c]);
}

#define DUT_INIT(stimulus)                                                                         \
  {                                                                                                \
    .name = DUT_STR(DUT_NAME), .params = dut_params,                                               \
    .param_count = sizeof dut_params / sizeof dut_params[0] - 1, .defaults = dut_defaults,         \
    .fields = dut_fields, .field_count = sizeof dut_fields / sizeof dut_fields[0],                 \
    .cfg_size = sizeof(struct DUT_ID(_cfg)), .in_size = sizeof(struct DUT_ID(_in)),                \
    .out_size = sizeof(struct DUT_ID(_out)), .probe_size = sizeof(struct DUT_ID(_probe)),          \
    .twin_size = sizeof(struct DUT_ID()), .storage_size = dut_storage_size, .init = dut_init,      \
    .run = dut_run, .step_only = dut_step_only, .stim = (stimulus)                                 \
  }
