/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h - what every unit test's main() ends with: all of its tests, or those of a name
 *
 *   make unit T=fifo          every test of test_fifo.c
 *   make unit T=a_full_*      the tests whose names begin so, in every program that has one
 */
#ifndef LOOM_TB_UNIT_UNIT_H
#define LOOM_TB_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Runs the `count` tests that match the pattern argv[1] (`*`: any letters, `?`: one letter), all of
 * them when there is none, between `setup` and `teardown` (each may be NULL). Returns the exit
 * status: 0 all passed, 1 one failed, 2 nothing has such a name or there is more than one pattern.
 */
int unit_run(const char *group, const struct CMUnitTest *tests, size_t count,
             CMFixtureFunction setup, CMFixtureFunction teardown, int argc, char **argv);

/* The same for an array of tests. */
#define UNIT_RUN(group, tests, setup, teardown)                                                    \
  unit_run(group, tests, sizeof(tests) / sizeof *(tests), setup, teardown, argc, argv)

#endif
