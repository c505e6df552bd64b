/* SPDX-License-Identifier: Apache-2.0 */
/* bench.cpp - circuit, twin and recorded vectors side by side under SystemC
 *
 *     bench [--plant=CYCLE:OUTPUT:BIT] FILE.out
 *
 * Compiled once a configuration: Vdut is the circuit as Verilator's --sc writes it, the macros
 * name the device and its parameters (systemc.mk). In every cycle every output of the circuit must
 * be what the twin shows and what the file says. Stops at the first difference. Page:
 * docs/cosim.md. Exit status: 0 none, 1 a difference, 2 bad input.
 */
#include "Vdut.h"

#define LOOM_SC_DUT DUT_NAME
#define LOOM_SC_TWIN DUT_TWIN
#define LOOM_SC_LIST DUT_LIST
#include "tb/systemc/twin.h"

extern "C" {
#include "tb/cosim/outfile.h"
/* The reader of the files shares a source file with what looks devices up; none is looked up here.
 */
const struct dut *const loom_duts[] = {nullptr};
}

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

/* An assertion of the circuit failed and has said so: the run ends here. */
void vl_stop(const char *, int, const char *) VL_MT_UNSAFE {
  Verilated::threadContextp()->gotError(true);
  sc_core::sc_stop();
}

namespace {

#define STR_(x) #x
#define STR(x) STR_(x)
constexpr const char *dut_name = STR(DUT_NAME), *config_name = STR(DUT_CONFIG);

#define loom_clog2 loom_sc::clog2
#define loom_max loom_sc::max
#define loom_min loom_sc::min

struct config {
#define LOOM_PARAM(NAME, dflt, min, max) static constexpr uint32_t NAME = PARAM_##NAME;
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
};
#define P(NAME) config::NAME

/* The ports in the order of the list, which is the order of the file. */
struct port {
  bool input;
  const char *name;
  uint32_t lanes, bits;
};
constexpr port ports[] = {
#define LOOM_IN(name, bits) {true, #name, 1, (bits)},
#define LOOM_OUT(name, bits) {false, #name, 1, (bits)},
#define LOOM_IN_ARRAY(name, lanes, bits, max) {true, #name, (lanes), (bits)},
#define LOOM_OUT_ARRAY(name, lanes, bits, max) {false, #name, (lanes), (bits)},
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
};
constexpr size_t port_count = sizeof ports / sizeof ports[0];

/* Values of all lanes of all outputs, port after port. */
using values = std::vector<uint64_t>;

struct plant {
  bool on = false;
  uint64_t cycle = 0;
  size_t lane = 0; /* place in `values` */
  uint64_t flip = 0;
};

/* CYCLE:OUTPUT:BIT, BIT counts through the flat bus. */
bool parse_plant(plant &p, const char *text, uint64_t cycles) {
  char name[32];
  uint32_t bit;
  int used = 0;
  size_t lane = 0;
  if (std::sscanf(text, "%20" SCNu64 ":%31[a-z0-9_]:%9" SCNu32 "%n", &p.cycle, name, &bit, &used) ==
          3 &&
      !text[used] && p.cycle < cycles) {
    for (const port &q : ports) {
      if (!q.input && !std::strcmp(q.name, name) && bit < q.lanes * q.bits) {
        p.on = true;
        p.lane = lane + bit / q.bits;
        p.flip = 1ull << bit % q.bits;
      }
      lane += q.input ? 0 : q.lanes;
    }
  }
  if (!p.on)
    std::fprintf(stderr, "--plant %s: need CYCLE:OUTPUT:BIT of this circuit\n", text);
  return p.on;
}

/* An output that shows the register of a probe to whoever has the circuit as a part of it: it is
 * compared as the probe, and in no list of outputs. */
bool shows_probe(const char *name) {
  static constexpr const char *probes[] = {
#define LOOM_PROBE(name, bits) #name "_o",
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
      nullptr};
  for (const char *const *p = probes; *p; p++)
    if (!std::strcmp(*p, name))
      return true;
  return false;
}

class bench : public sc_core::sc_module {
public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  bool differs = false;
  uint64_t cycle = 0; /* compared so far */

  SC_HAS_PROCESS(bench);

  bench(sc_core::sc_module_name name, const out_file &file, const plant &planted)
      : sc_core::sc_module(name), file(file), planted(planted), circuit("circuit"), twin("twin") {
    circuit.clk_i(clk_i);
    circuit.rst_i(rst);
    twin.clk_i(clk_i);
    twin.rst_i(rst);
#define P(NAME) config::NAME
#define LOOM_IN(name, bits) circuit.name##_i(name##_in), twin.name##_i(name##_in);
#define LOOM_IN_ARRAY(name, lanes, bits, max) LOOM_IN(name, bits)
#define LOOM_OUT(name, bits) circuit.name##_o(name##_circuit), twin.name##_o(name##_twin);
#define LOOM_OUT_ARRAY(name, lanes, bits, max) LOOM_OUT(name, bits)
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
    for (sc_core::sc_object *object : circuit.get_child_objects())
      if (auto *out = dynamic_cast<sc_core::sc_out<bool> *>(object);
          out && shows_probe(object->basename()) && !out->bind_count())
        (*out)(shown.emplace_back());
    SC_METHOD(rise);
    sensitive << clk_i.pos();
    dont_initialize();
    SC_METHOD(fall);
    sensitive << clk_i.neg();
    dont_initialize();
  }

private:
  enum { RESET_EDGES = 3 };

  const out_file &file;
  const plant &planted;
  std::deque<sc_core::sc_signal<bool>> shown; /* by outputs that show probes */
  Vdut circuit;
  LOOM_GLUE3(loom_, DUT_NAME, _twin)<config> twin;
  sc_core::sc_signal<bool> rst{"rst", true};
#define P(NAME) config::NAME
#define LOOM_IN(name, bits) sc_core::sc_signal<loom_sc::value<(bits)>> name##_in{#name "_in"};
#define LOOM_IN_ARRAY(name, lanes, bits, max) LOOM_IN(name, (lanes) * (bits))
#define LOOM_OUT(name, bits)                                                                       \
  sc_core::sc_signal<loom_sc::value<(bits)>> name##_circuit{#name "_circuit"};                     \
  sc_core::sc_signal<loom_sc::value<(bits)>> name##_twin{#name "_twin"};
#define LOOM_OUT_ARRAY(name, lanes, bits, max) LOOM_OUT(name, (lanes) * (bits))
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>

  uint64_t edges = 0; /* rising ones so far */
  values got;         /* of the circuit, before the rising edge */

  template <class T> static void append(values &to, const T &flat, uint32_t lanes, uint32_t bits) {
    to.resize(to.size() + lanes);
    loom_sc::to_lanes(flat, &to[to.size() - lanes], lanes, bits);
  }

  values circuit_outputs() const {
    values v;
#define P(NAME) config::NAME
#define LOOM_OUT(name, bits) append(v, name##_circuit.read(), 1, bits);
#define LOOM_OUT_ARRAY(name, lanes, bits, max) append(v, name##_circuit.read(), lanes, bits);
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
    return v;
  }

  values twin_outputs() const {
    values v;
#define P(NAME) config::NAME
#define LOOM_OUT(name, bits) append(v, name##_twin.read(), 1, bits);
#define LOOM_OUT_ARRAY(name, lanes, bits, max) append(v, name##_twin.read(), lanes, bits);
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
    return v;
  }

  uint64_t recorded(const uint8_t *side, uint32_t bytes, uint64_t at, uint32_t place,
                    uint32_t bits) const {
    return out_value(&file, side, bytes, at, place, bits);
  }

  template <class T> void drive_port(T &signal, size_t p, uint64_t at) {
    const auto &o = file.ports[p];
    std::vector<uint64_t> lane(o.lanes);
    for (uint32_t l = 0; l < o.lanes; l++)
      lane[l] = recorded(file.in, file.in_bytes, at, o.at + l * o.bits, o.bits);
    std::decay_t<decltype(signal.read())> flat;
    loom_sc::from_lanes(flat, lane.data(), o.lanes, o.bits);
    signal.write(flat);
  }

  void drive(uint64_t at) {
    size_t p = 0;
#define LOOM_IN(name, bits) drive_port(name##_in, p++, at);
#define LOOM_IN_ARRAY(name, lanes, bits, max) drive_port(name##_in, p++, at);
#define LOOM_OUT(name, bits) p++;
#define LOOM_OUT_ARRAY(name, lanes, bits, max) p++;
#include <loom/def_rest.h>
#include DUT_LIST
#include <loom/def_undef.h>
  }

  /* What the circuit shows in the cycle that ends here; then the inputs of the next one. */
  void rise() {
    edges++;
    if (edges > RESET_EDGES) {
      got = circuit_outputs();
      if (planted.on && planted.cycle == cycle)
        got[planted.lane] ^= planted.flip;
    }
    if (edges >= RESET_EDGES) {
      rst.write(false);
      uint64_t next = edges - RESET_EDGES;
      if (next < file.cycles)
        drive(next);
    }
  }

  /* Half a cycle later the twin shows that cycle too. */
  void fall() {
    if (edges <= RESET_EDGES)
      return;
    compare(twin_outputs());
    cycle += !differs;
    if (differs || cycle == file.cycles)
      sc_core::sc_stop();
  }

  void compare(const values &twin) {
    size_t n = 0;
    for (size_t p = 0; p < port_count; p++)
      for (uint32_t l = 0; !ports[p].input && l < ports[p].lanes; l++, n++) {
        const auto &o = file.ports[p];
        uint32_t at = o.at + l * o.bits;
        uint64_t care = recorded(file.care, file.out_bytes, cycle, at, o.bits);
        uint64_t want = recorded(file.out, file.out_bytes, cycle, at, o.bits);
        if (!(((got[n] ^ want) | (twin[n] ^ want)) & care))
          continue;
        std::printf("first difference in cycle %" PRIu64 ", output %s_o", cycle, o.name);
        if (o.lanes > 1)
          std::printf(" lane %" PRIu32, l);
        std::printf(": circuit 0x%" PRIx64 ", twin 0x%" PRIx64 ", recorded 0x%" PRIx64 "\n", got[n],
                    twin[n], want);
        differs = true;
        return;
      }
  }
};

/* Whether the file was made for this device and these widths. */
bool fits(const out_file &f, const char *path) {
  bool good = !std::strcmp(f.dut, dut_name) && !std::strcmp(f.config, config_name) &&
              f.port_count == port_count;
  for (size_t p = 0; good && p < port_count; p++)
    good = f.ports[p].input == ports[p].input && !std::strcmp(f.ports[p].name, ports[p].name) &&
           f.ports[p].lanes == ports[p].lanes && f.ports[p].bits == ports[p].bits;
  if (!good)
    std::fprintf(stderr, "%s:1: not made for %s %s\n", path, dut_name, config_name);
  return good;
}

int play(const char *path, const out_file &f, const char *plant_text) {
  plant planted;
  if (!fits(f, path) || (plant_text && !parse_plant(planted, plant_text, f.cycles)))
    return 2;
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  auto b = std::make_unique<bench>("bench", f, planted);
  b->clk_i(clock);
  sc_core::sc_start();
  if (Verilated::threadContextp()->gotError())
    return 1;
  if (!b->differs)
    std::printf("%s: %" PRIu64 " cycles, circuit and twin as recorded\n", path, b->cycle);
  return b->differs ? 1 : 0;
}

} // namespace

int sc_main(int argc, char **argv) {
  const char *plant_text = nullptr, *path = nullptr;
  bool good = true;
  for (int i = 1; i < argc; i++) {
    if (!std::strncmp(argv[i], "--plant=", 8))
      plant_text = argv[i] + 8;
    else if (!path && argv[i][0] != '-')
      path = argv[i];
    else
      good = false;
  }
  if (!good || !path) {
    std::fprintf(stderr, "usage: %s [--plant=CYCLE:OUTPUT:BIT] FILE.out\n", argv[0]);
    return 2;
  }
  /* sc_stop() says on stdout that it was called. */
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  out_file f;
  if (!out_load(&f, path, stderr))
    return 2;
  int status = play(path, f, plant_text);
  out_free(&f);
  return status;
}
