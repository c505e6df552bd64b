/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/parse.h"
#include "io/path.h"
#include "io/read_sweep.h"
#include "run/plot_names.h"
#include "run/plot_series.h"
#include "run/results.h"

enum {
  CURVES_MAX = LOOM_FIGURE_CURVES,
  TITLE = 300,
  BESIDE = 40 /* characters for which there is room there */
};

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *folder;
  const char *output; /* NULL: the folder's own `plots` */
  const char *x;      /* axis; NULL: chosen */
  struct loom_figure_look look;
};

enum { OPT_FORMAT = 256, OPT_SIZE, OPT_LOGX, OPT_LOGY, OPT_TITLE, OPT_NO_TITLE };

static const struct argp_option option_list[] = {
    {"output", 'o', "DIR", 0, "Directory of the figures (DIR/plots)", 0},
    {"x", 'x', "AXIS", 0, "Axis of the grid that goes to the right", 0},
    {"format", OPT_FORMAT, "LIST", 0, "Forms of each figure, of svg,pdf,png (svg)", 0},
    {"size", OPT_SIZE, "WxH", 0, "Width and height in pixels, 96 to an inch (800x480)", 0},
    {"logx", OPT_LOGX, NULL, 0, "Logarithms to the right", 0},
    {"logy", OPT_LOGY, NULL, 0, "Logarithms upwards", 0},
    {"title", OPT_TITLE, "TEXT", 0, "Title of all figures", 0},
    {"no-title", OPT_NO_TITLE, NULL, 0, "No titles", 0},
    {0},
};

static const char doc[] =
    "Draws figures of the sweep in DIR by gnuplot: accepted load, latencies, shares of "
    "classes, with 95 % intervals over the seeds. Of a single run in DIR: accepted load and "
    "latencies of the classes over time."
    "\v"
    "Curves are the values of the other axes. To the right goes the offered load if an axis scales "
    "it, else the first axis of numbers. Beside each figure stands NAME.gp with its "
    "commands for gnuplot.";

/* `svg,pdf`. */
static bool read_formats(struct options *o, const char *list) {
  char word[16];
  for (const char *at = list;; at++) {
    unsigned format = 0;
    size_t length = strcspn(at, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < 15 ? length : 15), at);
    if (!loom_option_word(o->io, o->command, "--format", word, loom_plot_formats, &format))
      return false;
    o->look.format[format] = true;
    at += length;
    if (!*at)
      return true;
  }
}

static bool read_size(struct options *o, const char *text) {
  uint32_t size[2] = {0}, sizes = 0;
  if (!loom_option_sizes(o->io, o->command, "--size", text, LOOM_FIGURE_SIZE_LEAST,
                         LOOM_FIGURE_SIZE_MOST, 2, size, &sizes))
    return false;
  if (sizes != 2)
    return loom_refuse(o->io, o->command, "--size", "`%.40s` is not WIDTHxHEIGHT", text) == 0;
  o->look.width = size[0];
  o->look.height = size[1];
  return true;
}

static bool check_options(struct options *o) {
  bool any = false;
  for (unsigned f = 0; f < LOOM_PLOT_FORMATS; f++)
    any = any || o->look.format[f];
  o->look.format[LOOM_PLOT_SVG] = o->look.format[LOOM_PLOT_SVG] || !any;
  if (o->look.title && o->look.untitled)
    return loom_refuse(o->io, o->command, "--no-title", "not with --title") == 0;
  return o->folder || loom_refuse(o->io, o->command, "DIR", "missing") == 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    o->output = arg;
    break;
  case 'x':
    o->x = arg;
    break;
  case OPT_FORMAT:
    ok = read_formats(o, arg);
    break;
  case OPT_SIZE:
    ok = read_size(o, arg);
    break;
  case OPT_LOGX:
    o->look.log_x = true;
    break;
  case OPT_LOGY:
    o->look.log_y = true;
    break;
  case OPT_TITLE:
    o->look.title = arg;
    break;
  case OPT_NO_TITLE:
    o->look.untitled = true;
    break;
  case ARGP_KEY_ARG:
    if (o->folder)
      ok = loom_refuse(o->io, o->command, "argument", "`%.40s` is one too many", arg) == 0;
    else
      o->folder = arg;
    break;
  case ARGP_KEY_END:
    ok = check_options(o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- what is drawn --------------------------------------------------------------------------- */

struct sweep {
  const struct options *o;
  json_t *root; /* sweep.json */
  const json_t *axes;
  json_t *points;
  json_t **summary; /* by point */
  size_t count;
  size_t x;      /* axis to the right */
  bool offered;  /* it scales the load */
  size_t curves; /* combinations of the other axes, in order of their first points */
  char curve[CURVES_MAX][TITLE];
  size_t *curve_of; /* by point */
  struct loom_figures *figures;
};

static const json_t *axis(const struct sweep *s, size_t a) { return json_array_get(s->axes, a); }

static const char *axis_name(const struct sweep *s, size_t a) {
  const char *name = json_string_value(json_object_get(axis(s, a), "name"));
  return name ? name : "?";
}

static const char *label_of(const struct sweep *s, size_t point, size_t a) {
  const char *label = json_string_value(
      json_array_get(json_object_get(json_array_get(s->points, point), "values"), a));
  return label ? label : "?";
}

static bool is_number(const char *text) {
  char *end = NULL;
  double value = strtod(text, &end);
  return end != text && !*end && isfinite(value);
}

static bool is_numeric(const struct sweep *s, size_t a) {
  const json_t *values = json_object_get(axis(s, a), "values");
  for (size_t v = 0; v < json_array_size(values); v++)
    if (!is_number(json_string_value(json_array_get(values, v))))
      return false;
  return true;
}

static bool scales_load(const char *name) { return !strncmp(name, "load", 4); }

/* The axis to the right; false: there is none of the name that was asked for. */
static bool find_x(struct sweep *s) {
  size_t axes = json_array_size(s->axes), numeric = axes, load = axes;
  for (size_t a = axes; a-- > 0;) {
    if (s->o->x && !strcmp(axis_name(s, a), s->o->x)) {
      s->x = a;
      s->offered = scales_load(s->o->x);
      return true;
    }
    numeric = is_numeric(s, a) ? a : numeric;
    load = scales_load(axis_name(s, a)) ? a : load;
  }
  if (s->o->x)
    return loom_refuse(s->o->io, s->o->command, "--x", "no axis is called `%.40s`", s->o->x) == 0;
  s->x = load < axes ? load : numeric < axes ? numeric : 0;
  s->offered = load < axes;
  return true;
}

/* Names have no logarithms. False: it has been said. */
static bool choose_x(struct sweep *s) {
  if (!find_x(s))
    return false;
  return !s->o->look.log_x || s->offered || is_numeric(s, s->x) ||
         loom_refuse(s->o->io, s->o->command, "--logx", "the values of `%.40s` are no numbers",
                     axis_name(s, s->x)) == 0;
}

/* What a point's curve is called: its values on all other axes. */
static void curve_title(const struct sweep *s, size_t point, char title[TITLE]) {
  size_t used = 0;
  title[0] = 0;
  for (size_t a = 0; a < json_array_size(s->axes) && used < TITLE; a++)
    if (a != s->x)
      used += (size_t)snprintf(title + used, TITLE - used, "%s%.40s %.40s", used ? ", " : "",
                               axis_name(s, a), label_of(s, point, a));
}

static bool find_curves(struct sweep *s) {
  char title[TITLE];
  for (size_t p = 0; p < s->count; p++) {
    size_t c = 0;
    curve_title(s, p, title);
    while (c < s->curves && strcmp(s->curve[c], title) != 0)
      c++;
    if (c == CURVES_MAX)
      return loom_refuse(s->o->io, s->o->command, "DIR", "more than %d curves", CURVES_MAX) == 0;
    if (c == s->curves)
      memcpy(s->curve[s->curves++], title, TITLE);
    s->curve_of[p] = c;
  }
  return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static json_t *load(const char *folder, const char *file) {
  char *path = loom_path_in(folder, file, "");
  json_t *root = path ? json_load_file(path, 0, NULL) : NULL;
  free(path);
  return root;
}

static bool is_there(const char *folder, const char *name) {
  char *path = loom_path_in(folder, name, "");
  bool there = path && !access(path, R_OK);
  free(path);
  return there;
}

/* NULL: out of memory. */
static char *point_folder(const struct sweep *s, const char *point) {
  char name[LOOM_SWEEP_FOLDER + 20];
  snprintf(name, sizeof name, "points/%.*s", LOOM_SWEEP_FOLDER, point);
  return loom_path_in(s->o->folder, name, "");
}

/* The summary of a point; NULL: it has been said why. */
static json_t *load_point(const struct sweep *s, const char *point) {
  char *folder = point_folder(s, point);
  json_t *summary = NULL;
  if (!folder)
    loom_refuse(s->o->io, s->o->command, "DIR", "out of memory");
  else if (!is_there(folder, LOOM_RESULTS_SUMMARY))
    loom_refuse(s->o->io, s->o->command, "DIR",
                "point %.120s is missing; `loom sweep' goes on with it", point);
  else
    summary = loom_results_read(folder, s->o->io->err);
  free(folder);
  return summary;
}

/* A search has not looked at every load. */
static void keep_points_there(struct sweep *s) {
  json_t *kept = json_array();
  for (size_t p = 0; p < json_array_size(s->points); p++) {
    json_t *point = json_array_get(s->points, p);
    const char *name = json_string_value(json_object_get(point, "name"));
    char *folder = point_folder(s, name ? name : "?");
    if (folder && is_there(folder, LOOM_RESULTS_SUMMARY))
      json_array_append(kept, point);
    free(folder);
  }
  json_object_set_new(s->root, "points", kept);
  s->points = kept;
}

static bool load_points(struct sweep *s) {
  for (size_t p = 0; p < s->count; p++) {
    const char *point = json_string_value(json_object_get(json_array_get(s->points, p), "name"));
    s->summary[p] = load_point(s, point ? point : "?");
    if (!s->summary[p])
      return false;
  }
  return true;
}

static bool open_sweep(struct sweep *s) {
  s->root = load(s->o->folder, "sweep.json");
  s->axes = json_object_get(s->root, "axes");
  s->points = json_object_get(s->root, "points");
  if (json_object_get(s->root, "search"))
    keep_points_there(s);
  s->count = json_array_size(s->points);
  if (!s->count || !json_array_size(s->axes))
    return loom_refuse(s->o->io, s->o->command, "DIR", "%.80s holds no sweep", s->o->folder) == 0;
  s->summary = calloc(s->count, sizeof(void *));
  s->curve_of = calloc(s->count, sizeof *s->curve_of);
  if (!s->summary || !s->curve_of)
    return loom_refuse(s->o->io, s->o->command, "DIR", "out of memory") == 0;
  return load_points(s) && choose_x(s) && find_curves(s);
}

static void close_sweep(struct sweep *s) {
  for (size_t p = 0; s->summary && p < s->count; p++)
    json_decref(s->summary[p]);
  free(s->summary);
  free(s->curve_of);
  json_decref(s->root);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* A figure: one metric, of everything or of each class in one combination of the other axes. */
struct figure {
  const struct sweep *sweep;
  const char *file, *what, *metric, *unit;
  bool classes;
  size_t curve;      /* of a figure of classes */
  const char *title; /* NULL: what it shows */
};

static const json_t *class_of(const json_t *summary, size_t class, bool classes) {
  return classes ? json_array_get(json_object_get(summary, "classes"), class)
                 : json_object_get(summary, "all");
}

static double value_of(const json_t *class, const char *metric, const char *key) {
  return json_number_value(json_object_get(json_object_get(class, metric), key));
}

static bool has_value(const json_t *class, const char *metric) {
  return json_integer_value(json_object_get(json_object_get(class, metric), "seeds")) > 0;
}

/* Whether it was still changing while it was measured; quantiles are judged by their mean. */
static bool is_moving(const json_t *class, const char *metric) {
  const json_t *settled = json_object_get(class, "settled");
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    const char *name = loom_report_settled[q];
    if (!strncmp(metric, name, strlen(name)))
      return json_is_false(json_object_get(json_object_get(settled, name), "stationary"));
  }
  return false;
}

static double x_of(const struct sweep *s, size_t point, size_t index) {
  if (s->offered)
    return value_of(json_object_get(s->summary[point], "all"), "offered", "mean");
  const char *label = label_of(s, point, s->x);
  return is_number(label) ? strtod(label, NULL) : (double)index;
}

/* Curves of a figure. */
static size_t curves_of(const struct sweep *s, const struct figure *f) {
  return f->classes ? json_array_size(json_object_get(s->summary[0], "classes")) : s->curves;
}

/* One curve as a data block: x, y, half of the interval, and y again where it was moving; x and y
 * are seen in `range`. Gives whether any was moving. */
static bool print_block(const struct sweep *s, const struct figure *f, size_t number, FILE *out,
                        struct loom_figure_range range[2]) {
  size_t index = 0;
  bool moving = false;
  fprintf(out, "$c%zu << EOD\n", number);
  for (size_t p = 0; p < s->count; p++) {
    const json_t *class = class_of(s->summary[p], number, f->classes);
    if (s->curve_of[p] != (f->classes ? f->curve : number))
      continue;
    double x = x_of(s, p, index), y = value_of(class, f->metric, "mean");
    loom_figure_see(&range[0], x);
    if (has_value(class, f->metric)) {
      bool moves = is_moving(class, f->metric);
      fprintf(out, "%.10g %.10g %.10g ", x, y, value_of(class, f->metric, "interval"));
      fprintf(out, moves ? "%.10g\n" : "NaN\n", y);
      moving = moving || moves;
      loom_figure_see(&range[1], y);
    } else {
      fprintf(out, "%.10g NaN NaN NaN\n", x);
    }
    index++;
  }
  fputs("EOD\n", out);
  return moving;
}

/* Names along the axis where it has no numbers. */
static void print_tics(const struct sweep *s, FILE *out) {
  const json_t *values = json_object_get(axis(s, s->x), "values");
  if (s->offered || is_numeric(s, s->x))
    return;
  fputs("set xtics (", out);
  for (size_t v = 0; v < json_array_size(values); v++) {
    char label[48];
    const char *value = json_string_value(json_array_get(values, v));
    snprintf(label, sizeof label, "%.40s", value ? value : "?");
    fputs(v ? ", " : "", out);
    loom_figure_tic(label, v, out);
  }
  fprintf(out, ")\nset xrange [-0.5:%zu.5]\n", json_array_size(values) - 1);
}

/* What goes to the right. */
static void print_axis(const struct sweep *s, const struct loom_figure_range *range, FILE *out) {
  const struct loom_figure_look *look = &s->o->look;
  if (s->offered)
    fputs("set xlabel \"offered load (flits/cycle/host)\"", out);
  else
    loom_figure_text("set xlabel ", axis_name(s, s->x), out);
  fputc('\n', out);
  if (s->offered || look->log_x)
    loom_figure_right(look, range, out);
  print_tics(s, out);
}

static const char *curve_name(const struct sweep *s, const struct figure *f, size_t number) {
  const char *name =
      f->classes ? json_string_value(json_object_get(class_of(s->summary[0], number, true), "name"))
                 : s->curve[number];
  return name ? name : "?";
}

/* Long names stand below the figure, which has no room between them and its left. */
static bool has_long_names(const struct sweep *s, const struct figure *f) {
  size_t longest = 0;
  for (size_t c = 0; c < curves_of(s, f); c++) {
    size_t length = strlen(curve_name(s, f, c));
    longest = length > longest ? length : longest;
  }
  return longest > BESIDE;
}

/* A hole in the markers of what was not stationary. */
static void print_moving(size_t curves, FILE *out) {
  for (size_t c = 0; c < curves; c++)
    fprintf(out, ", $c%zu using 1:4 with points pt 7 ps 0.3 lc rgb '#ffffff' notitle", c);
  fputs(", NaN with points pt 6 ps 0.6 lc rgb '#666666' title \"open: not stationary\"", out);
}

static void print_figure(const void *context, FILE *out) {
  const struct figure *f = context;
  const struct sweep *s = f->sweep;
  struct loom_figure_range range[2] = {{HUGE_VAL, 0}, {HUGE_VAL, 0}};
  size_t curves = curves_of(s, f);
  bool moving = false;
  for (size_t c = 0; c < curves; c++)
    moving = print_block(s, f, c, out, range) || moving;
  loom_figure_up(&s->o->look, f->unit, &range[1], out);
  print_axis(s, &range[0], out);
  fputs("plot ", out);
  if (s->offered && !strcmp(f->metric, "accepted") && !f->classes)
    fputs("x with lines lc rgb '#999999' dt 2 lw 1 title \"offered\", ", out);
  for (size_t c = 0; c < curves; c++) {
    const char *name = curve_name(s, f, c);
    fprintf(out, "%s$c%zu using 1:2:3 with yerrorlines lt %u", c ? ", " : "", c,
            loom_figure_curve(c));
    if (*name)
      loom_figure_text(" title ", name, out);
    else
      fputs(" notitle", out);
  }
  if (moving)
    print_moving(curves, out);
  fputc('\n', out);
}

static bool draw(const struct sweep *s, const struct figure *f) {
  struct figure figure = *f;
  figure.sweep = s;
  const struct loom_figure_page page = {.title = f->title ? f->title : f->what,
                                        .what = f->what,
                                        .unit = f->unit,
                                        .curves = curves_of(s, f),
                                        .below = has_long_names(s, f)};
  return loom_figures_draw(s->figures, f->file, &page, print_figure, &figure);
}

static bool draw_all(struct sweep *s) {
  static const struct figure figures[] = {
      {NULL, "throughput", "Accepted load", "accepted", "flits/cycle/host", false, 0, NULL},
      {NULL, "latency", "Mean total latency", "total_mean", "cycles", false, 0, NULL},
      {NULL, "network-latency", "Mean network latency", "net_mean", "cycles", false, 0, NULL},
      {NULL, "latency-99", "Total latency that 99 % do not pass", "total_q99", "cycles", false, 0,
       NULL},
  };
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
    if (!draw(s, &figures[i]))
      return false;
  return true;
}

static void plain_file(const char *metric, const char *curve, char file[TITLE]) {
  snprintf(file, TITLE, "%s%s%.200s", metric, curve[0] ? "-" : "", curve);
  for (char *at = file; *at; at++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *at))
      *at = '-';
}

/* A name of its own: curves that would share it are numbered from the second on. */
static void curve_file(const struct sweep *s, const char *metric, size_t curve, char file[TITLE]) {
  char other[TITLE];
  size_t alike = 1;
  plain_file(metric, s->curve[curve], file);
  for (size_t c = 0; c < curve; c++) {
    plain_file(metric, s->curve[c], other);
    alike += !strcmp(file, other);
  }
  if (alike > 1)
    snprintf(file + strlen(file), TITLE - strlen(file), "~%zu", alike);
}

/* Shares and latencies of the classes, for each combination of the other axes. */
static bool draw_classes(struct sweep *s) {
  static const struct figure figures[] = {
      {NULL, "shares", "Share of the accepted load", "share", "%", true, 0, NULL},
      {NULL, "accepted", "Accepted load by class", "accepted", "flits/cycle/host", true, 0, NULL},
      {NULL, "class-latency", "Mean total latency by class", "total_mean", "cycles", true, 0, NULL},
      {NULL, "class-network-latency", "Mean network latency by class", "net_mean", "cycles", true,
       0, NULL},
  };
  if (json_array_size(json_object_get(s->summary[0], "classes")) < 2)
    return true;
  for (size_t c = 0; c < s->curves; c++)
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
      struct figure f = figures[i];
      char file[TITLE], title[2 * TITLE];
      f.curve = c;
      curve_file(s, f.file, c, file);
      const char *between = strlen(s->curve[c]) > BESIDE ? ":\n" : s->curve[c][0] ? ": " : "";
      snprintf(title, sizeof title, "%s%s%s", f.what, between, s->curve[c]);
      f.file = file;
      f.title = title;
      if (!draw(s, &f))
        return false;
    }
  return true;
}

static bool plot_sweep(const struct options *o, struct loom_figures *figures) {
  struct sweep *s = calloc(1, sizeof *s);
  if (!s)
    return loom_refuse(o->io, o->command, "DIR", "out of memory") == 0;
  s->o = o;
  s->figures = figures;
  bool ok = open_sweep(s) && loom_figures_open(figures) && draw_all(s) && draw_classes(s);
  close_sweep(s);
  free(s);
  return ok;
}

static bool plot_run(const struct options *o, struct loom_figures *figures) {
  if (o->x)
    return loom_refuse(o->io, o->command, "--x", "a single run has no axes") == 0;
  return loom_figures_open(figures) && loom_plot_series(figures, o->folder);
}

static bool plot(const struct options *o, struct loom_figures *figures) {
  if (is_there(o->folder, "sweep.json"))
    return plot_sweep(o, figures);
  if (is_there(o->folder, "series.csv"))
    return plot_run(o, figures);
  return loom_refuse(o->io, o->command, "DIR", "%.80s holds no sweep and no run", o->folder) == 0;
}

int loom_cmd_plot(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "DIR", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  char *folder = o.output ? strdup(o.output) : loom_path_in(o.folder, LOOM_PLOT_FOLDER, "");
  struct loom_figures figures = {.io = io, .command = o.command, .folder = folder, .look = o.look};
  bool ok = folder ? plot(&o, &figures) : loom_refuse(io, o.command, "DIR", "out of memory") == 0;
  if (ok)
    fprintf(io->out, "%u figures in %s\n", figures.count, folder);
  free(folder);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}
