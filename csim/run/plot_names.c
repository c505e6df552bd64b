/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plot_names.h"

#include <stddef.h>
#include <string.h>

const char *const loom_plot_names[LOOM_PLOT_FIGURES] = {"throughput", "latency", "network-latency"};

const char *const loom_plot_formats[LOOM_PLOT_FORMATS + 1] = {"svg", "pdf", "png", NULL};

static bool is_end(const char *end) {
  for (size_t i = 0; i < LOOM_PLOT_FORMATS; i++)
    if (end[0] == '.' && !strcmp(end + 1, loom_plot_formats[i]))
      return true;
  return !strcmp(end, LOOM_PLOT_SCRIPT);
}

bool loom_plot_is_figure(const char *name) {
  for (size_t i = 0; i < LOOM_PLOT_FIGURES; i++) {
    size_t length = strlen(loom_plot_names[i]);
    if (!strncmp(name, loom_plot_names[i], length) && is_end(name + length))
      return true;
  }
  return false;
}
