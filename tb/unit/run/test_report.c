/* SPDX-License-Identifier: Apache-2.0 */
/* The command `loom report` (docs/fabric.md#report): one page that has everything in itself. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/run_bench.h"

/* The data of a page, which is JSON; the caller's. */
static json_t *data_in(const char *page) {
  static const char begin[] = "const DATA = ";
  const char *at = strstr(page, begin);
  assert_non_null(at);
  json_t *data = json_loads(at + sizeof begin - 1, JSON_DISABLE_EOF_CHECK, NULL);
  assert_non_null(data);
  return data;
}

static void assert_table(const json_t *data, const char *key, const char *file) {
  char *text = read_file(in_folder(file));
  assert_string_equal(json_string_value(json_object_get(data, key)), text);
  free(text);
}

/* What is in the page is what is in the files, and nothing is fetched from anywhere. */
static void a_report_holds_the_results_and_asks_no_network(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --stats links,flows -o @", in_folder("seen"), "");
  assert_run(0, "report @ -o @", in_folder("seen"), in_folder("seen.html"));
  char *page = read_file(in_folder("seen.html"));
  json_t *data = data_in(page);
  assert_table(data, "links", "seen/links.csv");
  assert_table(data, "flows", "seen/flows.csv");
  assert_table(data, "devices", "seen/devices.csv");
  json_t *summary = json_load_file(in_folder("seen/summary.json"), 0, NULL);
  assert_true(json_equal(json_object_get(data, "summary"), summary));
  json_decref(summary);
  json_decref(data);
  assert_null(strstr(page, "@DATA@"));
  assert_null(strstr(page, "src="));
  assert_null(strstr(page, "href="));
  char *url = strstr(page, "http");
  assert_true(!url || !strncmp(url, "http://www.w3.org/2000/svg", 26));
  assert_true(!url || !strstr(url + 1, "http"));
  free(page);
}

/* A name that would end the script does not. */
static void no_name_ends_the_script(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --stats links -o @ --set name=</script><b>",
             in_folder("bad"), "");
  assert_run(0, "report @ -o @", in_folder("bad"), in_folder("bad.html"));
  char *page = read_file(in_folder("bad.html"));
  json_t *data = data_in(page);
  const json_t *summary = json_object_get(data, "summary");
  assert_string_equal(json_string_value(json_object_get(summary, "name")), "</script><b>");
  char *end = strstr(page, "</script>");
  assert_non_null(end);
  assert_null(strstr(end + 1, "</script>"));
  json_decref(data);
  free(page);
}

static void a_report_of_too_little_is_refused(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml -o @", in_folder("plain"), "");
  assert_says("plain/devices.csv:0: file: is missing; run it with --stats links,flows",
              "report @ -o @", in_folder("plain"), in_folder("x.html"));
  assert_false(is_there("x.html"));
  assert_says("summary.json:0: file: is missing", "report @ -o x.html", in_folder("none"), "");
  assert_refused("report", "loom report: DIR: missing");
  assert_says("loom report: --output: missing", "report @", in_folder("plain"), "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_holds_the_results_and_asks_no_network),
      cmocka_unit_test(no_name_ends_the_script),
      cmocka_unit_test(a_report_of_too_little_is_refused),
  };
  return UNIT_RUN("report", tests, make_folder, remove_folder);
}
