/* SPDX-License-Identifier: Apache-2.0 */
/* unit.c - all tests of a program, or those of a name (unit.h) */
#include "tb/unit/unit.h"

#include <fnmatch.h>
#include <stdio.h>

static size_t matches(const struct CMUnitTest *tests, size_t count, const char *pattern) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    n += fnmatch(pattern, tests[i].name, 0) == 0;
  return n;
}

int unit_run(const char *group, const struct CMUnitTest *tests, size_t count,
             CMFixtureFunction setup, CMFixtureFunction teardown, int argc, char **argv) {
  if (argc > 2) {
    fprintf(stderr, "usage: %s [PATTERN]\n", argv[0]);
    return 2;
  }
  if (argc == 2) {
    if (matches(tests, count, argv[1]) == 0) {
      fprintf(stderr, "%s: no test is named %s\n", argv[0], argv[1]);
      return 2;
    }
    cmocka_set_test_filter(argv[1]);
  }
  return _cmocka_run_group_tests(group, tests, count, setup, teardown) ? 1 : 0;
}
