/* SPDX-License-Identifier: Apache-2.0 */
/* twin.h - the C twin of a device as a SystemC module, made from its list
 *
 * No include guard: include it once a device, after naming the device, its header and its list.
 *
 *     #define LOOM_SC_DUT fifo
 *     #define LOOM_SC_TWIN "parts/fifo.h"
 *     #define LOOM_SC_LIST "parts/fifo.def"
 *     #include "tb/systemc/twin.h"
 *
 *     struct deep {                                    // every parameter of the list
 *       static constexpr uint32_t DEPTH = 512, WIDTH = 64;
 *     };
 *     loom_fifo_twin<deep> queue("queue");             // ports clk_i, rst_i, push_i ... count_o
 *
 * The ports have the names of the circuit's and the types of Verilator's --sc. One step a rising
 * edge: it reads the inputs as they stand before the edge and then shows the outputs of the cycle
 * that ends with the edge (docs/house.md, The cycle), so they appear when a register behind the
 * circuit would take them. Reset is as long as rst_i is 1 at rising edges. Page: docs/cosim.md.
 * C++17; the twin itself is C, compiled as C.
 */
#if !defined(LOOM_SC_DUT) || !defined(LOOM_SC_TWIN) || !defined(LOOM_SC_LIST)
#error "define LOOM_SC_DUT, LOOM_SC_TWIN and LOOM_SC_LIST before including this file"
#endif

#include "tb/systemc/ports.h"

#include <vector>

extern "C" {
#include LOOM_SC_TWIN
}

#define LOOM_SC_GLUE_(dut, suffix) loom_##dut##suffix
#define LOOM_SC_GLUE(dut, suffix) LOOM_SC_GLUE_(dut, suffix)
#define LOOM_SC_ID(suffix) LOOM_SC_GLUE(LOOM_SC_DUT, suffix)
/* In the lists' expressions, constants. */
#define loom_clog2 loom_sc::clog2
#define loom_max loom_sc::max
#define loom_min loom_sc::min

template <class CFG> class LOOM_SC_ID(_twin) : public sc_core::sc_module {
public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
#define P(NAME) CFG::NAME
#define LOOM_IN(name, bits) sc_core::sc_in<loom_sc::value<(bits)>> name##_i{#name "_i"};
#define LOOM_OUT(name, bits) sc_core::sc_out<loom_sc::value<(bits)>> name##_o{#name "_o"};
#define LOOM_IN_ARRAY(name, lanes, bits, max)                                                      \
  sc_core::sc_in<loom_sc::value<(lanes) * (bits)>> name##_i{#name "_i"};
#define LOOM_OUT_ARRAY(name, lanes, bits, max)                                                     \
  sc_core::sc_out<loom_sc::value<(lanes) * (bits)>> name##_o{#name "_o"};
#include <loom/def_rest.h>
#include LOOM_SC_LIST
#include <loom/def_undef.h>

  SC_HAS_PROCESS(LOOM_SC_ID(_twin));

  explicit LOOM_SC_ID(_twin)(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    reset();
    SC_METHOD(edge);
    sensitive << clk_i.pos();
    dont_initialize();
  }

private:
  struct LOOM_SC_ID() state {};
  std::vector<uint64_t> storage;

  void reset() {
    struct LOOM_SC_ID(_cfg) cfg {};
#define P(NAME) CFG::NAME
#define LOOM_PARAM(NAME, dflt, min, max) cfg.NAME = CFG::NAME;
#define LOOM_STORAGE(bytes) storage.assign((std::size_t(bytes) + 7) / 8, 0);
#include <loom/def_rest.h>
#include LOOM_SC_LIST
#include <loom/def_undef.h>
    LOOM_SC_ID(_init)
    (&state, &cfg
#define LOOM_STORAGE(bytes) , storage.data()
#include <loom/def_rest.h>
#include LOOM_SC_LIST
#include <loom/def_undef.h>
    );
  }

  void edge() {
    if (rst_i.read()) {
      reset();
      return;
    }
    struct LOOM_SC_ID(_in) in {};
    struct LOOM_SC_ID(_out) out {};
#define P(NAME) CFG::NAME
#define LOOM_IN(name, bits) in.name = name##_i.read();
#define LOOM_IN_ARRAY(name, lanes, bits, max)                                                      \
  loom_sc::to_lanes(name##_i.read(), in.name, lanes, bits);
#include <loom/def_rest.h>
#include LOOM_SC_LIST
#include <loom/def_undef.h>
    LOOM_SC_ID(_step)(&state, &in, &out);
#define P(NAME) CFG::NAME
#define LOOM_OUT(name, bits) name##_o.write(static_cast<loom_sc::value<(bits)>>(out.name));
#define LOOM_OUT_ARRAY(name, lanes, bits, max)                                                     \
  {                                                                                                \
    loom_sc::value<(lanes) * (bits)> flat;                                                         \
    loom_sc::from_lanes(flat, out.name, lanes, bits);                                              \
    name##_o.write(flat);                                                                          \
  }
#include <loom/def_rest.h>
#include LOOM_SC_LIST
#include <loom/def_undef.h>
  }
};

#undef loom_clog2
#undef loom_max
#undef loom_min
#undef LOOM_SC_ID
#undef LOOM_SC_GLUE
#undef LOOM_SC_GLUE_
#undef LOOM_SC_DUT
#undef LOOM_SC_TWIN
#undef LOOM_SC_LIST
