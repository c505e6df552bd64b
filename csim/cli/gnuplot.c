#define _GNU_SOURCE /* popen */

#include "cli/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#7F3C8D", "#000000"};
enum { COLOURS = sizeof colours / sizeof colours[0], LOGS_FROM = 20 };

char *loom_figure_path(const char *folder, const char *name, const char *end) {
  size_t room = strlen(folder) + strlen(name) + strlen(end) + 2;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s/%s%s", folder, name, end);
  return path;
}

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
  if (strpbrk(f->folder, "'\\\n"))
    return loom_refuse(f->io, f->command, "--output", "has a character that gnuplot cannot take") ==
           0;
  if (mkdir(f->folder, 0777) && errno != EEXIST)
    return loom_refuse(f->io, f->command, "--output", "cannot make %.80s: %s", f->folder,
                       strerror(errno)) == 0;
  return true;
}

/* Beside its place first, then into it. */
bool loom_figures_draw(struct loom_figures *f, const char *file, loom_figure_print *print,
                       const void *context) {
  char *path = loom_figure_path(f->folder, file, ".svg");
  char *part = loom_figure_path(f->folder, file, ".svg.part");
  signal(SIGPIPE, SIG_IGN);
  FILE *gnuplot = path && part ? popen("gnuplot", "w") : NULL;
  if (gnuplot)
    print(context, part, gnuplot);
  int status = gnuplot ? pclose(gnuplot) : -1;
  bool ok = status == 0 && !rename(part, path);
  if (!ok && part)
    unlink(part);
  if (!ok)
    loom_refuse(f->io, f->command, "gnuplot", "could not draw %.80s.svg", file);
  f->count += ok;
  free(path);
  free(part);
  return ok;
}

void loom_figure_page(const struct loom_figure_page *page, FILE *out) {
  fprintf(out,
          "set terminal svg size 800,480 dynamic background '#ffffff' font 'Helvetica,14' "
          "linewidth 1.4\nset output '%s'\n",
          page->path);
  fputs("set termoption noenhanced\nset border 3 lc rgb '#444444'\nset tics nomirror out\n"
        "set grid lc rgb '#dddddd' lw 0.6\nset key outside right center Left reverse samplen 2\n"
        "set errorbars small\n",
        out);
  fprintf(out, "set title \"%s\"\nset ylabel \"%s\"\n", page->title, page->unit);
  bool latency = !strcmp(page->unit, "cycles");
  if (latency && page->least > 0 && page->most > LOGS_FROM * page->least)
    fprintf(out, "set logscale y\nset yrange [%g:%g]\n", page->least / 1.5, page->most * 1.5);
  else
    fputs("set yrange [0:*]\n", out);
  for (size_t c = 0; c < COLOURS; c++)
    fprintf(out, "set linetype %u lc rgb '%s' lw 1.5 pt %zu ps 0.6\n", loom_figure_curve(c),
            colours[c], c % 7 * 2 + 5 > 13 ? c % 7 + 1 : c % 7 * 2 + 5);
}

unsigned loom_figure_curve(size_t number) { return (unsigned)(number % COLOURS) + 1; }
