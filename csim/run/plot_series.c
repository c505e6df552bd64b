/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plot_series.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "run/plot_names.h"
#include "run/results.h"

enum {
  LINE_LEAST = 16, /* characters of a line that is read */
  NAMES_MOST = 12, /* events whose names there is room for */
  NAME = 120       /* characters of those of a cycle */
};

/* A line of series.csv, and later all seeds' of one class and interval together. */
struct row {
  uint64_t seed, end; /* cycles */
  uint32_t class;
  double cycles; /* of the interval, by seed */
  double offered, flits, messages, total, net;
};

struct series {
  struct row *row; /* by class, then by end */
  size_t rows;
  uint32_t classes;
  char name[LOOM_HOST_CLASSES][LOOM_SPEC_CLASS + 1];
  double hosts;
  json_t *events; /* of the summary; NULL: none */
};

/* What is drawn of a row. */
enum metric { FLITS, TOTAL, NET, OFFERED };

struct figure {
  const struct series *series;
  const struct loom_figure_look *look;
  const char *title, *unit;
  enum metric metric;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Its number; LOOM_HOST_CLASSES: there are too many. */
static uint32_t class_of(struct series *s, const char *name) {
  uint32_t c = 0;
  while (c < s->classes && strcmp(s->name[c], name) != 0)
    c++;
  if (c == s->classes && c < LOOM_HOST_CLASSES) {
    snprintf(s->name[c], sizeof s->name[c], "%s", name);
    s->classes++;
  }
  return c;
}

static bool is_sum(double value) { return isfinite(value) && value >= 0; }

static bool read_row(struct series *s, const char *line, struct row *row) {
  char name[LOOM_SPEC_CLASS + 1];
  int used = 0;
  int found = sscanf(line, "%" SCNu64 ",%" SCNu64 ",%15[A-Za-z0-9_-],%lf,%lf,%lf,%lf,%lf%n",
                     &row->seed, &row->end, name, &row->offered, &row->flits, &row->messages,
                     &row->total, &row->net, &used);
  if (found != 8 || (size_t)used != strcspn(line, "\n"))
    return false;
  row->class = class_of(s, name);
  row->total *= row->messages;
  row->net *= row->messages;
  return row->class < LOOM_HOST_CLASSES && is_sum(row->offered) && is_sum(row->flits) &&
         is_sum(row->messages) && is_sum(row->total) && is_sum(row->net);
}

/* Rows of a seed go from interval to interval; each begins where the one before ended. NULL: they
 * do, else what is wrong in *line. */
static const char *read_rows(struct series *s, const char *text, size_t *line) {
  uint64_t seed = 0, end = 0, start = 0;
  for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
    struct row *row = &s->row[s->rows];
    ++*line;
    if (!strchr(at, '\n'))
      return "is cut short";
    if (!read_row(s, at, row))
      return "is no row of a series";
    if (!s->rows || row->seed != seed)
      start = end = 0;
    if (row->end != end)
      start = end;
    seed = row->seed;
    end = row->end;
    if (end <= start)
      return "ends before the row above";
    row->cycles = (double)(end - start);
    s->rows++;
  }
  return s->rows ? NULL : "has no rows: run.interval was 0";
}

/* The head first. */
static const char *read_text(struct series *s, const struct loom_source *src, size_t *line) {
  size_t head = sizeof LOOM_REPORT_SERIES - 1;
  *line = 1;
  if (strncmp(src->text, LOOM_REPORT_SERIES, head) != 0)
    return "is no head of a series";
  s->row = calloc(src->size / LINE_LEAST + 1, sizeof *s->row);
  return s->row ? read_rows(s, src->text + head, line) : "out of memory";
}

static int by_class(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->class != y->class)
    return x->class < y->class ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* Adds up the seeds. */
static void merge(struct series *s) {
  size_t kept = 0;
  qsort(s->row, s->rows, sizeof *s->row, by_class);
  for (size_t i = 1; i < s->rows; i++) {
    struct row *to = &s->row[kept];
    const struct row *from = &s->row[i];
    if (by_class(to, from) != 0) {
      s->row[++kept] = *from;
      continue;
    }
    to->cycles += from->cycles;
    to->offered += from->offered;
    to->flits += from->flits;
    to->messages += from->messages;
    to->total += from->total;
    to->net += from->net;
  }
  s->rows = kept + 1;
}

static bool read_summary(struct series *s, const char *folder, const struct loom_figures *f) {
  json_t *summary = loom_results_read(folder, f->io->err);
  s->hosts = json_number_value(json_object_get(summary, "hosts"));
  s->events = json_incref(json_object_get(summary, "events"));
  json_decref(summary);
  return s->hosts > 0;
}

static bool read_series(struct series *s, const char *folder, const struct loom_figures *f) {
  char *path = loom_path_in(folder, "series.csv", "");
  struct loom_source src = {.text = NULL};
  struct loom_error err = {.line = "out of memory"};
  size_t line = 0;
  bool ok = path && loom_source_read_all(&src, path, &err);
  const char *why = ok ? read_text(s, &src, &line) : NULL;
  if (why)
    fprintf(f->io->err, "%s:%zu: series: %s\n", path, line, why);
  else if (!ok)
    loom_error_print(f->io->err, &err);
  else
    merge(s);
  loom_source_free(&src);
  free(path);
  return ok && !why;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* NaN: there was no message. */
static double value_of(const struct series *s, const struct row *row, enum metric metric) {
  switch (metric) {
  case FLITS:
    return row->flits / row->cycles / s->hosts;
  case OFFERED:
    return row->offered / row->cycles / s->hosts;
  case TOTAL:
    return row->messages > 0 ? row->total / row->messages : NAN;
  default:
    return row->messages > 0 ? row->net / row->messages : NAN;
  }
}

/* A curve as a data block: middle of the interval, value; both are seen in `range`. */
static void print_curve(const struct figure *f, const char *block, uint32_t class,
                        enum metric metric, struct loom_figure_range range[2], FILE *out) {
  const struct series *s = f->series;
  fprintf(out, "$%s%" PRIu32 " << EOD\n", block, class);
  for (size_t i = 0; i < s->rows; i++) {
    const struct row *row = &s->row[i];
    double y = value_of(s, row, metric);
    if (row->class != class)
      continue;
    double before = i && s->row[i - 1].class == class ? (double)s->row[i - 1].end : 0;
    double x = ((double)row->end + before) / 2;
    loom_figure_see(&range[0], x);
    loom_figure_see(&range[1], y);
    fprintf(out, isfinite(y) ? "%.10g %.10g\n" : "%.10g NaN\n", x, y);
  }
  fputs("EOD\n", out);
}

static double cycle_of(const struct series *s, size_t event) {
  return json_number_value(json_object_get(json_array_get(s->events, event), "cycle"));
}

/* Adds an event's name to those of the same cycle. */
static void add_name(const struct series *s, size_t event, char name[NAME]) {
  const json_t *e = json_array_get(s->events, event);
  const char *what = json_string_value(json_object_get(e, "what"));
  const char *where = json_string_value(json_object_get(e, "where"));
  size_t used = strlen(name);
  snprintf(name + used, NAME - used, "%s%s %s", used ? ", " : "", what ? what : "?",
           where ? where : "?");
}

/* A line at each cycle with events, with their names where there is room. */
static void print_events(const struct series *s, bool logs, FILE *out) {
  size_t events = json_array_size(s->events);
  for (size_t i = 0; i < events;) {
    double cycle = cycle_of(s, i);
    char name[NAME] = "";
    if (logs && cycle <= 0) { /* no place for it */
      i++;
      continue;
    }
    fprintf(out,
            "set arrow from first %.10g, graph 0 to first %.10g, graph 1 nohead dt 3 lc rgb "
            "'#888888'\n",
            cycle, cycle);
    for (; i < events && cycle_of(s, i) == cycle; i++)
      add_name(s, i, name);
    if (events > NAMES_MOST)
      continue;
    loom_figure_text("set label ", name, out);
    fprintf(out,
            " at first %.10g, graph 0.02 rotate left offset character 0.7, 0 textcolor rgb "
            "'#555555' font ',9'\n",
            cycle);
  }
}

static void print_figure(const void *context, FILE *out) {
  const struct figure *f = context;
  const struct series *s = f->series;
  struct loom_figure_range range[2] = {{HUGE_VAL, 0}, {HUGE_VAL, 0}};
  struct loom_figure_range offered[2] = {{HUGE_VAL, 0}, {HUGE_VAL, 0}};
  for (uint32_t c = 0; c < s->classes; c++) {
    print_curve(f, "c", c, f->metric, range, out);
    if (f->metric == FLITS)
      print_curve(f, "o", c, OFFERED, offered, out);
  }
  loom_figure_up(f->look, f->unit, &range[1], out);
  /* A trace may offer in a moment what takes long to send: that goes out of the picture. */
  double most = 1.5 * range[1].most < offered[1].most ? 1.5 * range[1].most : offered[1].most;
  if (f->metric == FLITS && most > 0 && !f->look->log_y)
    fprintf(out, "set yrange [0:%g]\n", 1.05 * (most > range[1].most ? most : range[1].most));
  print_events(s, f->look->log_x, out);
  fputs("set xlabel \"cycle\"\n", out);
  loom_figure_right(f->look, &range[0], out);
  fputs("plot ", out);
  for (uint32_t c = 0; c < s->classes; c++) {
    unsigned curve = loom_figure_curve(c);
    fprintf(out, "%s$c%" PRIu32 " with lines lt %u", c ? ", " : "", c, curve);
    loom_figure_text(" title ", s->name[c], out);
    if (f->metric == FLITS)
      fprintf(out, ", $o%" PRIu32 " with lines lt %u dt 2 lw 0.8 notitle", c, curve);
  }
  fputc('\n', out);
}

bool loom_plot_series(struct loom_figures *figures, const char *folder) {
  struct series s = {.row = NULL};
  const struct loom_figure_look *look = &figures->look;
  const struct figure all[LOOM_PLOT_FIGURES] = {
      {&s, look, "Accepted load over time (dashed: offered)", "flits/cycle/host", FLITS},
      {&s, look, "Mean total latency over time", "cycles", TOTAL},
      {&s, look, "Mean network latency over time", "cycles", NET},
  };
  bool ok = read_summary(&s, folder, figures) && read_series(&s, folder, figures);
  for (size_t i = 0; ok && i < LOOM_PLOT_FIGURES; i++) {
    const struct loom_figure_page page = {
        .title = all[i].title, .what = all[i].title, .unit = all[i].unit, .curves = s.classes};
    ok = loom_figures_draw(figures, loom_plot_names[i], &page, print_figure, &all[i]);
  }
  free(s.row);
  json_decref(s.events);
  return ok;
}
