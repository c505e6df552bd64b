/* SPDX-License-Identifier: Apache-2.0 */
/* shim.cpp - makes one Verilated circuit a shared object with the C interface of shim.h
 *
 * Compiled once per configuration (circuit.mk), with the headers that Verilator wrote of it and
 * params.h, which tb/devices.py has left in its build folder: which device, its list and every
 * parameter. With SHIM_WAVES if Verilator was asked for a trace.
 */
#include "Vdut.h"
#include "Vdut___024root.h"
#include "verilated_fst_c.h"

#include "tb/cosim/shim.h"
#include <cstdlib>
#include <cstring>
#include <loom/bits.h>

#include "params.h"

namespace {

/* A port or register of any width, as the list's value of up to 64 bits ... */
template <class T> inline void put(T &port, uint64_t value) { port = static_cast<T>(value); }
template <class T> inline uint64_t get(const T &port) { return port; }

/* ... and lane by lane, lane 0 in the lowest bits. */
inline uint64_t mask(uint32_t bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

template <class T>
inline void put_lanes(T &port, const uint64_t *v, uint32_t lanes, uint32_t bits) {
  uint64_t flat = 0;
  for (uint32_t l = 0; l < lanes; l++)
    flat |= v[l] << (l * bits);
  port = static_cast<T>(flat);
}

template <std::size_t W>
inline void put_lanes(VlWide<W> &port, const uint64_t *v, uint32_t lanes, uint32_t bits) {
  uint64_t hold = 0; /* bits that are not yet in a word; never 32 or more before a lane is added */
  uint32_t held = 0, word = 0;
  for (uint32_t l = 0; l < lanes; l++) {
    uint64_t rest = v[l];
    for (uint32_t left = bits; left;) {
      uint32_t take = left < 32 ? left : 32;
      hold |= (rest & mask(take)) << held;
      rest >>= take;
      held += take;
      left -= take;
      if (held >= 32) {
        port[word++] = static_cast<EData>(hold);
        hold >>= 32;
        held -= 32;
      }
    }
  }
  if (held)
    port[word] = static_cast<EData>(hold);
}

template <class T>
inline void get_lanes(const T &port, uint64_t *v, uint32_t lanes, uint32_t bits) {
  for (uint32_t l = 0; l < lanes; l++)
    v[l] = (static_cast<uint64_t>(port) >> (l * bits)) & mask(bits);
}

template <std::size_t W>
inline void get_lanes(const VlWide<W> &port, uint64_t *v, uint32_t lanes, uint32_t bits) {
  for (uint32_t l = 0; l < lanes; l++) {
    uint32_t at = l * bits, word = at / 32, place = at % 32;
    uint64_t x = static_cast<uint64_t>(port[word]) >> place;
    for (uint32_t have = 32 - place; have < bits; have += 32)
      x |= static_cast<uint64_t>(port[++word]) << have;
    v[l] = x & mask(bits);
  }
}

struct Shim {
  VerilatedContext context;
  Vdut *top;
  VerilatedFstC *wave;
  uint64_t cycle;
};

#define P(NAME) LOOM_GLUE3(PARAM_, NAME, )
#define DUT_ID(suffix) LOOM_GLUE3(loom_, SHIM_DUT, suffix)

inline void drive(Vdut *t, const struct DUT_ID(_in) * in) {
#define LOOM_IN(name, bits) put(t->name##_i, in->name);
#define LOOM_IN_ARRAY(name, lanes, bits, max) put_lanes(t->name##_i, in->name, lanes, bits);
#include <loom/def_rest.h>
#include SHIM_LIST
#include <loom/def_undef.h>
}

#define P(NAME) LOOM_GLUE3(PARAM_, NAME, )
inline void look(const Vdut *t, struct DUT_ID(_out) * out, struct DUT_ID(_probe) * probe) {
#define LOOM_OUT(name, bits) out->name = get(t->name##_o);
#define LOOM_OUT_ARRAY(name, lanes, bits, max) get_lanes(t->name##_o, out->name, lanes, bits);
#define LOOM_PROBE(name, bits) probe->name = get(t->rootp->LOOM_GLUE3(SHIM_TOP, __DOT__, name##_q));
#include <loom/def_rest.h>
#include SHIM_LIST
#include <loom/def_undef.h>
  (void)probe;
}

void dump(Shim *s, uint64_t time) {
  if (s->wave)
    s->wave->dump(time);
}

/* One cycle up to its edge: the outputs of the cycle can be looked at in between. */
inline void settle(Shim *s) {
  s->top->clk_i = 0;
  s->top->eval();
}
inline void edge(Shim *s) {
  dump(s, s->cycle * 10);
  s->top->clk_i = 1;
  s->top->eval();
  dump(s, s->cycle * 10 + 5);
  s->cycle++;
}

void *shim_open(uint64_t random) {
  Shim *s = new Shim();
  s->context.threads(1);
  s->context.traceEverOn(true);
  s->context.randReset(random ? 2 : 0);
  s->context.randSeed(static_cast<int>(random % 0x7fffffff) + 1);
  s->top = new Vdut(&s->context, "rtl");
  s->top->clk_i = 0;
  s->top->rst_i = 0;
  s->top->eval();
  return s;
}

void wave_close(void *h) {
  Shim *s = static_cast<Shim *>(h);
  if (s->wave) {
    s->wave->close();
    delete s->wave;
    s->wave = nullptr;
  }
}

#ifdef SHIM_WAVES
void wave_open(void *h, const char *path, uint64_t cycle) {
  Shim *s = static_cast<Shim *>(h);
  wave_close(h);
  s->cycle = cycle;
  s->wave = new VerilatedFstC;
  s->top->trace(s->wave, 99);
  s->wave->open(path);
}
#else
constexpr decltype(shim_api::wave_open) wave_open = nullptr;
#endif

void shim_close(void *h) {
  Shim *s = static_cast<Shim *>(h);
  wave_close(h);
  s->top->final();
  /* Verilator 5.006 takes the names of what goes out of the thread's context: the one that was made
   * last, unless it is told. */
  Verilated::threadContextp(&s->context);
  delete s->top;
  delete s;
}

void shim_reset(void *h, const void *in) {
  Shim *s = static_cast<Shim *>(h);
  VerilatedFstC *wave = s->wave;
  s->wave = nullptr; /* reset has no place on the time axis: cycle 0 begins after it */
  uint64_t cycle = s->cycle;
  s->top->rst_i = 1;
  drive(s->top, static_cast<const struct DUT_ID(_in) *>(in));
  for (int i = 0; i < 2; i++) {
    settle(s);
    edge(s);
  }
  s->top->rst_i = 0;
  s->cycle = cycle;
  s->wave = wave;
}

size_t shim_run(void *h, const void *in, void *out, void *probe, size_t n) {
  Shim *s = static_cast<Shim *>(h);
  const struct DUT_ID(_in) *i = static_cast<const struct DUT_ID(_in) *>(in);
  struct DUT_ID(_out) *o = static_cast<struct DUT_ID(_out) *>(out);
  struct DUT_ID(_probe) *p = static_cast<struct DUT_ID(_probe) *>(probe);
  Verilated::threadContextp(&s->context); /* $stop is noted in the context of the thread */
  for (size_t c = 0; c < n; c++) {
    s->context.time(s->cycle); /* for the assertions */
    drive(s->top, &i[c]);
    settle(s);
    look(s->top, &o[c], &p[c]);
    edge(s);
    if (s->context.gotError())
      return c;
  }
  return n;
}

/* The state is Verilator's flattened root object. The ports live in it too, so it is brought to one
 * canonical form first: inputs 0, clock low. */
size_t state_size(const void *) { return sizeof(Vdut___024root); }

void state_save(void *h, void *to) {
  Shim *s = static_cast<Shim *>(h);
  struct DUT_ID(_in) zero;
  std::memset(&zero, 0, sizeof zero);
  drive(s->top, &zero);
  settle(s);
  std::memcpy(to, static_cast<const void *>(s->top->rootp), sizeof(Vdut___024root));
}

void state_load(void *h, const void *from) {
  Shim *s = static_cast<Shim *>(h);
  std::memcpy(static_cast<void *>(s->top->rootp), from, sizeof(Vdut___024root));
}

const struct DUT_ID(_cfg) config = {
#define LOOM_PARAM(NAME, dflt, min, max) P(NAME),
#define P(NAME) LOOM_GLUE3(PARAM_, NAME, )
#include <loom/def_rest.h>
#include SHIM_LIST
#include <loom/def_undef.h>
    0};

} // namespace

extern "C" __attribute__((visibility("default"))) const struct shim_api loom_shim;
const struct shim_api loom_shim = {SHIM_DUT_NAME, SHIM_CONFIG_NAME, &config,    shim_open,
                                   shim_close,    shim_reset,       shim_run,   wave_open,
                                   wave_close,    state_size,       state_save, state_load};
