/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plot_names.h"

#include <stddef.h>
#include <string.h>

const char *const loom_plot_names[LOOM_PLOT_FIGURES] = {"throughput", "latency", "network-latency"};

bool loom_plot_is_figure(const char *name) {
  for (size_t i = 0; i < LOOM_PLOT_FIGURES; i++) {
    size_t length = strlen(loom_plot_names[i]);
    if (!strncmp(name, loom_plot_names[i], length) && !strcmp(name + length, ".svg"))
      return true;
  }
  return false;
}
