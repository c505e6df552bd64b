/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of tables for programs, as RFC 4180 has them. */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/csv.h"

static void a_field_is_quoted_only_if_it_must_be(void **state) {
  (void)state;
  static const char *const fields[][2] = {
      {"", ""},
      {"load", "load"},
      {"0.5", "0.5"},
      {" a b ", " a b "},
      {"sched, kind", "\"sched, kind\""},
      {"the \"old\" one", "\"the \"\"old\"\" one\""},
      {"\"", "\"\"\"\""},
      {"two\nlines", "\"two\nlines\""},
      {"two\rlines", "\"two\rlines\""},
      {"100 %", "100 %"},
  };
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    loom_csv_text(out, fields[i][0]);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, fields[i][1]);
    free(text);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_field_is_quoted_only_if_it_must_be),
  };
  return UNIT_RUN("csv", tests, NULL, NULL);
}
