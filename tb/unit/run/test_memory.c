/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory.c - what a fabric will take is foretold by its devices (docs/failures.md) */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/edited_spec.h"
#include "run/forecast.h"
#include "run/memory.h"

/* More devices than machines have room for at 4 MB each, but not at some kilobytes. */
enum { PIECE = 64 << 20, DEVICES = 1 << 20 };

static char *take(void) {
  char *piece = malloc(PIECE);
  assert_non_null(piece);
  memset(piece, 1, PIECE);
  return piece;
}

static void what_all_devices_have_in_common_counts_once(void **state) {
  struct loom_plan_error err = {.status = 0};
  struct loom_memory_growth growth = loom_memory_begin();
  (void)state;
  for (uint32_t done = 8; done <= 16; done += 8) /* what the look itself takes is there then */
    assert_true(loom_memory_check(&growth, done, 2 * done, "devices", &err));
  growth = loom_memory_begin();
  char *common = take();
  for (uint32_t done = 1; done < 32; done++)
    assert_true(loom_memory_check(&growth, done, DEVICES, "devices", &err));
  char *own = take();
  assert_false(loom_memory_check(&growth, 32, DEVICES, "devices", &err));
  assert_non_null(strstr(err.text, "devices take about "));
  free(common);
  free(own);
}

/* ---- a whole fabric -------------------------------------------------------------------------- */

/* A message that nobody waits for. */
static void receive(void *context, const struct loom_message *message, bool damaged) {
  (void)context;
  (void)message;
  (void)damaged;
}

static uint64_t foretold(const struct loom_plan *plan) {
  struct loom_plan_error refused = {.status = 0};
  struct loom_forecast f;
  return loom_forecast_make(&f, plan, 1, NULL, &refused) ? f.run : 0;
}

static uint64_t foretold_of_a_switch(const struct loom_plan *plan) {
  struct loom_plan_error refused = {.status = 0};
  struct loom_forecast f;
  return loom_forecast_make(&f, plan, 1, NULL, &refused) ? f.per_switch : 0;
}

static uint64_t taken(const struct loom_plan *plan) {
  struct loom_plan_error refused = {.status = 0};
  const struct loom_build_cfg cfg = {.plan = plan, .seed = 1, .receive = receive};
  uint64_t before = loom_memory_now().resident;
  struct loom_built *built = loom_build(&cfg, &refused);
  uint64_t now = loom_memory_now().resident;
  loom_built_destroy(built);
  return built && now > before ? now - before : 0;
}

/* In a process of its own, which has no memory yet that it has freed. */
static uint64_t bytes_of(const char *file, const struct loom_edit *edits, uint32_t count,
                         uint64_t (*ask)(const struct loom_plan *plan)) {
  int ends[2];
  uint64_t bytes = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    struct loom_error err = {.line = ""};
    struct loom_plan_error refused = {.status = 0};
    struct loom_edited_spec *c = loom_edited_spec_read(file, edits, count, &err);
    struct loom_plan *plan = c ? loom_plan_create(&c->spec, &refused) : NULL;
    bytes = plan ? ask(plan) : 0;
    loom_plan_destroy(plan);
    loom_edited_spec_free(c);
    _exit(write(ends[1], &bytes, sizeof bytes) != sizeof bytes);
  }
  assert_true(child > 0);
  assert_int_equal(read(ends[0], &bytes, sizeof bytes), sizeof bytes);
  assert_int_equal(waitpid(child, NULL, 0), child);
  close(ends[0]);
  close(ends[1]);
  return bytes;
}

/* To a tenth. */
static void expect_foretold(const char *file, const struct loom_edit *edits, uint32_t count) {
  uint64_t will = bytes_of(file, edits, count, foretold);
  uint64_t does = bytes_of(file, edits, count, taken);
  assert_in_range(does, 1 << 20, 1 << 30);
  assert_in_range(will, does - does / 10, does + does / 10);
}

static void what_a_fabric_takes_is_foretold_by_some_of_its_devices(void **state) {
  (void)state;
  const struct loom_edit second[] = {{"topology", "{kind: tree, k: 8, n: 3}"},
                                     {"switch.kind", "crosspoint"}};
  const struct loom_edit mesh[] = {{"topology", "{kind: torus, size: 16x16, nodes: 2}"}};
  expect_foretold("vectors/fabric/tree-8-3.yaml", NULL, 0);
  expect_foretold("vectors/fabric/torus-8x8.yaml", mesh, 1);
  expect_foretold("vectors/fabric/qsnet3-1024.yaml", NULL, 0);
  expect_foretold("vectors/fabric/qsnet3-1024.yaml", second, 2);
}

/* An entry of two bytes for each node. */
static void routers_are_foretold_with_their_tables(void **state) {
  enum { FEW = 1024, MANY = 8192 };
  (void)state;
  const char *const file = "vectors/fabric/qsnet3-1024.yaml";
  const struct loom_edit edit = {"topology.nodes", "8192"};
  uint64_t few = bytes_of(file, NULL, 0, foretold_of_a_switch);
  uint64_t many = bytes_of(file, &edit, 1, foretold_of_a_switch);
  assert_in_range(many, few + (MANY - FEW), few + 3 * (MANY - FEW));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_all_devices_have_in_common_counts_once),
      cmocka_unit_test(what_a_fabric_takes_is_foretold_by_some_of_its_devices),
      cmocka_unit_test(routers_are_foretold_with_their_tables),
  };
  return UNIT_RUN("memory", tests, NULL, NULL);
}
