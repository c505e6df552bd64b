/* SPDX-License-Identifier: Apache-2.0 */
/* plot_names.h - what the figures of a run are called, so that results know their own files
 * (docs/fabric.md) */
#ifndef LOOM_RUN_PLOT_NAMES_H
#define LOOM_RUN_PLOT_NAMES_H

#include <stdbool.h>

#define LOOM_PLOT_FOLDER "plots" /* of figures, beside results unless said otherwise */

enum { LOOM_PLOT_FIGURES = 3 };
/* Their files in this order, without what the format adds. */
extern const char *const loom_plot_names[LOOM_PLOT_FIGURES];

enum loom_plot_format { LOOM_PLOT_SVG, LOOM_PLOT_PDF, LOOM_PLOT_PNG, LOOM_PLOT_FORMATS };
extern const char *const loom_plot_formats[LOOM_PLOT_FORMATS + 1]; /* NULL ends them */

#define LOOM_PLOT_SCRIPT ".gp" /* gnuplot's commands beside a figure */

/* Whether a file of this name is one of these figures, or its commands. */
bool loom_plot_is_figure(const char *name);

#endif
