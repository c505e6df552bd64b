/* SPDX-License-Identifier: Apache-2.0 */
/* def.h - structs of a device from its one list of parameters, ports and probes (csim/D/N.def)
 *
 * No include guard: include it once per device, after naming the device and its list. It declares
 *   struct loom_N_cfg      one uint32_t per LOOM_PARAM, in the order of the list
 *   struct loom_N_in       one uint64_t per LOOM_IN, one uint64_t[max] per LOOM_IN_ARRAY
 *   struct loom_N_out      the same for LOOM_OUT and LOOM_OUT_ARRAY
 *   struct loom_N_probe    one uint64_t per LOOM_PROBE
 *   loom_N_defaults(cfg)   sets every parameter to its default
 *   loom_N_bad_param(cfg)  name of the first parameter outside its range, NULL when all are inside
 * and undefines LOOM_DUT, LOOM_DEF and every macro of the list again.
 *
 * A list, csim/parts/blinker.def (P(NAME) is the value of a parameter):
 *
 *     LOOM_PARAM(N, 4, 1, 16)                    loom_blinker has parameter N, 1..16, default 4
 *     LOOM_IN(en, 1)                             port en_i
 *     LOOM_IN_ARRAY(period, P(N), 8, 16)         port period_i, P(N) lanes of 8 bits, lane 0 lowest
 *     LOOM_OUT(lit, P(N))                        port lit_o, P(N) bits
 *     LOOM_PROBE(count, 8)                       register count_q of the top module
 *
 * The twin's header, csim/parts/blinker.h (compile with -Icsim/include -Icsim):
 *
 *     #ifndef LOOM_PARTS_BLINKER_H
 *     #define LOOM_PARTS_BLINKER_H
 *     #define LOOM_DUT blinker
 *     #define LOOM_DEF "parts/blinker.def"
 *     #include <loom/def.h>
 *
 *     struct loom_blinker {
 *       struct loom_blinker_cfg cfg;
 *       uint64_t count;
 *     };
 *     void loom_blinker_init(struct loom_blinker *s, const struct loom_blinker_cfg *cfg);
 *     void loom_blinker_step(struct loom_blinker *s, const struct loom_blinker_in *in,
 *                            struct loom_blinker_out *out);
 *     void loom_blinker_probe(const struct loom_blinker *s, struct loom_blinker_probe *p);
 *     #endif
 *
 * A twin whose memories depend much on its parameters keeps them in storage that the caller hands
 * in, and its list says so:
 *
 *     LOOM_STORAGE(bytes)                        init takes a third argument, `void *storage`
 *
 * The storage holds `bytes` (an expression of the parameters; also loom_N_storage_size(cfg)) and is
 * aligned to 8. Such a twin keeps a pointer to it and no other pointer. Either kind of init is
 * called by
 *
 *     LOOM_GLUE3(loom_, LOOM_DUT, _init)(s, cfg
 *     #define LOOM_STORAGE(bytes) , storage
 *     #include <loom/def_rest.h>
 *     #include LOOM_DEF
 *     #include <loom/def_undef.h>
 *     );
 *
 * `bool loom_N_cfg_ok(cfg)` says whether the parameters are legal together, not only each by
 * itself.
 *
 * A field carries the port's value in its low bits; the bits above are 0. Lanes from `lanes` up to
 * `max` are 0 in inputs and must be written 0 in outputs. Every twin has the three functions above,
 * also when its list has no probe (the probe struct then holds nothing but its end marker).
 *
 * Whoever needs another view of the list (descriptor tables, shims, wrappers) defines the macros it
 * wants, includes <loom/def_rest.h> (defines the others to nothing), the list, <loom/def_undef.h>.
 */

#if !defined(LOOM_DUT) || !defined(LOOM_DEF)
#error "define LOOM_DUT and LOOM_DEF before including <loom/def.h>"
#endif

#include <stddef.h>
#include <stdint.h>

#ifndef LOOM_GLUE3
#define LOOM_GLUE3_(a, b, c) a##b##c
#define LOOM_GLUE3(a, b, c) LOOM_GLUE3_(a, b, c)
#endif

/* `loom_end` keeps a struct from being empty, which C11 does not allow. */
struct LOOM_GLUE3(loom_, LOOM_DUT, _cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) uint32_t NAME;
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  uint32_t loom_end;
};

struct LOOM_GLUE3(loom_, LOOM_DUT, _in) {
#define LOOM_IN(name, bits) uint64_t name;
#define LOOM_IN_ARRAY(name, lanes, bits, max) uint64_t name[max];
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
};

struct LOOM_GLUE3(loom_, LOOM_DUT, _out) {
#define LOOM_OUT(name, bits) uint64_t name;
#define LOOM_OUT_ARRAY(name, lanes, bits, max) uint64_t name[max];
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
};

struct LOOM_GLUE3(loom_, LOOM_DUT, _probe) {
#define LOOM_PROBE(name, bits) uint64_t name;
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  uint64_t loom_end;
};

static inline void LOOM_GLUE3(loom_, LOOM_DUT,
                              _defaults)(struct LOOM_GLUE3(loom_, LOOM_DUT, _cfg) * cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = (uint32_t)(dflt);
#define P(NAME) cfg->NAME
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  cfg->loom_end = 0;
}

static inline const char *
LOOM_GLUE3(loom_, LOOM_DUT, _bad_param)(const struct LOOM_GLUE3(loom_, LOOM_DUT, _cfg) * cfg) {
/* 64-bit differences: a lower bound of 0 compares without a tautology warning. */
#define LOOM_PARAM(NAME, dflt, min, max)                                                           \
  if ((int64_t)cfg->NAME < (int64_t)(min) || (int64_t)cfg->NAME > (int64_t)(max))                  \
    return #NAME;
#define P(NAME) cfg->NAME
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  (void)cfg;
  return NULL;
}

#undef LOOM_DUT
#undef LOOM_DEF
