/* SPDX-License-Identifier: Apache-2.0 */
/* Files of any kind as input: what has no end is refused, not read until memory ends
 * (docs/formats.md). */
#define _GNU_SOURCE /* truncate, mkfifo */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/source.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

static void a_device_is_refused_before_anything_of_it_is_read(void **state) {
  (void)state;
  static const char line[] = "/dev/zero:0: file: is a device, not a file";
  assert_refused("vef info /dev/zero", line);
  assert_refused("vef info vectors/vef/gv-4.vef --names /dev/zero", line);
  assert_refused("topo net /dev/zero", line);
  assert_refused("route check /dev/zero --lfts vectors/net/kns-2-2-lash.lfts", line);
  assert_refused("route check vectors/net/kns-2-2.net --lfts /dev/zero", line);
}

static void a_file_above_4_GiB_is_refused_before_it_is_read(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER], path[64];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  scratch_make(folder);
  snprintf(path, sizeof path, "%s/large", folder);
  scratch_write(path, "");
  assert_int_equal(truncate(path, (off_t)LOOM_SOURCE_LARGE + 1), 0); /* a hole: takes no room */
  assert_false(loom_source_read_all(&src, path, &err));
  assert_non_null(strstr(err.line, "/large:0: file: larger than 4294967296 bytes"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* A hole of almost 4 GiB is one line of as many NULs: its first MiB is enough. */
static void a_line_without_end_is_refused_before_the_rest_is_read(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER], path[64];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  scratch_make(folder);
  snprintf(path, sizeof path, "%s/line", folder);
  scratch_write(path, "one\ntwo\n");
  assert_int_equal(truncate(path, (off_t)LOOM_SOURCE_LARGE), 0);
  clock_t start = clock();
  assert_false(loom_source_read_all(&src, path, &err));
  assert_true(clock() - start < CLOCKS_PER_SEC); /* some milliseconds; all of it takes several */
  assert_non_null(strstr(err.line, "/line:3: line: longer than 1048576 bytes"));
  assert_null(src.text);
  assert_int_equal(truncate(path, (off_t)(8 + LOOM_SOURCE_MAX)), 0);
  assert_true(loom_source_read_all(&src, path, &err)); /* just as long as may be */
  assert_int_equal(src.size, 8 + LOOM_SOURCE_MAX);
  loom_source_free(&src);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void a_pipe_is_read_to_its_end(void **state) {
  (void)state;
  enum { LINES = 200000 };
  char folder[SCRATCH_FOLDER], path[64];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  scratch_make(folder);
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  pid_t pid = fork();
  if (!pid) {
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < LINES; i++)
      fputs("12345678\n", file);
    if (file)
      fclose(file);
    _exit(0);
  }
  assert_true(pid > 0);
  assert_true(loom_source_read_all(&src, path, &err));
  assert_int_equal(src.size, LINES * 9);
  assert_string_equal(src.text + src.size - 9, "12345678\n");
  loom_source_free(&src);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_is_refused_before_anything_of_it_is_read),
      cmocka_unit_test(a_file_above_4_GiB_is_refused_before_it_is_read),
      cmocka_unit_test(a_line_without_end_is_refused_before_the_rest_is_read),
      cmocka_unit_test(a_pipe_is_read_to_its_end),
  };
  return UNIT_RUN("source", tests, NULL, NULL);
}
