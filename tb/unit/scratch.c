/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.c - files of a unit test, and folders for them */
#define _GNU_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tb/unit/scratch.h"

void scratch_make(char folder[SCRATCH_FOLDER]) {
  static const char pattern[] = "build/testXXXXXX"; /* mkdtemp puts letters for the X */
  _Static_assert(sizeof pattern <= SCRATCH_FOLDER, "the name is too long");
  memcpy(folder, pattern, sizeof pattern);
  mkdir("build", 0777);
  assert_non_null(mkdtemp(folder));
}

void scratch_write_bytes(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

void scratch_write(const char *path, const char *text) {
  scratch_write_bytes(path, text, strlen(text));
}

struct loom_source scratch_read(const char *path) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_read_all(&src, path, &err));
  return src;
}
