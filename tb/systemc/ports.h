/* SPDX-License-Identifier: Apache-2.0 */
/* ports.h - types of ports under SystemC, and values of lanes in them
 *
 * The same types as Verilator's --sc: bool, uint32_t, uint64_t, sc_bv. Page: docs/cosim.md. C++17;
 * one may include it by itself, but only where twin.h is meant, so:
 */
#ifndef LOOM_TB_SYSTEMC_PORTS_H
#define LOOM_TB_SYSTEMC_PORTS_H
#ifndef __cplusplus
#error "define nothing: this header is C++"
#endif

#include <cstdint>
#include <systemc>
#include <type_traits>

namespace loom_sc {

/* The functions that the width expressions of the lists use, as constants. */
constexpr uint32_t clog2(uint64_t n) {
  uint32_t w = 0;
  while (w < 64 && (1ull << w) < n)
    w++;
  return w;
}
constexpr uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }
constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }

template <unsigned BITS>
using value = std::conditional_t<
    BITS == 1, bool,
    std::conditional_t<BITS <= 32, uint32_t,
                       std::conditional_t<BITS <= 64, uint64_t, sc_dt::sc_bv<int(BITS)>>>>;

constexpr uint64_t mask(uint32_t bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/* Lanes of `bits` bits on a flat bus, lane 0 lowest. */
template <class T> void to_lanes(const T &flat, uint64_t *lane, uint32_t lanes, uint32_t bits) {
  for (uint32_t l = 0; l < lanes; l++)
    lane[l] = uint64_t(flat) >> (l * bits) & mask(bits);
}

template <int W>
void to_lanes(const sc_dt::sc_bv<W> &flat, uint64_t *lane, uint32_t lanes, uint32_t bits) {
  for (uint32_t l = 0; l < lanes; l++) {
    lane[l] = 0;
    for (uint32_t have = 0, take; have < bits; have += take) {
      uint32_t at = l * bits + have, place = at % 32;
      take = min(bits - have, 32 - place);
      lane[l] |= (uint64_t(flat.get_word(int(at / 32))) >> place & mask(take)) << have;
    }
  }
}

template <class T> void from_lanes(T &flat, const uint64_t *lane, uint32_t lanes, uint32_t bits) {
  uint64_t sum = 0;
  for (uint32_t l = 0; l < lanes; l++)
    sum |= lane[l] << (l * bits);
  flat = static_cast<T>(sum);
}

template <int W>
void from_lanes(sc_dt::sc_bv<W> &flat, const uint64_t *lane, uint32_t lanes, uint32_t bits) {
  flat = 0;
  for (uint32_t l = 0; l < lanes; l++)
    for (uint32_t have = 0, take; have < bits; have += take) {
      uint32_t at = l * bits + have, place = at % 32;
      take = min(bits - have, 32 - place);
      sc_dt::sc_digit word = flat.get_word(int(at / 32));
      flat.set_word(int(at / 32), word | sc_dt::sc_digit((lane[l] >> have & mask(take)) << place));
    }
}

} // namespace loom_sc

#endif
