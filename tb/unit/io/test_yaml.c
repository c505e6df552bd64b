/* SPDX-License-Identifier: Apache-2.0 */
/* YAML files: all errors of a file at once, each with its place (docs/formats.md, YAML). */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml.h"
#include "io/yaml_edit.h"

struct raw_item {
  char *name, *size;
};

struct raw_file {
  char *name;
  struct raw_item *part;
  char **words;
  uint32_t words_count;
  struct raw_item *items;
  uint32_t items_count;
};

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

static const struct loom_yaml_schema word = LOOM_YAML_TEXT_OF(8);
static const struct loom_yaml_field item_fields[] = {
    LOOM_YAML_TEXT_KEY("name", NEEDED, raw_item, name, 8),
    LOOM_YAML_TEXT_KEY("size", MAY_MISS, raw_item, size, 8),
    {.key = NULL}};
static const struct loom_yaml_schema item = LOOM_YAML_MAP_OF(raw_item, item_fields);
static const struct loom_yaml_field file_fields[] = {
    LOOM_YAML_TEXT_KEY("name", NEEDED, raw_file, name, 8),
    LOOM_YAML_MAP_KEY("part", MAY_MISS, raw_file, part, raw_item, item_fields),
    LOOM_YAML_LIST_KEY("words", MAY_MISS, raw_file, words, &word, 3),
    LOOM_YAML_LIST_KEY("items", MAY_MISS, raw_file, items, &item, 12),
    {.key = NULL}};
static const struct loom_yaml_schema file_schema = LOOM_YAML_MAP_OF(raw_file, file_fields);

/* What is said of a text; empty: it is read. The caller's. */
static char *said_of(const char *text) {
  struct loom_source src = {.text = NULL};
  struct loom_error err;
  struct loom_yaml yaml = {.src = &src, .schema = &file_schema, .err = &err};
  void *raw = NULL;
  char *said = calloc(1, sizeof err.line + sizeof err.more);
  assert_non_null(said);
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  if (!loom_yaml_load(&yaml, &raw)) {
    assert_null(raw);
    sprintf(said, "%s\n%s", err.line, err.more);
  }
  loom_yaml_free(&yaml);
  loom_source_free(&src);
  return said;
}

static void assert_said(const char *text, const char *errors) {
  char *said = said_of(text);
  assert_string_equal(said, errors);
  free(said);
}

static void every_value_has_its_place_in_the_structure(void **state) {
  (void)state;
  static const char text[] = "name: n\npart: {size: '2', name: p}\nwords: [a, b]\n"
                             "items:\n  - {name: i}\n  - name: j\n    size: 3\n";
  struct loom_source src = {.text = NULL};
  struct loom_error err;
  struct loom_yaml yaml = {.src = &src, .schema = &file_schema, .err = &err};
  void *raw = NULL;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  assert_true(loom_yaml_load(&yaml, &raw));
  const struct raw_file *f = raw;
  assert_string_equal(f->name, "n");
  assert_string_equal(f->part->size, "2");
  assert_int_equal(f->words_count, 2);
  assert_string_equal(f->words[1], "b");
  assert_int_equal(f->items_count, 2);
  assert_null(f->items[0].size);
  assert_string_equal(f->items[1].name, "j");
  assert_string_equal(f->items[1].size, "3");
  assert_int_equal(loom_yaml_line(&yaml, "items[1].size"), 7);
  assert_int_equal(loom_yaml_line(&yaml, "items[1].other"), 6);
  loom_yaml_fail(&yaml, "items[0].name", "is %s", "one");
  loom_yaml_fail(&yaml, "part.size", "is two");
  assert_string_equal(err.line, "f:5: items[0].name: is one");
  assert_string_equal(err.more,
                      "  5 |   - {name: i}\n    |            ^ column 12\n"
                      "f:2: part.size: is two\n"
                      "  2 | part: {size: '2', name: p}\n    |              ^ column 14\n");
  loom_yaml_free(&yaml);
  loom_source_free(&src);
}

static void all_errors_are_told_in_one_go(void **state) {
  (void)state;
  assert_said("name: [1]\nnam: 2\npart: {size: 123456789}\nwords: []\nitems: {}\n",
              "f:1: name: must be a single value\n"
              "  1 | name: [1]\n    |       ^ column 7\n"
              "f:2: nam: unknown key\n"
              "  2 | nam: 2\n    | ^ column 1\n"
              "f:3: part.size: value is too long\n"
              "  3 | part: {size: 123456789}\n    |              ^ column 14\n"
              "f:3: part.name: missing key\n"
              "  3 | part: {size: 123456789}\n    |       ^ column 7\n"
              "f:4: words: too few entries\n"
              "  4 | words: []\n    |        ^ column 8\n"
              "f:5: items: must be a list\n"
              "  5 | items: {}\n    |        ^ column 8\n");
  assert_said("words: [a, b, c, d, e]\nname:\nname: 2\n",
              "f:1: words[3]: too many entries\n"
              "  1 | words: [a, b, c, d, e]\n    |                  ^ column 18\n"
              "f:2: name: has no value\n"
              "  2 | name:\n    |      ^ column 6\n"
              "f:3: name: repeated key\n"
              "  3 | name: 2\n    | ^ column 1\n");
}

/* What stands before the place is checked; what might stand after it is not missed. */
static void a_text_that_is_no_yaml_is_read_up_to_there(void **state) {
  (void)state;
  assert_said("items:\n  - {nam: a}\n  - {name: b\n",
              "f:2: items[0].nam: unknown key\n"
              "  2 |   - {nam: a}\n    |      ^ column 6\n"
              "f:2: items[0].name: missing key\n"
              "  2 |   - {nam: a}\n    |     ^ column 5\n"
              "f:4: items[1]: did not find expected ',' or '}'\n"
              "  4 | \n    | ^ column 1\n");
  assert_said("", "f:1: document: empty file\n  1 | \n    | ^ column 1\n");
  assert_said("name: a\n--- \nname: b\n",
              "f:2: document: more than one document\n  2 | --- \n    | ^ column 1\n");
}

static void ten_errors_are_told_and_that_there_are_more(void **state) {
  (void)state;
  char text[400] = "name: x\nitems:\n";
  for (unsigned i = 0; i < 12; i++)
    strcat(text, "- {name: n, bad: 1}\n");
  char *said = said_of(text);
  unsigned lines = 0;
  for (const char *c = said; *c; c++)
    lines += *c == '\n';
  assert_int_equal(lines, 3 * LOOM_ERRORS + 1);
  assert_non_null(strstr(said, "f:12: items[9].bad: unknown key\n"));
  assert_null(strstr(said, "items[10]"));
  assert_non_null(strstr(said, "column 13\nf:0: document: there are more errors\n"));
  free(said);
}

static void a_place_in_a_long_line_is_shown(void **state) {
  (void)state;
  char text[600] = "name: x\nwords: [";
  memset(text + strlen(text), ' ', 200);
  strcat(text,
         "123456789, b, \xc3\xa4\xc3\xb6, \t, cccccccccccccccccccccccccccccccccccccccccccccc]\n");
  char *said = said_of(text);
  assert_non_null(strstr(said, "f:2: words[0]: value is too long\n  2 | "));
  const char *shown = strstr(said, "  2 | "), *mark = strstr(shown, "\n    | ");
  assert_true(mark - shown < 120);
  mark++;
  const char *caret = strchr(mark, '^');
  assert_memory_equal(shown + (caret - mark), "123456789, b, ??,  , ccc", 24);
  assert_non_null(strstr(caret, "^ column 209\n"));
  free(said);
}

/* Nine lists of nine times the one before: as many values as nobody has memory for. */
static void references_are_refused_and_never_followed(void **state) {
  (void)state;
  char text[1000] = "name: &a [x, x, x, x, x, x, x, x, x]\n";
  for (int c = 'b'; c <= 'i'; c++)
    sprintf(text + strlen(text), "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c,
            c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
  char *said = said_of(text);
  assert_non_null(strstr(said, "f:1: name: must be a single value\n"));
  free(said);
  assert_said("name: &a x\nwords: [*a]\n", "f:1: name: anchors and tags are not supported\n"
                                           "  1 | name: &a x\n    |       ^ column 7\n"
                                           "f:2: words[0]: aliases are not supported\n"
                                           "  2 | words: [*a]\n    |         ^ column 9\n");
}

static void an_anchor_or_a_tag_alone_is_refused_on_values_of_all_kinds(void **state) {
  (void)state;
  static const char *const text[] = {"&a x",         "!t x",   "&a {name: x}",
                                     "!t {name: x}", "&a [x]", "!t [x]"};
  static const char *const key[] = {"name", "name", "part", "part", "words", "words"};
  for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++) {
    char file[100], error[100];
    snprintf(file, sizeof file, "%s%s: %s\n", i < 2 ? "" : "name: x\n", key[i], text[i]);
    snprintf(error, sizeof error, "f:%d: %s: anchors and tags are not supported\n", i < 2 ? 1 : 2,
             key[i]);
    char *said = said_of(file);
    if (strncmp(said, error, strlen(error)) != 0)
      fail_msg("`%s`: `%s`, not `%s`", file, said, error);
    free(said);
  }
}

static void changes_have_no_references_either(void **state) {
  (void)state;
  char text[300] = "[&a [x, x, x, x, x, x, x, x]";
  for (int c = 'b'; c <= 'h'; c++)
    sprintf(text + strlen(text), ",&%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c]", c, c - 1, c - 1, c - 1,
            c - 1, c - 1, c - 1, c - 1);
  strcat(text, "]");
  struct loom_source src = {.text = NULL}, out = {.text = NULL};
  struct loom_error err;
  struct loom_edit edit = {"words", text};
  assert_true(loom_source_copy(&src, "f", "name: x\n", 8));
  assert_false(loom_yaml_edit(&src, &edit, 1, &out, &err));
  assert_string_equal(err.line, "f:0: words: anchors and tags are not supported");
  edit.value = "!!str x";
  assert_false(loom_yaml_edit(&src, &edit, 1, &out, &err));
  loom_source_free(&src);
}

static void values_are_nested_so_deep_and_no_deeper(void **state) {
  (void)state;
  char text[LOOM_SOURCE_MAX / 64];
  memset(text, '[', sizeof text - 1);
  text[sizeof text - 1] = 0;
  char *said = said_of(text);
  assert_non_null(strstr(said, "f:1: document: must be a mapping of keys to values\n"));
  assert_non_null(strstr(said, ": values are nested too deeply\n"));
  free(said);
}

/* Lines of a changed file are nobody's. */
static void a_changed_file_has_errors_without_places(void **state) {
  (void)state;
  struct loom_source src = {.text = NULL}, out = {.text = NULL};
  struct loom_error err;
  struct loom_yaml yaml = {.src = &out, .schema = &file_schema, .err = &err};
  void *raw = NULL;
  const struct loom_edit edit[] = {{"nam", "y"}, {"words", "{}"}};
  assert_true(loom_source_copy(&src, "f", "name: x\n", 8));
  assert_true(loom_yaml_edit(&src, edit, 2, &out, &err));
  assert_false(loom_yaml_load(&yaml, &raw));
  assert_string_equal(err.line, "f:0: nam: unknown key (after changes)");
  assert_string_equal(err.more, "f:0: words: must be a list (after changes)\n");
  loom_source_free(&src);
  loom_source_free(&out);
}

/* What is not there need not be removed, and nothing comes to be by that. */
static void what_is_removed_need_not_be_there(void **state) {
  (void)state;
  const struct loom_edit edit[] = {{"part.name", NULL}, {"part", ""}, {"items[0].name", NULL}};
  struct loom_source src = {.text = NULL};
  struct loom_source same = {.text = NULL};
  struct loom_source out = {.text = NULL};
  struct loom_error err = {.line = ""};
  assert_true(loom_source_copy(&src, "f", "name: a\n", 8));
  assert_true(loom_yaml_edit(&src, NULL, 0, &same, &err));
  for (size_t i = 0; i < sizeof edit / sizeof edit[0]; i++) {
    assert_true(loom_yaml_edit(&src, &edit[i], 1, &out, &err));
    assert_string_equal(out.text, same.text);
    loom_source_free(&out);
  }
  loom_source_free(&same);
  loom_source_free(&src);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_has_its_place_in_the_structure),
      cmocka_unit_test(all_errors_are_told_in_one_go),
      cmocka_unit_test(a_text_that_is_no_yaml_is_read_up_to_there),
      cmocka_unit_test(ten_errors_are_told_and_that_there_are_more),
      cmocka_unit_test(a_place_in_a_long_line_is_shown),
      cmocka_unit_test(references_are_refused_and_never_followed),
      cmocka_unit_test(an_anchor_or_a_tag_alone_is_refused_on_values_of_all_kinds),
      cmocka_unit_test(changes_have_no_references_either),
      cmocka_unit_test(values_are_nested_so_deep_and_no_deeper),
      cmocka_unit_test(a_changed_file_has_errors_without_places),
      cmocka_unit_test(what_is_removed_need_not_be_there),
  };
  return UNIT_RUN("yaml", tests, NULL, NULL);
}
