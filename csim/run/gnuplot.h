/* SPDX-License-Identifier: Apache-2.0 */
/* gnuplot.h - figures drawn by gnuplot into a directory (docs/fabric.md) */
#ifndef LOOM_RUN_GNUPLOT_H
#define LOOM_RUN_GNUPLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/streams.h"
#include "run/plot_names.h"

/* What the user wants of all figures; 0: as it comes. */
struct loom_figure_look {
  bool format[LOOM_PLOT_FORMATS]; /* those that are written */
  uint32_t width, height;         /* pixels */
  bool log_x, log_y;
  const char *title; /* instead of each figure's own */
  bool untitled;
};

enum { LOOM_FIGURE_SIZE_LEAST = 100, LOOM_FIGURE_SIZE_MOST = 10000 };

struct loom_figures {
  const struct loom_streams *io;
  const char *command; /* who complains */
  const char *folder;  /* where they go */
  struct loom_figure_look look;
  unsigned count; /* drawn so far */
};

/* Makes the directory. False: it cannot, or there is no gnuplot; it has been said. */
bool loom_figures_open(const struct loom_figures *f);

enum { LOOM_FIGURE_CURVES = 64 }; /* that differ */

struct loom_figure_page {
  const char *title;
  const char *what, *unit; /* what is measured, without text of the user's */
  size_t curves;
  bool below; /* their key, which has long names */
};

/* Writes gnuplot's commands for a figure, whose page has been written. */
typedef void loom_figure_print(const void *context, FILE *out);

/* Draws FILE, a name without quotes, in each format, and writes FILE.gp, with which gnuplot draws
 * it again; each as a whole or not at all. False: it has been said. */
bool loom_figures_draw(struct loom_figures *f, const char *file,
                       const struct loom_figure_page *page, loom_figure_print *print,
                       const void *context);

/* The page's commands. */
void loom_figure_page(const struct loom_figure_look *look, const struct loom_figure_page *page,
                      FILE *out);

/* Least positive and largest value that is drawn along an axis; {HUGE_VAL, 0} at first. */
struct loom_figure_range {
  double least, most;
};
void loom_figure_see(struct loom_figure_range *range, double value); /* finite or not */

/* The axis up: of logs if the user wants it, or `unit` is cycles and their range large. */
void loom_figure_up(const struct loom_figure_look *look, const char *unit,
                    const struct loom_figure_range *range, FILE *out);
/* The axis to the right, from 0 on unless it has logs. */
void loom_figure_right(const struct loom_figure_look *look, const struct loom_figure_range *range,
                       FILE *out);

/* The style of curve `number`, 0.., as a `linetype`: colour, dashes and marker. */
unsigned loom_figure_curve(size_t number);

/* Every text that is not a constant goes to gnuplot through one of these, which show it as it is
 * (control characters as `?`, but for newlines): `before` and the text as a string; the label of a
 * place on an axis. */
void loom_figure_text(const char *before, const char *text, FILE *out);
void loom_figure_tic(const char *label, size_t place, FILE *out);

#endif
