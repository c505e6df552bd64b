/* SPDX-License-Identifier: Apache-2.0 */
/* The command `loom ibsim` (docs/ibsim.md): what it refuses. The rest needs the tools that it
 * serves: tb/peer/ibsim. */
#include "tb/unit/unit.h"

#include <string.h>

#include "tb/unit/run_bench.h"

#define TREE "vectors/fabric/tree-2-2.yaml"

static void options_that_make_no_sense_are_refused(void **state) {
  (void)state;
  assert_refused("ibsim", "loom ibsim: FILE: missing");
  assert_refused("ibsim --pace 0 " TREE, "loom ibsim: --pace: `0` is no whole number from 1 on");
  assert_refused("ibsim --cycles -1 " TREE,
                 "loom ibsim: --cycles: `-1` is no whole number from 1 on");
  assert_refused("ibsim --cut S0 " TREE, "loom ibsim: --cut: `S0` is no NAME[PORT]@CYCLE");
  assert_refused("ibsim --cut S0-0[9]@1 " TREE, "loom ibsim: --cut: S0-0 has no cable at port 9");
  assert_refused("ibsim --join S7[1]@1 " TREE, "loom ibsim: --join: no device is called `S7`");
  assert_says("a topology has no traffic", "ibsim --pace 9 @", "vectors/net/subnet.net", "");
}

/* It says `why`, and shows the place in the file. */
static void assert_shows(const char *why, const char *path) {
  struct outcome o = run("ibsim @", path, "");
  assert_int_equal(o.status, 2);
  if (!strstr(o.err, why))
    assert_string_equal(o.err, why);
  drop(&o);
}

static void a_fabric_that_cannot_be_programmed_is_refused(void **state) {
  (void)state;
  assert_shows("switch.kind: only switches of kind ib are programmed while they run",
               "vectors/fabric/kns-6-2.yaml");
  assert_shows("switch.kind: only switches of kind ib", "vectors/fabric/broken-link.yaml");
  write_file("lone.yaml", "---\nname: lone\ntopology: {kind: tree, k: 2, n: 2}\n"
                          "switch: {kind: ib, scheduler: rr}\nhost: {buffer: 4096}\n"
                          "classes:\n  - {name: A, sl: 0, vl: 1, mtu: 256}\n"
                          "traffic:\n  - {class: A, pattern: uniform, size: 256, load: 0.1}\n"
                          "run: {warmup: 0, measure: 1000, drain: 9000, seeds: 1}\n...\n");
  assert_shows("lone.yaml:7: classes: some class must be on VL 0", in_folder("lone.yaml"));
  assert_shows("none.yaml", in_folder("none.yaml"));
  assert_shows("none.net", in_folder("none.net"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_that_make_no_sense_are_refused),
      cmocka_unit_test(a_fabric_that_cannot_be_programmed_is_refused),
  };
  return UNIT_RUN("ibsim_command", tests, make_folder, remove_folder);
}
