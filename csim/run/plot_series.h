/* SPDX-License-Identifier: Apache-2.0 */
/* plot_series.h - figures of a single run over time (docs/fabric.md) */
#ifndef LOOM_RUN_PLOT_SERIES_H
#define LOOM_RUN_PLOT_SERIES_H

#include "run/gnuplot.h"

/* Draws the series of the results in `folder`. False: it has been said why. */
bool loom_plot_series(struct loom_figures *figures, const char *folder);

#endif
