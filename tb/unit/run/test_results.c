/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of results (docs/fabric.md): whole or not there, in the place of results and of
 * nothing else, and with all that it takes to run them again. */
#define _GNU_SOURCE /* symlink, syscall */

#include "tb/unit/unit.h"

#include <dirent.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tb/unit/run_bench.h"

/* Results are replaced by results, and nothing else is. */
static void results_replace_results_and_nothing_else(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml -o @";
  assert_run(0, command, in_folder("results"), "");
  assert_run(0, command, in_folder("results"), "");
  mkdir(in_folder("other"), 0777);
  write_file("other/file", "precious\n");
  assert_run(2, command, in_folder("other"), "");
  assert_true(is_there("other/file"));
  assert_run(2, command, in_folder("other/file"), "");
  /* Before anything is made of the fabric, which cannot be routed. */
  write_file("ring.yaml", RING("{layering: none}"));
  assert_says("no/such/place:0: directory: cannot be made: ", "run @ -o @", in_folder("ring.yaml"),
              in_folder("no/such/place"));
}

/* No directory stands beside results that was there for a while. */
static void assert_nothing_beside(void) {
  DIR *dir = opendir(bench_folder);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    assert_null(strchr(e->d_name, '~'));
  closedir(dir);
}

/* What no run wrote is in the way of new results, and stays. */
static void what_no_run_wrote_is_in_the_way_and_stays(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --quiet -o @";
  assert_run(0, command, in_folder("mixed"), "");
  write_file("mixed/notes.txt", "precious\n");
  assert_says("mixed:0: directory: holds `notes.txt`, which no run wrote\n", command,
              in_folder("mixed"), "");
  assert_true(is_there("mixed/notes.txt") && is_there("mixed/summary.json"));
  assert_int_equal(remove(in_folder("mixed/notes.txt")), 0);
  mkdir(in_folder("mixed/mine"), 0777);
  assert_says("mixed:0: directory: holds `mine`, which no run wrote\n", command, in_folder("mixed"),
              "");
  assert_int_equal(remove(in_folder("mixed/mine")), 0);
  assert_run(0, "plot @", in_folder("mixed"), "");
  write_file("mixed/plots/mine.svg", "precious\n");
  assert_says("mixed:0: directory: holds `plots/mine.svg`, which no run wrote\n", command,
              in_folder("mixed"), "");
  assert_int_equal(remove(in_folder("mixed/plots/mine.svg")), 0);
  assert_run(0, command, in_folder("mixed"), "");
  assert_false(is_there("mixed/plots"));
  mkdir(in_folder("source"), 0777);
  write_file("source/fabric.yaml", TINY_TREE);
  assert_says("source:0: directory: holds no results but `fabric.yaml`\n", "run @ -o @",
              in_folder("source/fabric.yaml"), in_folder("source"));
  assert_says("cannot be replaced: give its own name\n", command, ".", "");
  assert_nothing_beside();
}

/* What a link leads to is replaced, the link stays. */
static void what_a_link_leads_to_is_replaced_and_the_link_stays(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --quiet -o @";
  struct stat s;
  mkdir(in_folder("target"), 0777);
  assert_int_equal(symlink("target", in_folder("link")), 0);
  for (unsigned i = 0; i < 2; i++)
    assert_run(0, command, in_folder(i ? "link/" : "link"), "");
  assert_int_equal(lstat(in_folder("link"), &s), 0);
  assert_true(S_ISLNK(s.st_mode));
  assert_true(is_there("target/summary.json"));
  assert_int_equal(symlink("nowhere", in_folder("loose")), 0);
  assert_says("loose:0: directory: is a link that leads nowhere", command, in_folder("loose"), "");
  assert_nothing_beside();
}

/* Without root's right to write everywhere. */
static int run_without_rights(void) {
  struct __user_cap_header_struct all = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{.effective = 0}, {.effective = 0}};
  if (syscall(SYS_capset, &all, none))
    return 99;
  struct outcome o = run("run vectors/fabric/tree-2-2.yaml --quiet -o @", in_folder("fixed"), "");
  return strstr(o.err, "fixed:0: directory: cannot be used: Permission denied\n") ? o.status : 98;
}

/* A directory that cannot be written into, in one that can. */
static void a_directory_that_cannot_be_written_is_left_as_it_was(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --quiet -o @", in_folder("fixed"), "");
  assert_int_equal(chmod(in_folder("fixed"), 0555), 0);
  int status = in_child(run_without_rights);
  assert_int_equal(chmod(in_folder("fixed"), 0755), 0);
  assert_int_equal(status, 2);
  assert_true(is_there("fixed/summary.json"));
  assert_nothing_beside();
}

/* What a file names is kept beside its results, so that they can be run again. */
static void what_a_file_names_is_kept_beside_its_results(void **state) {
  (void)state;
  write_file("net.yaml", TINY_NET);
  assert_run(0, "run @ -o @", in_folder("net.yaml"), in_folder("kept"));
  assert_true(is_there("kept/kns-2-2.net"));
  assert_run(0, "run @ -o @", in_folder("kept/fabric.yaml"), in_folder("kept2"));
  assert_same_summary("kept/summary.json", "kept2/summary.json");
  assert_same_file("kept/fabric.yaml", "kept2/fabric.yaml");
  /* They are results, too, as long as fabric.yaml names them. */
  assert_run(0, "run @ -o @", in_folder("net.yaml"), in_folder("kept2"));
  assert_run(0, "run @ -o @", in_folder("kept/fabric.yaml"), in_folder("kept"));
  write_file("kept/fabric.yaml", TINY_TREE);
  assert_says("kept:0: directory: holds `kns-2-2.net`, which no run wrote\n", "run @ -o @",
              in_folder("net.yaml"), in_folder("kept"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_replace_results_and_nothing_else),
      cmocka_unit_test(what_no_run_wrote_is_in_the_way_and_stays),
      cmocka_unit_test(what_a_link_leads_to_is_replaced_and_the_link_stays),
      cmocka_unit_test(a_directory_that_cannot_be_written_is_left_as_it_was),
      cmocka_unit_test(what_a_file_names_is_kept_beside_its_results),
  };
  return UNIT_RUN("results", tests, make_folder, remove_folder);
}
