/* SPDX-License-Identifier: Apache-2.0 */
/* plot_names.h - what the figures of a run are called, so that results know their own files
 * (docs/fabric.md) */
#ifndef LOOM_RUN_PLOT_NAMES_H
#define LOOM_RUN_PLOT_NAMES_H

#include <stdbool.h>

#define LOOM_PLOT_FOLDER "plots" /* of figures, beside results unless said otherwise */

enum { LOOM_PLOT_FIGURES = 3 };
/* Their files in this order, without `.svg`. */
extern const char *const loom_plot_names[LOOM_PLOT_FIGURES];

/* Whether a file of this name is one of these figures. */
bool loom_plot_is_figure(const char *name);

#endif
