/* plot_series.h - figures of a single run over time (docs/fabric.md) */
#ifndef LOOM_RUN_PLOT_SERIES_H
#define LOOM_RUN_PLOT_SERIES_H

#include "run/gnuplot.h"

#define LOOM_PLOT_FOLDER "plots" /* of figures, beside results unless said otherwise */

/* Draws the series of the results in `folder`. False: it has been said why. */
bool loom_plot_series(struct loom_figures *figures, const char *folder);
/* Whether a file of this name is one of these figures. */
bool loom_plot_series_draws(const char *name);

#endif
