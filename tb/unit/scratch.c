/* scratch.c - folders for the files of a unit test */
#define _GNU_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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
