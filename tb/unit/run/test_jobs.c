/* SPDX-License-Identifier: Apache-2.0 */
/* Points side by side (csim/run/jobs.h): what is said of them while they run. */
#define _GNU_SOURCE /* nanosleep, MAP_ANONYMOUS */

#include "tb/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "run/jobs.h"

enum { TICKS = 60, TICK_NS = 5000000 }; /* 0.3 s */

/* A point that takes its time. */
static void run(void *context, uint32_t index, struct loom_point *point,
                void (*tick)(void *context, uint64_t cycle), void *tick_context) {
  const struct timespec pause = {.tv_nsec = TICK_NS};
  (void)context;
  (void)index;
  *point = (struct loom_point){.seed = 1};
  for (uint64_t cycle = 1; cycle <= TICKS; cycle++) {
    nanosleep(&pause, NULL);
    tick(tick_context, cycle);
  }
}

static bool done(void *context, uint32_t index, struct loom_point *point) {
  (void)context;
  (void)index;
  (void)point;
  return true;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Lines that are said of a point of 0.3 s, each of which must be one of progress. */
static unsigned lines_with(double pause) {
  char why[80], line[200];
  FILE *out = tmpfile();
  assert_non_null(out);
  const struct loom_jobs jobs = {.count = 1,
                                 .jobs = 1,
                                 .run = run,
                                 .done = done,
                                 .progress = out,
                                 .cycles = TICKS,
                                 .pause = pause};
  assert_true(loom_jobs_run(&jobs, why, sizeof why));
  rewind(out);
  unsigned lines = 0;
  for (; fgets(line, sizeof line, out); lines++) {
    unsigned runs = 9, percent = 999;
    assert_int_equal(sscanf(line, "%u of 1 runs, %u %%", &runs, &percent), 2);
    assert_true(runs <= 1 && percent <= 100);
    assert_null(strchr(line, '\r'));
  }
  fclose(out);
  return lines;
}

/* Away from a terminal there is a line a minute and not one a tick; the minute is shorter here. */
static void progress_is_a_line_a_minute_away_from_a_terminal(void **state) {
  (void)state;
  double start = seconds();
  unsigned lines = lines_with(0.05);
  assert_true(lines >= 1 && lines <= (seconds() - start) / 0.05);
  assert_int_equal(lines_with(60), 0);
  assert_int_equal(lines_with(0), 0);
}

/* What nohup has ignored ends nothing. */
static void hang_up(void *context, uint32_t index, struct loom_point *point,
                    void (*tick)(void *context, uint64_t cycle), void *tick_context) {
  kill(getppid(), *(const int *)context);
  run(NULL, index, point, tick, tick_context);
}

static bool goes_on_after(int number) {
  char why[80];
  const struct loom_jobs jobs = {
      .count = 1, .jobs = 1, .run = hang_up, .done = done, .context = &number};
  bool ok = loom_jobs_run(&jobs, why, sizeof why);
  assert_true(ok == !why[0]);
  return ok;
}

static void a_signal_ends_all_points_unless_it_is_ignored(void **state) {
  (void)state;
  const struct sigaction ignored = {.sa_handler = SIG_IGN};
  struct sigaction before;
  assert_false(goes_on_after(SIGTERM));
  assert_false(goes_on_after(SIGHUP));
  assert_int_equal(sigaction(SIGHUP, &ignored, &before), 0);
  assert_true(goes_on_after(SIGHUP));
  assert_int_equal(sigaction(SIGHUP, &before, NULL), 0);
}

enum { POINTS = 6 };

/* What all processes see. */
struct shared {
  uint32_t tries[POINTS], working, most, company;
};

/* The first process of each second point is killed. */
static void run_or_die(void *context, uint32_t index, struct loom_point *point,
                       void (*tick)(void *context, uint64_t cycle), void *tick_context) {
  struct shared *s = context;
  bool again = __atomic_fetch_add(&s->tries[index], 1, __ATOMIC_SEQ_CST) > 0;
  uint32_t working = __atomic_add_fetch(&s->working, 1, __ATOMIC_SEQ_CST);
  run(NULL, index, point, tick, tick_context);
  if (again && (working > 1 || __atomic_load_n(&s->working, __ATOMIC_SEQ_CST) > 1))
    s->company = 1;
  if (s->tries[0] > 1 && working > s->most)
    s->most = working;
  __atomic_sub_fetch(&s->working, 1, __ATOMIC_SEQ_CST);
  if (!again && index % 2 == 0)
    raise(SIGKILL);
}

/* If all together had too little memory, alone is enough, and fewer have more each. */
static void a_point_that_lost_its_process_is_tried_alone(void **state) {
  (void)state;
  char why[80];
  struct shared *s =
      mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(s != MAP_FAILED);
  const struct loom_jobs jobs = {
      .count = POINTS, .jobs = 4, .run = run_or_die, .done = done, .context = s};
  assert_true(loom_jobs_run(&jobs, why, sizeof why));
  for (uint32_t i = 0; i < POINTS; i++)
    assert_int_equal(s->tries[i], i % 2 == 0 ? 2 : 1);
  assert_int_equal(s->company, 0);
  assert_true(s->most <= 2);
  munmap(s, sizeof *s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(progress_is_a_line_a_minute_away_from_a_terminal),
      cmocka_unit_test(a_signal_ends_all_points_unless_it_is_ignored),
      cmocka_unit_test(a_point_that_lost_its_process_is_tried_alone)};
  return UNIT_RUN("jobs", tests, NULL, NULL);
}
