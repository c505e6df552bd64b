/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are made in memory are whole or not there (docs/failures.md). */
#define _GNU_SOURCE /* fork */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/text_stream.h"

enum { LINES = 3000, DIGITS = 7 };

static void a_text_is_what_was_written(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 1;
  FILE *file = loom_text_open(&text, &size);
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
  assert_string_equal(text, "");
  assert_int_equal(size, 0);
  free(text);
  file = loom_text_open(&text, &size);
  assert_non_null(file);
  for (unsigned i = 0; i < LINES; i++)
    fprintf(file, "%06u\n", i);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(size, LINES * DIGITS);
  assert_string_equal(text + size - 2 * DIGITS, "002998\n002999\n");
  free(text);
}

#ifndef __SANITIZE_ADDRESS__ /* which takes more addresses than any limit leaves */
/* Memory ends in the middle, and some of what comes after it would fit again. */
static int write_too_much(void) {
  enum { ROOM = 1 << 26, PIECE = 1 << 16 };
  static char piece[PIECE];
  const struct rlimit little = {.rlim_cur = ROOM, .rlim_max = ROOM};
  char *text = NULL;
  size_t size = 0;
  FILE *file = loom_text_open(&text, &size);
  if (!file || setrlimit(RLIMIT_AS, &little))
    return 99;
  for (unsigned i = 0; i < 2 * ROOM / PIECE; i++)
    fwrite(piece, 1, PIECE, file);
  fputs("the end\n", file);
  return fclose(file) && !text && !size ? 0 : 1;
}

static void a_text_that_memory_does_not_suffice_for_is_not_there(void **state) {
  (void)state;
  int status = 0;
  pid_t pid = fork();
  if (!pid)
    _exit(write_too_much());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_is_what_was_written),
#ifndef __SANITIZE_ADDRESS__
      cmocka_unit_test(a_text_that_memory_does_not_suffice_for_is_not_there),
#endif
  };
  return UNIT_RUN("text_stream", tests, NULL, NULL);
}
