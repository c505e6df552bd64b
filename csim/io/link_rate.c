/* SPDX-License-Identifier: Apache-2.0 */
#include "io/link_rate.h"

static const struct speed {
  const char *word;
  const char *signals;
  uint32_t lane; /* kb/s of data */
} speeds[] = {
    {"SDR", "2.5 Gbps", 2000000},
    {"DDR", "5.0 Gbps", 4000000},
    {"FDR10", "10.0 Gbps (FDR10)", 10000000},
    {"QDR", "10.0 Gbps", 8000000},
    {"FDR", "14.0625 Gbps", 13636364},
    {"EDR", "25.78125 Gbps", 25000000},
    {"HDR", "53.125 Gbps", 50000000},
    {"NDR", "106.25 Gbps", 100000000},
    {"XDR", "212.5 Gbps", 200000000},
    {"???", "???", 0},
};

static const struct width {
  const char *word;
  uint32_t lanes;
} widths[] = {{"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"12x", 12}, {"??", 0},
              {"1X", 1}, {"2X", 2}, {"4X", 4}, {"8X", 8}, {"12X", 12}};

bool loom_take_width(struct loom_words *w, uint32_t *lanes) {
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
    if (loom_words_take(w, widths[i].word)) {
      *lanes = widths[i].lanes;
      return true;
    }
  return false;
}

static bool take(struct loom_words *w, bool signals, uint32_t *lane) {
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
    if (loom_words_take(w, signals ? speeds[i].signals : speeds[i].word)) {
      *lane = speeds[i].lane;
      return true;
    }
  return false;
}

bool loom_take_speed(struct loom_words *w, uint32_t *lane) { return take(w, false, lane); }

bool loom_take_signals(struct loom_words *w, uint32_t *lane) { return take(w, true, lane); }

uint32_t loom_link_rate(uint32_t lanes, uint32_t lane) {
  return (uint32_t)((uint64_t)lanes * lane / 1000);
}
