/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_window.h - what the registers of an Elite5 router, of either edition, and the window of a
 * link of it show (docs/elite5.md, section Registers; E5-39)
 *
 * Inside: elite5_router, crosspoint_router. */
#ifndef LOOM_ELITE5_ELITE5_WINDOW_H
#define LOOM_ELITE5_ELITE5_WINDOW_H

#include "elite5/elite5_link_rules.h"

/* The registers of a router beside its settings. */
struct loom_elite5_globals {
  uint32_t device; /* LOOM_DEVICE_ID_... */
  uint32_t links, vcs;
  uint32_t traps;
  uint64_t trap; /* the oldest one; 0: none */
  uint32_t time;
  loom_links up;
};

/* The window of a link beside its counters. */
struct loom_elite5_window {
  const struct loom_elite5_link *link;
  bool enabled, quiet;
  uint32_t vc_limit, cap;
  uint32_t allocated, not_idle; /* VCs of its output, of its input */
  uint32_t pending;
};

/* The register at this address below the windows; 0 if there is none. */
uint32_t loom_elite5_read_global(const struct loom_elite5_settings *set,
                                 const struct loom_elite5_globals *shown, uint32_t a);
/* The register at this place of a window; 0 if it is a counter, or there is none. */
uint32_t loom_elite5_read_window(const struct loom_elite5_window *shown, uint32_t a);
/* A write of what a link keeps itself and of whether it is enabled; false: it is none of them. */
bool loom_elite5_write_window(struct loom_elite5_link *k, loom_links *enabled, uint32_t l,
                              uint32_t a, uint32_t data);

#endif
