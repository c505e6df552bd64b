/* SPDX-License-Identifier: Apache-2.0 */
/* loom schema: what YAML files may say, for editors (docs/formats.md, YAML). */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tb/unit/cli_run.h"

static void each_format_has_a_schema(void **state) {
  (void)state;
  struct outcome o = loom("schema");
  char line[40];
  unsigned formats = 0;
  for (char *name = strtok(o.out, " "); name; name = strtok(NULL, " "), formats++) {
    snprintf(line, sizeof line, "schema %s", name);
    json_t *root = run_json(line);
    assert_string_equal(json_string_value(json_object_get(root, "type")), "object");
    assert_true(json_is_false(json_object_get(root, "additionalProperties")));
    json_decref(root);
    assert_non_null(strtok(NULL, "\n"));
  }
  assert_int_equal(formats, 5);
  drop(&o);
}

static void a_value_is_a_word_or_a_number_between_bounds(void **state) {
  (void)state;
  json_t *root = run_json("schema fabric");
  const char *key = NULL, *type = NULL;
  double least = 0, most = 0;
  json_int_t paths = 0;
  const json_t *routing = NULL;
  assert_int_equal(json_unpack(root, "{s:{s:{s:{s:{s:s,s:F,s:F}}}}}", "properties", "link",
                               "properties", "rate", "type", &type, "minimum", &least, "maximum",
                               &most),
                   0);
  assert_string_equal(type, "number");
  assert_true(least > 0.0009999 && least < 0.0010001 && most > 9999 && most < 10001);
  assert_int_equal(
      json_unpack(root, "{s:{s:{s:o}}}", "properties", "routing", "properties", &routing), 0);
  assert_int_equal(json_unpack(json_object_get(routing, "lmc"), "{s:[{s:[s]},{s:I}]}", "anyOf",
                               "enum", &key, "maximum", &paths),
                   0);
  assert_string_equal(key, "auto");
  assert_int_equal(paths, 7);
  assert_true(json_is_true(
      json_array_get(json_object_get(json_object_get(routing, "allow_cycles"), "enum"), 1)));
  json_decref(root);
}

static void names_of_no_format_are_refused(void **state) {
  (void)state;
  assert_refused("schema vlarb", "loom schema: NAME: `vlarb` is none of fabric, sweep, wishes, "
                                 "dtable, fixture");
  assert_refused("schema fabric sweep", "loom schema: argument: `sweep` is one name too many");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_format_has_a_schema),
      cmocka_unit_test(a_value_is_a_word_or_a_number_between_bounds),
      cmocka_unit_test(names_of_no_format_are_refused),
  };
  return UNIT_RUN("schema", tests, NULL, NULL);
}
