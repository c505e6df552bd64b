/* SPDX-License-Identifier: Apache-2.0 */
/* gnuplot.h - figures as SVG, drawn by gnuplot into a directory (docs/fabric.md) */
#ifndef LOOM_RUN_GNUPLOT_H
#define LOOM_RUN_GNUPLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/streams.h"

struct loom_figures {
  const struct loom_streams *io;
  const char *command; /* who complains */
  const char *folder;  /* where they go */
  unsigned count;      /* drawn so far */
};

/* Makes the directory. False: it cannot, or there is no gnuplot; it has been said. */
bool loom_figures_open(const struct loom_figures *f);

/* Writes gnuplot's commands for a figure, loom_figure_page among them. */
typedef void loom_figure_print(const void *context, FILE *out);

/* Draws FILE.svg, as a whole or not at all. False: it has been said. */
bool loom_figures_draw(struct loom_figures *f, const char *file, loom_figure_print *print,
                       const void *context);

enum { LOOM_FIGURE_CURVES = 64 }; /* that differ */

/* What a figure looks like: what is measured has this title and unit. */
struct loom_figure_page {
  const char *title, *unit;
  size_t curves;
  bool below;         /* their key, which has long names */
  double least, most; /* of what is measured; of `cycles` with a large range the axis has logs */
};
void loom_figure_page(const struct loom_figure_page *page, FILE *out);

/* The style of curve `number`, 0.., as a `linetype`: colour, dashes and marker. */
unsigned loom_figure_curve(size_t number);

/* Every text that is not a constant goes to gnuplot through one of these, which show it as it is
 * (control characters as `?`, but for newlines): `before` and the text as a string; the label of a
 * place on an axis. */
void loom_figure_text(const char *before, const char *text, FILE *out);
void loom_figure_tic(const char *label, size_t place, FILE *out);

#endif
