/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations from files (docs/formats.md; TR-01): `pattern: file` of `loom run`. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tb/unit/run_bench.h"

/* Tables and a permutation from files; who has no line in it is silent. */
static void hosts_without_a_line_in_the_permutation_are_silent(void **state) {
  (void)state;
  write_file("files.yaml",
             "---\nname: l\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
             "routing: {lfts: ../../tb/fuzz/good/kns-2-2.lfts}\n"
             "switch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
             "traffic: [{class: A, pattern: file, file: p.txt, size: 256, load: 0.4}]\n"
             "run: {warmup: 200, measure: 600}\n...\n");
  write_file("p.txt", "# a ring of three\n0 1\n1 2\n2 0\n");
  json_t *root = json_of("run --json @", in_folder("files.yaml"), "");
  assert_delivered(root);
  json_decref(root);
}

/* As the rule says it, so does the file of vectors. */
static void a_permutation_file_runs_as_the_pattern_that_it_lists(void **state) {
  (void)state;
#define REVERSAL(pattern)                                                                          \
  "---\nname: p\ntopology: {kind: tree, k: 4, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"          \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"                                                 \
  "traffic: [{class: A, " pattern                                                                  \
  ", size: 256, load: 0.4}]\nrun: {warmup: 200, measure: 600}\n...\n"
  assert_same_run(REVERSAL("pattern: reversal"),
                  REVERSAL("pattern: file, file: ../../vectors/traffic/reversal-16.perm"));
  write_file("p.perm", "# one pair, a remark after it\r\n\n \t3 12\t# that is all\r\n");
  json_t *root = delivered_by(REVERSAL("pattern: file, file: p.perm"));
  json_decref(root);
#undef REVERSAL
}

/* Of 4 hosts; nothing of a permutation file is passed over, what is wrong is named where it is. */
static void wrong_permutations_are_refused_where_they_are_wrong(void **state) {
  (void)state;
#define LONG "                                                                                  "
  static const struct {
    const char *text;
    size_t size; /* 0: up to the NUL */
    const char *why;
  } bad[] = {{"0 1\n0 2\n", 0, "p.txt:2: source: 0 stands in line 1, too"},
             {"0 1\n\n2 1\n", 0, "p.txt:3: destination: 1 stands in line 1, too"},
             {"0 1\n1 2", 0, "p.txt:2: line: has no newline: the file is cut short"},
             {"0 x\n", 0, "p.txt:1: destination: `x` is not a number"},
             {"-0 1\n", 0, "p.txt:1: source: `-0 1` is not a number"},
             {"0 1.5\n", 0, "p.txt:1: destination: `1.5` is not a number"},
             {"0\n", 0, "p.txt:1: destination: missing number"},
             {"0 1 2\n", 0, "p.txt:1: destination: something follows it"},
             {"0 01\n", 0, "p.txt:1: destination: number with a leading zero"},
             {"0 65536\n", 0, "p.txt:1: destination: 65536 is outside 0..65535"},
             {"# none\n", 0, "p.txt:1: line: nobody sends anything"},
             {"1 1\n", 0, "p.txt:1: line: nobody sends anything"},
             {"", 0, "p.txt:0: line: nobody sends anything"},
             {"0 1\n\0junk 99\n2 3\n", 16, "p.txt:2: source: "},
             {"0 1\n1 2\0\n", 9, "p.txt:2: destination: "},
             {"0 1" LONG "junk\n", 0, "p.txt:1: destination: something follows it"},
             {"0" LONG "1\n1" LONG "1\n", 0, "p.txt:2: destination: 1 stands in line 1, too"},
             {"# pairs: 3\n0 1\n1 2\n", 0, "p.txt:3: pairs: the file is cut short: 2 of 3 pairs"},
             {"# pairs: 1\n0 1\n1 2\n", 0, "p.txt:3: pairs: more pairs than the first line says"},
             {"# pairs: 1 x\n0 1\n", 0, "p.txt:1: pairs: something follows the number"},
             {"1 2\n0 9\n8 3\n", 0, "p.txt:2: destination: 9 is outside 0..3: there are 4 tasks"},
             {"1 2\n8 3\n0 9\n", 0, "p.txt:2: source: 8 is outside 0..3: there are 4 tasks"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char line[PATH + 100];
    scratch_write_bytes(in_folder("p.txt"), bad[i].text,
                        bad[i].size ? bad[i].size : strlen(bad[i].text));
    struct outcome o = run("run @", in_folder("files.yaml"), "");
    snprintf(line, sizeof line, "%s/%s", bench_folder, bad[i].why);
    assert_int_equal(o.status, 2);
    if (strncmp(o.err, line, strlen(line)) != 0)
      assert_string_equal(o.err, line);
    drop(&o);
  }
#undef LONG
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_without_a_line_in_the_permutation_are_silent),
      cmocka_unit_test(a_permutation_file_runs_as_the_pattern_that_it_lists),
      cmocka_unit_test(wrong_permutations_are_refused_where_they_are_wrong),
  };
  return UNIT_RUN("permutation", tests, make_folder, remove_folder);
}
