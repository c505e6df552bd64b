/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create, pipe2, posix_spawnp with environ */

#include "run/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
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
enum { COLOURS = sizeof colours / sizeof colours[0], LOGS_FROM = 20 };
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

/* A file in memory with the commands, at its beginning; -1: out of memory. */
static int write_commands(loom_figure_print *print, const void *context) {
  int commands = memfd_create("commands", MFD_CLOEXEC);
  int copy = commands < 0 ? -1 : dup(commands);
  FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
  if (out)
    print(context, out);
  else if (copy >= 0)
    close(copy);
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

/* The figure, complete: gnuplot does not say when it could not write all of it. */
static bool is_whole(const char *svg, size_t size) {
  static const char end[] = "</svg>";
  while (size && (svg[size - 1] == '\n' || svg[size - 1] == '\r'))
    size--;
  return size >= sizeof end - 1 && !memcmp(svg + size - (sizeof end - 1), end, sizeof end - 1);
}

/* What gnuplot makes of a file of commands: the caller's; NULL: nothing whole. */
static char *figure_of(int commands, size_t *size) {
  int ends[2], status = -1;
  char *svg = NULL;
  pid_t gnuplot = 0;
  if (pipe2(ends, O_CLOEXEC))
    return NULL;
  bool begun = begin(&gnuplot, commands, ends[1]);
  close(ends[1]);
  FILE *in = fdopen(ends[0], "r");
  size_t room = 0;
  ssize_t got = in ? getdelim(&svg, &room, '\0', in) : -1;
  if (in)
    fclose(in);
  else
    close(ends[0]);
  while (begun && waitpid(gnuplot, &status, 0) < 0 && errno == EINTR)
    ;
  *size = got > 0 ? (size_t)got : 0;
  if (begun && status == 0 && is_whole(svg, *size))
    return svg;
  free(svg);
  return NULL;
}

bool loom_figures_draw(struct loom_figures *f, const char *file, loom_figure_print *print,
                       const void *context) {
  struct loom_error err = {""};
  size_t size = 0;
  char *path = loom_path_in(f->folder, file, ".svg");
  int commands = write_commands(print, context);
  char *svg = commands < 0 ? NULL : figure_of(commands, &size);
  bool ok = path && svg && loom_save(path, svg, size, &err);
  if (err.line[0])
    fprintf(f->io->err, "%s\n", err.line);
  else if (!ok)
    loom_refuse(f->io, f->command, "gnuplot", "could not draw %.80s.svg", file);
  if (commands >= 0)
    close(commands);
  f->count += ok;
  free(path);
  free(svg);
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

void loom_figure_page(const struct loom_figure_page *page, FILE *out) {
  fprintf(out,
          "set terminal svg size %d,%zu dynamic background '#ffffff' font 'Helvetica,14' "
          "linewidth 1.4\n",
          WIDTH, height_of(page));
  fputs("set termoption noenhanced\nset border 3 lc rgb '#444444'\nset tics nomirror out\n"
        "set grid lc rgb '#dddddd' lw 0.6\nset key outside right center Left reverse samplen 2\n"
        "set errorbars small\n",
        out);
  if (page->below)
    fputs("set key below left vertical maxcols 1\n", out);
  if (page->curves > COLOURS)
    fputs("set key samplen 5\n", out); /* dashes show */
  loom_figure_text("set title ", page->title, out);
  loom_figure_text("\nset ylabel ", page->unit, out);
  fputc('\n', out);
  bool latency = !strcmp(page->unit, "cycles");
  if (latency && page->least > 0 && page->most > LOGS_FROM * page->least)
    fprintf(out, "set logscale y\nset yrange [%g:%g]\n", page->least / 1.5, page->most * 1.5);
  else
    fputs("set yrange [0:*]\n", out);
  for (size_t c = 0; c < page->curves && c < LOOM_FIGURE_CURVES; c++)
    fprintf(out, "set linetype %u lc rgb '%s' lw 1.5 dt %s pt %u ps 0.6\n", loom_figure_curve(c),
            colours[c % COLOURS], dashes[c / COLOURS], marker_of(c));
}

unsigned loom_figure_curve(size_t number) { return (unsigned)(number % LOOM_FIGURE_CURVES) + 1; }
