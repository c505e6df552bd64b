/* SPDX-License-Identifier: Apache-2.0 */
/* The command `loom plot` (docs/fabric.md): figures of sweeps and runs are whole or not there, and
 * names are shown as they are. */
#define _GNU_SOURCE /* open_memstream, symlink */

#include "tb/unit/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/gnuplot.h"
#include "tb/unit/run_bench.h"

/* A sweep that is drawn. */
static int make_sweep(void **state) {
  make_folder(state);
  write_sweep("400");
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("s2"));
  return 0;
}

static void assert_svg(const char *name) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "</svg>"));
  assert_null(strstr(text, "nan"));
  free(text);
}

static void a_sweep_is_drawn_over_each_of_its_axes(void **state) {
  (void)state;
  assert_run(0, "plot @", in_folder("s2"), "");
  assert_svg("s2/plots/throughput.svg");
  assert_svg("s2/plots/latency.svg");
  assert_svg("s2/plots/network-latency.svg");
  assert_svg("s2/plots/latency-99.svg");
  assert_run(0, "plot @ -x size -o @", in_folder("s2"), in_folder("figures"));
  assert_svg("figures/throughput.svg");
  assert_run(2, "plot @ -x colour", in_folder("s2"), "");
}

/* The files in a directory. */
static unsigned files_in(const char *name) {
  unsigned files = 0;
  DIR *dir = opendir(in_folder(name));
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    files += e->d_name[0] != '.';
  closedir(dir);
  return files;
}

/* A text of a figure. */
static void assert_shows(const char *name, const char *label) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  if (!strstr(text, label))
    fail_msg("%s shows no %s", name, label);
  free(text);
}

/* A file of a figure begins as its format wants it. */
static void assert_begins(const char *name, const char *begin) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  if (strncmp(text, begin, strlen(begin)) != 0)
    fail_msg("%s does not begin with %s", name, begin);
  free(text);
}

/* Everything in the script of a figure but not `without`. */
static void assert_script(const char *name, const char *with, const char *without) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  if (!strstr(text, with))
    fail_msg("%s has no %s", name, with);
  if (strstr(text, without))
    fail_msg("%s has %s", name, without);
  free(text);
}

static void a_figure_has_the_forms_that_are_asked_for(void **state) {
  (void)state;
  assert_run(0, "plot @ --format png,pdf --size 640x300 -o @", in_folder("s2"), in_folder("forms"));
  assert_begins("forms/latency.pdf", "%PDF-");
  assert_begins("forms/latency.png", "\x89PNG\r\n");
  assert_false(is_there("forms/latency.svg"));
  assert_script("forms/latency.gp", "set terminal pngcairo size 640,300 ", "svg");
  assert_script("forms/latency.gp", "set terminal pdfcairo size 6.6667in,3.1250in ", "svg");
  assert_says("loom plot: --format: `gif` is none of svg, pdf, png\n", "plot @ --format svg,gif",
              in_folder("s2"), "");
  assert_says("loom plot: --size: `640` is not WIDTHxHEIGHT\n", "plot @ --size 640",
              in_folder("s2"), "");
  assert_says("loom plot: --size: 99 is outside 100..10000\n", "plot @ --size 640x99",
              in_folder("s2"), "");
  assert_says("loom plot: --size: `640x480x3` has more than 2 numbers\n", "plot @ --size 640x480x3",
              in_folder("s2"), "");
}

/* Runs the script of a figure where it stands. */
static int gnuplot_again(const char *folder, const char *script) {
  char line[500];
  snprintf(line, sizeof line, "cd '%s' && gnuplot -d %s", in_folder(folder), script);
  return system(line);
}

/* The script beside a figure draws the very same one. */
static void the_script_of_a_figure_draws_it_again(void **state) {
  (void)state;
  assert_run(0, "plot @ --format svg,pdf -o @", in_folder("s2"), in_folder("again"));
  char *first = read_file(in_folder("again/latency.svg"));
  assert_int_equal(unlink(in_folder("again/latency.svg")), 0);
  assert_int_equal(unlink(in_folder("again/latency.pdf")), 0);
  assert_int_equal(gnuplot_again("again", "latency.gp"), 0);
  char *again = read_file(in_folder("again/latency.svg"));
  assert_non_null(again);
  assert_string_equal(again, first);
  assert_begins("again/latency.pdf", "%PDF-");
  free(first);
  free(again);
}

static void titles_and_logarithms_are_as_the_user_wants_them(void **state) {
  (void)state;
  assert_run(0, "plot @ -o @", in_folder("s2"), in_folder("plain"));
  assert_script("plain/throughput.gp", "set title 'Accepted load'\n", "logscale");
  assert_script("plain/throughput.gp", "set errorbars 0.8\n", "errorbars small");
  assert_run(0, "plot @ --logx --logy --no-title -o @", in_folder("s2"), in_folder("logs"));
  assert_script("logs/throughput.gp", "set logscale x\n", "set title");
  assert_script("logs/throughput.gp", "set logscale y\n", "range [0:");
  assert_shows("logs/throughput.svg", ">Accepted load (flits/cycle/host)<");
  assert_run(0, "plot @ --title it's -o @", in_folder("s2"), in_folder("titled"));
  assert_script("titled/latency.gp",
                "set title 'it''s'\nset ylabel 'Mean total latency'.' (cycles)'", "logscale");
  assert_says("loom plot: --no-title: not with --title\n", "plot @ --title a --no-title",
              in_folder("s2"), "");
}

/* Curves that differ late, or in `-` and `_` alone, have directories and figures of their own. */
static void curves_that_differ_late_have_figures_of_their_own(void **state) {
  (void)state;
  write_file("names.yaml",
             "---\nname: s\nfabric: ../../vectors/fabric/ib13-a.yaml\n"
             "set: [run.warmup=500, run.measure=1000]\ngrid:\n  - {key: load, values: [1]}\n"
             "  - name: 40-characters-that-differ-in-the-last--a\n    points:\n"
             "      - {name: its-own-twenty-six-letters-a_b}\n"
             "      - {name: its-own-twenty-six-letters-a-b, set: [\"traffic[0].load=0.9\"]}\n"
             "      - {name: its-own-twenty-six-letters-a-c}\n...\n");
  assert_run(0, "sweep @ -o @ --jobs 2", in_folder("names.yaml"), in_folder("names"));
  assert_true(is_there("names/points/load=1,40-characters-that-differ-in-the-last--a="
                       "its-own-twenty-six-letters-a-b/summary.json"));
  assert_run(0, "plot @", in_folder("names"), "");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-b.svg");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-b~2.svg");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-c.svg");
}

/* Labels in a sweep file, and as an SVG has them; `%s`: the folder. */
static const char *const odd[][2] = {
    {"`touch %s/DONE`", "`touch %s/DONE`"},
    {"$(touch %s/DONE)", "$(touch %s/DONE)"},
    {"a''b\"c\\d\\n", "a'b\"c\\d\\n"},
    {"@x %g 100% <&>", "@x %g 100% &lt;&amp;>"},
    {"^a_b {c} ~d $0; # e", "^a_b {c} ~d $0; # e"},
};
enum { ODD = sizeof odd / sizeof odd[0], ODD_LABEL = 120 };

/* A label with the folder in it. */
static const char *odd_label(char out[ODD_LABEL], const char *label) {
  const char *at = strstr(label, "%s");
  int before = at ? (int)(at - label) : 0;
  snprintf(out, ODD_LABEL, "%.*s%s%s", before, label, at ? bench_folder : "", at ? at + 2 : label);
  return out;
}

/* A sweep over the odd labels, with another axis before. */
static void sweep_odd(const char *name, const char *axis) {
  char text[1500], file[40], label[ODD_LABEL];
  int used = snprintf(text, sizeof text,
                      "---\nname: s\nfabric: ../../vectors/fabric/ib13-a.yaml\n"
                      "set: [run.warmup=100, run.measure=500]\ngrid:\n%s"
                      "  - name: 'of `touch %s/DONE`'\n    points:\n",
                      axis, bench_folder);
  for (size_t i = 0; i < ODD; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "      - {name: '%s'}\n",
                     odd_label(label, odd[i][0]));
  snprintf(text + used, sizeof text - (size_t)used, "...\n");
  snprintf(file, sizeof file, "%s.yaml", name);
  write_file(file, text);
  assert_run(0, "sweep @ -o @", in_folder(file), in_folder(name));
}

/* Names are shown as they are, and nothing in them is done: as curves, titles, places of an axis,
 * axes, directories. */
static void odd_names_are_shown_as_they_are_and_never_run(void **state) {
  (void)state;
  char label[ODD_LABEL], title[2 * ODD_LABEL];
  sweep_odd("curves", "  - {key: load, values: [1]}\n");
  sweep_odd("places", "");
  assert_run(0, "plot @", in_folder("curves"), "");
  assert_false(is_there("DONE"));
  assert_says("loom plot: --logx: the values of `of `touch", "plot @ --logx", in_folder("places"),
              "");
  assert_run(0, "plot @ -o @", in_folder("places"), in_folder("a'b\\c\"d`touch"));
  for (size_t i = 0; i < ODD; i++) {
    assert_shows("curves/plots/throughput.svg", odd_label(label, odd[i][1]));
    assert_shows("a'b\\c\"d`touch/throughput.svg", label);
  }
  snprintf(title, sizeof title, ">of `touch %s/DONE`<", bench_folder);
  assert_shows("a'b\\c\"d`touch/throughput.svg", title);
  snprintf(title, sizeof title, "of `touch %s/DONE` a'b\"c\\d\\n<", bench_folder);
  snprintf(label, sizeof label, "curves/plots/shares-of--touch-%s-DONE--a-b-c-d-n.svg",
           bench_folder);
  *strchr(label + strlen("curves/plots/"), '/') = '-';
  assert_shows(label, title);
  assert_false(is_there("DONE"));
}

/* What no name has, but a file that somebody changed. */
static void text_of_a_changed_file_is_quoted_for_gnuplot(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  loom_figure_text("set title ", "a\nb\tc\033'`d`\177", out);
  loom_figure_tic("5%", 7, out);
  assert_int_equal(fclose(out), 0);
  assert_string_equal(text, "set title 'a'.\"\\n\".'b?c?''`d`?''5%%' 7");
  free(text);
}

/* No two look the same. */
static void no_two_curves_look_the_same(void **state) {
  (void)state;
  const struct loom_figure_page page = {
      .title = "t", .what = "w", .unit = "u", .curves = LOOM_FIGURE_CURVES};
  char *text = NULL, *rest = NULL, *style[LOOM_FIGURE_CURVES];
  size_t size = 0, curves = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  loom_figure_page(&(struct loom_figure_look){.width = 0}, &page, out);
  assert_int_equal(fclose(out), 0);
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    unsigned number = 0;
    int used = 0;
    if (sscanf(line, "set linetype %u %n", &number, &used) != 1)
      continue;
    assert_true(curves < LOOM_FIGURE_CURVES);
    assert_int_equal(number, loom_figure_curve(curves));
    style[curves] = line + used;
    for (size_t c = 0; c < curves; c++)
      assert_string_not_equal(style[c], style[curves]);
    curves++;
  }
  assert_int_equal(curves, LOOM_FIGURE_CURVES);
  free(text);
}

static int plot_with_little_room(void) {
  return with_little_room("plot @ -o @", in_folder("s2"), in_folder("room"),
                          "room/throughput.svg:0: file: cannot write: ");
}

/* A figure that cannot be written as a whole is not there, and that is said. */
static void a_figure_that_cannot_be_written_whole_is_not_there(void **state) {
  (void)state;
  char path[4096];
  const char *found = getenv("PATH");
  assert_int_equal(in_child(plot_with_little_room), 2);
  assert_int_equal(files_in("room"), 0);
  mkdir(in_folder("full"), 0777);
  assert_int_equal(symlink("/dev/full", in_folder("full/throughput.svg")), 0);
  assert_says("full/throughput.svg:0: file: cannot write: No space left on device\n", "plot @ -o @",
              in_folder("s2"), in_folder("full"));
  /* A gnuplot that ends too early, and says that all is well. */
  mkdir(in_folder("bin"), 0777);
  write_file("bin/gnuplot", "#!/bin/sh\necho '<svg>'\n");
  assert_int_equal(chmod(in_folder("bin/gnuplot"), 0755), 0);
  assert_non_null(found);
  snprintf(path, sizeof path, "%s", found);
  setenv("PATH", in_folder("bin"), 1);
  struct outcome o = run("plot @ -o @", in_folder("s2"), in_folder("room"));
  setenv("PATH", path, 1);
  assert_int_equal(o.status, 2);
  assert_string_equal(o.err, "loom plot: gnuplot: could not draw throughput.svg\n");
  assert_int_equal(files_in("room"), 0);
  drop(&o);
}

#define SERIES "seed,cycle,class,offered_flits,flits,messages,total_mean,net_mean\n"

/* A single run over time, classes and seeds together; what is no whole run is refused. */
static void a_single_run_is_drawn_over_time(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "1: series: is no head of a series"},
      {"garbage\n", "1: series: is no head of a series"},
      {"seed,cycle\n1,2,A\n", "1: series: is no head of a series"},
      {SERIES, "1: series: has no rows: run.interval was 0"},
      {SERIES "1,9,A,1,1,1,1.0,1.0\ngarbage\n", "3: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,1.0,1.0,7\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,1.0,\n1.0\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,nan,1.0\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,-1,1,1.0,1.0\n", "2: series: is no row of a series"},
      {SERIES "1,0,A,1,1,1,1.0,1.0\n", "2: series: ends before the row above"},
      {SERIES "1,9,A,1,1,1,1.0,1.0\n1,8,A,1,1,1,1.0,1.0\n", "3: series: ends before the row above"},
      {SERIES "1,9,A,1,1,1,1.0,1.0", "2: series: is cut short"}};
  char why[200];
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --seeds 2 --quiet -o @", in_folder("single"), "");
  assert_run(0, "plot @", in_folder("single"), "");
  assert_svg("single/plots/throughput.svg");
  assert_svg("single/plots/latency.svg");
  assert_svg("single/plots/network-latency.svg");
  assert_run(2, "plot @ -x load", in_folder("single"), "");
  /* All of it is a run's own, which its results may take with them. */
  assert_run(0, "plot @ --format svg,pdf,png --logx --logy", in_folder("single"), "");
  assert_script("single/plots/throughput.gp", "set logscale y\n", "yrange [0:");
  assert_int_equal(files_in("single/plots"), 12);
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --seeds 2 --quiet -o @", in_folder("single"), "");
  assert_false(is_there("single/plots"));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file("single/series.csv", bad[i][0]);
    snprintf(why, sizeof why, "single/series.csv:%s\n", bad[i][1]);
    assert_says(why, "plot @", in_folder("single"), "");
  }
  write_file("single/summary.json", "{}");
  assert_says("single/summary.json:0: file: is no whole summary; ", "plot @", in_folder("single"),
              "");
}

static void a_missing_gnuplot_is_said(void **state) {
  (void)state;
  char path[4096];
  const char *found = getenv("PATH");
  snprintf(path, sizeof path, "%s", found ? found : "");
  setenv("PATH", "", 1);
  struct outcome o = run("plot @", in_folder("s2"), "");
  setenv("PATH", path, 1);
  assert_int_equal(o.status, 2);
  assert_string_equal(o.err, "loom plot: gnuplot: is not installed; it draws the figures\n");
  drop(&o);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sweep_is_drawn_over_each_of_its_axes),
      cmocka_unit_test(a_figure_has_the_forms_that_are_asked_for),
      cmocka_unit_test(the_script_of_a_figure_draws_it_again),
      cmocka_unit_test(titles_and_logarithms_are_as_the_user_wants_them),
      cmocka_unit_test(curves_that_differ_late_have_figures_of_their_own),
      cmocka_unit_test(odd_names_are_shown_as_they_are_and_never_run),
      cmocka_unit_test(text_of_a_changed_file_is_quoted_for_gnuplot),
      cmocka_unit_test(no_two_curves_look_the_same),
      cmocka_unit_test(a_figure_that_cannot_be_written_whole_is_not_there),
      cmocka_unit_test(a_single_run_is_drawn_over_time),
      cmocka_unit_test(a_missing_gnuplot_is_said),
  };
  return UNIT_RUN("plot", tests, make_sweep, remove_folder);
}
