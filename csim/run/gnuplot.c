/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create, open_memstream, pipe2, posix_spawnp with environ */

#include "run/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/path.h"
#include "io/save.h"

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#7F3C8D", "#000000"};
enum {
  COLOURS = sizeof colours / sizeof colours[0],
  LOGS_FROM = 20,
  DECADES = 1000,
  TENS = 24,
  READ_ROOM = 1 << 16
};
enum { WIDTH = 800, HEIGHT = 480, KEY_ROW = 21, ROWS_BESIDE = 16, ROWS_BELOW = 5 };
/* Of the curves that have all colours once more. */
static const char *const dashes[LOOM_FIGURE_CURVES / COLOURS] = {
    "solid", "(8,3)", "(8,3,2,3)", "(2,2)", "(16,4)", "(16,3,2,3,2,3)", "(4,6)", "(1,4)"};

static bool is_in_path(const char *program) {
  const char *path = getenv("PATH");
  char full[400];
  for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
    snprintf(full, sizeof full, "%.*s/%s", (int)strcspn(path, ":"), path, program);
    if (!access(full, X_OK))
      return true;
  }
  return false;
}

bool loom_figures_open(const struct loom_figures *f) {
  if (!is_in_path("gnuplot"))
    return loom_refuse(f->io, f->command, "gnuplot", "is not installed; it draws the figures") == 0;
  if (mkdir(f->folder, 0777) && errno != EEXIST)
    return loom_refuse(f->io, f->command, "--output", "cannot make %.80s: %s", f->folder,
                       strerror(errno)) == 0;
  return true;
}

/* ---- gnuplot --------------------------------------------------------------------------------- */

/* Commands of a figure: for one of its formats, on gnuplot's output, or as a script for all. */
struct commands {
  const struct loom_figures *figures;
  const char *file;
  const struct loom_figure_page *page;
  loom_figure_print *print;
  const void *context;
};

static void print_terminal(const struct commands *c, enum loom_plot_format format, FILE *out);

static void print_body(const struct commands *c, FILE *out) {
  loom_figure_page(&c->figures->look, c->page, out);
  c->print(c->context, out);
}

static void print_script(const struct commands *c, FILE *out) {
  bool first = true;
  for (unsigned f = 0; f < LOOM_PLOT_FORMATS; f++) {
    if (!c->figures->look.format[f])
      continue;
    print_terminal(c, (enum loom_plot_format)f, out);
    fprintf(out, "set output '%s.%s'\n", c->file, loom_plot_formats[f]);
    if (first)
      print_body(c, out);
    else
      fputs("replot\n", out);
    first = false;
  }
  fputs("set output\n", out);
}

/* A file in memory with the commands for a format, at its beginning; -1: out of memory. */
static int write_commands(const struct commands *c, enum loom_plot_format format) {
  int commands = memfd_create("commands", MFD_CLOEXEC);
  int copy = commands < 0 ? -1 : dup(commands);
  FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
  if (out) {
    print_terminal(c, format, out);
    print_body(c, out);
  } else if (copy >= 0) {
    close(copy);
  }
  bool ok = out && !ferror(out);
  if (out)
    ok = !fclose(out) && ok;
  if (ok && lseek(commands, 0, SEEK_SET) == 0)
    return commands;
  if (commands >= 0)
    close(commands);
  return -1;
}

/* Begins a gnuplot, without a shell and whatever the user has set; false: it cannot. */
static bool begin(pid_t *gnuplot, int commands, int figure) {
  char program[] = "gnuplot", plain[] = "-d";
  char *const argv[] = {program, plain, NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions))
    return false;
  bool ok = !posix_spawn_file_actions_adddup2(&actions, commands, STDIN_FILENO) &&
            !posix_spawn_file_actions_adddup2(&actions, figure, STDOUT_FILENO) &&
            !posix_spawnp(gnuplot, program, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return ok;
}

static bool ends_with(const char *figure, size_t size, const char *end, size_t length) {
  return size >= length && !memcmp(figure + size - length, end, length);
}

/* The figure, complete: gnuplot does not say when it could not write all of it. */
static bool is_whole(const char *figure, size_t size, enum loom_plot_format format) {
  static const char svg[] = "</svg>", pdf[] = "%%EOF";
  static const char png[] = {'I', 'E', 'N', 'D', '\xae', 'B', '`', '\x82'};
  if (format == LOOM_PLOT_PNG)
    return ends_with(figure, size, png, sizeof png);
  while (size && (figure[size - 1] == '\n' || figure[size - 1] == '\r'))
    size--;
  return format == LOOM_PLOT_SVG ? ends_with(figure, size, svg, sizeof svg - 1)
                                 : ends_with(figure, size, pdf, sizeof pdf - 1);
}

/* All that comes until the end: the caller's; NULL: out of memory. */
static char *read_all(int from, size_t *size) {
  char *text = NULL;
  size_t room = 0;
  for (*size = 0;;) {
    if (*size == room) {
      char *more = realloc(text, room += room + READ_ROOM);
      if (!more)
        break;
      text = more;
    }
    ssize_t got = read(from, text + *size, room - *size);
    if (got == 0)
      return text;
    if (got > 0)
      *size += (size_t)got;
    else if (errno != EINTR)
      break;
  }
  free(text);
  return NULL;
}

/* What gnuplot makes of a file of commands: the caller's; NULL: nothing whole. */
static char *figure_of(int commands, enum loom_plot_format format, size_t *size) {
  int ends[2], status = -1;
  pid_t gnuplot = 0;
  if (pipe2(ends, O_CLOEXEC))
    return NULL;
  bool begun = begin(&gnuplot, commands, ends[1]);
  close(ends[1]);
  char *figure = read_all(ends[0], size);
  close(ends[0]);
  while (begun && waitpid(gnuplot, &status, 0) < 0 && errno == EINTR)
    ;
  if (begun && status == 0 && figure && is_whole(figure, *size, format))
    return figure;
  free(figure);
  return NULL;
}

/* Puts a file of a figure in its place. False: it has been said. */
static bool save(const struct commands *c, const char *end, const char *content, size_t size) {
  const struct loom_figures *f = c->figures;
  struct loom_error err = {.line = ""};
  char *path = loom_path_in(f->folder, c->file, end);
  bool ok = path && content && loom_save(path, content, size, &err);
  if (err.line[0])
    loom_error_print(f->io->err, &err);
  else if (!ok)
    loom_refuse(f->io, f->command, "gnuplot", "could not draw %.80s%s", c->file, end);
  free(path);
  return ok;
}

static bool draw(const struct commands *c, enum loom_plot_format format) {
  char end[8];
  size_t size = 0;
  snprintf(end, sizeof end, ".%s", loom_plot_formats[format]);
  int commands = write_commands(c, format);
  char *figure = commands < 0 ? NULL : figure_of(commands, format, &size);
  bool ok = save(c, end, figure, size);
  if (commands >= 0)
    close(commands);
  free(figure);
  return ok;
}

static bool keep_script(const struct commands *c) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out)
    print_script(c, out);
  bool ok = out && !ferror(out);
  if (out)
    ok = !fclose(out) && ok;
  ok = save(c, LOOM_PLOT_SCRIPT, ok ? text : NULL, size);
  free(text);
  return ok;
}

bool loom_figures_draw(struct loom_figures *f, const char *file,
                       const struct loom_figure_page *page, loom_figure_print *print,
                       const void *context) {
  const struct commands c = {f, file, page, print, context};
  bool ok = true;
  for (unsigned format = 0; ok && format < LOOM_PLOT_FORMATS; format++)
    ok = !f->look.format[format] || draw(&c, (enum loom_plot_format)format);
  ok = ok && keep_script(&c);
  f->count += ok;
  return ok;
}

/* ---- what a figure looks like ---------------------------------------------------------------- */

/* Between single quotes gnuplot takes everything as it is; between double ones it would run what
 * stands between backquotes. A tic label is a format. */
static void print_quoted(const char *text, bool format, FILE *out) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\n')
      fputs("'.\"\\n\".'", out);
    else if (*text == '\'' || (format && *text == '%'))
      fprintf(out, "%c%c", *text, *text);
    else
      fputc((unsigned char)*text < ' ' || *text == '\x7f' ? '?' : *text, out);
  }
  fputc('\'', out);
}

void loom_figure_text(const char *before, const char *text, FILE *out) {
  fputs(before, out);
  print_quoted(text, false, out);
}

void loom_figure_tic(const char *label, size_t place, FILE *out) {
  print_quoted(label, true, out);
  fprintf(out, " %zu", place);
}

/* In the first colours as ever; then open ones and lines come, too. */
static unsigned marker_of(size_t curve) {
  static const unsigned char first[COLOURS] = {5, 7, 9, 11, 13, 6, 7, 5};
  static const unsigned char all[] = {5, 7, 9, 11, 13, 15, 4, 6, 8, 10, 12, 14, 1, 2, 3};
  return curve < COLOURS ? first[curve] : all[curve % sizeof all];
}

/* So that the key of many curves leaves the figure its room. */
static size_t height_of(const struct loom_figure_page *page) {
  size_t rows = page->below ? ROWS_BELOW : ROWS_BESIDE;
  return HEIGHT + (page->curves > rows ? KEY_ROW * (page->curves - rows) : 0);
}

/* Pixels are those of the web, 96 to an inch, and letters have 14 of them. */
static void print_terminal(const struct commands *c, enum loom_plot_format format, FILE *out) {
  const struct loom_figure_look *look = &c->figures->look;
  size_t width = look->width ? look->width : WIDTH;
  size_t height = look->height ? look->height : height_of(c->page);
  switch (format) {
  case LOOM_PLOT_PDF:
    fprintf(out, "set terminal pdfcairo size %.4fin,%.4fin font 'Helvetica,10.5' fontscale 0.75",
            (double)width / 96, (double)height / 96);
    break;
  case LOOM_PLOT_PNG:
    fprintf(out, "set terminal pngcairo size %zu,%zu font 'Helvetica,10.5'", width, height);
    break;
  default:
    fprintf(out, "set terminal svg size %zu,%zu dynamic font 'Helvetica,14'", width, height);
  }
  fprintf(out, " background '#ffffff' linewidth %s\n", format == LOOM_PLOT_PDF ? "2.1" : "1.4");
}

/* Without a title of its own the figure says at its side what it shows. */
static void print_titles(const struct loom_figure_look *look, const struct loom_figure_page *page,
                         FILE *out) {
  bool own = !look->untitled && !look->title;
  if (!look->untitled) {
    loom_figure_text("set title ", look->title ? look->title : page->title, out);
    fputc('\n', out);
  }
  loom_figure_text("set ylabel ", own ? page->unit : page->what, out);
  if (!own)
    fprintf(out, ".' (%s)'", page->unit);
  fputc('\n', out);
}

void loom_figure_page(const struct loom_figure_look *look, const struct loom_figure_page *page,
                      FILE *out) {
  fputs("reset\nset termoption noenhanced\nset border 3 lc rgb '#444444'\nset tics nomirror out\n"
        "set grid lc rgb '#dddddd' lw 0.6\nset key outside right center Left reverse samplen 2\n"
        "set errorbars 0.8\n",
        out);
  if (page->below)
    fputs("set key below left vertical maxcols 1\n", out);
  if (page->curves > COLOURS)
    fputs("set key samplen 5\n", out); /* dashes show */
  print_titles(look, page, out);
  for (size_t c = 0; c < page->curves && c < LOOM_FIGURE_CURVES; c++)
    fprintf(out, "set linetype %u lc rgb '%s' lw 1.5 dt %s pt %u ps 0.6\n", loom_figure_curve(c),
            colours[c % COLOURS], dashes[c / COLOURS], marker_of(c));
}

void loom_figure_see(struct loom_figure_range *range, double value) {
  if (!isfinite(value) || value <= 0)
    return;
  range->least = value < range->least ? value : range->least;
  range->most = value > range->most ? value : range->most;
}

/* A range that holds few powers of ten is labelled between them, too. */
static void print_log_tics(char axis, double from, double to, FILE *out) {
  static const double steps[] = {1, 2, 5};
  double ten = 1e-12;
  const char *between = "";
  if (to > DECADES * from)
    return;
  fprintf(out, "set %ctics (", axis);
  for (unsigned decade = 0; decade < TENS; decade++, ten *= 10)
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
      if (steps[i] * ten >= from && steps[i] * ten <= to) {
        fprintf(out, "%s%g", between, steps[i] * ten);
        between = ", ";
      }
  fputs(")\n", out);
}

/* An axis of logs has no place for 0. */
static void print_range(char axis, bool logs, double margin, const struct loom_figure_range *range,
                        FILE *out) {
  double from = range->least / margin, to = range->most * margin;
  if (logs && range->most > 0) {
    fprintf(out, "set logscale %c\nset %crange [%g:%g]\n", axis, axis, from, to);
    print_log_tics(axis, from, to, out);
  } else {
    fprintf(out, "set %crange [0:*]\n", axis);
  }
}

void loom_figure_up(const struct loom_figure_look *look, const char *unit,
                    const struct loom_figure_range *range, FILE *out) {
  bool latency = !strcmp(unit, "cycles");
  print_range('y', look->log_y || (latency && range->most > LOGS_FROM * range->least), 1.5, range,
              out);
}

void loom_figure_right(const struct loom_figure_look *look, const struct loom_figure_range *range,
                       FILE *out) {
  print_range('x', look->log_x, 1.1, range, out);
}

unsigned loom_figure_curve(size_t number) { return (unsigned)(number % LOOM_FIGURE_CURVES) + 1; }
