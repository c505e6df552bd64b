/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sysconf */

#include "run/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/streams.h"

enum { LEAST = 8 }; /* devices that are looked at first; with twice as many the others are told */

struct loom_memory loom_memory_now(void) {
  struct loom_memory m = {.addresses = 0};
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%" SCNu64 " %" SCNu64, &m.addresses, &m.resident) != 2)
    m = (struct loom_memory){.addresses = 0};
  if (file)
    fclose(file);
  m.addresses *= page;
  m.resident *= page;
  return m;
}

/* The number after a word at the beginning of a line; UINT64_MAX: there is none, such as `max`. */
static uint64_t number_in(const char *name, const char *word) {
  char line[120];
  uint64_t number = UINT64_MAX;
  size_t size = strlen(word);
  FILE *file = fopen(name, "r");
  while (file && number == UINT64_MAX && fgets(line, sizeof line, file))
    if (!strncmp(line, word, size) && sscanf(line + size, "%" SCNu64, &number) != 1)
      number = UINT64_MAX;
  if (file)
    fclose(file);
  return number;
}

/* With a further number, if there is one. */
static uint64_t with(uint64_t number, uint64_t more) {
  return number == UINT64_MAX || more == UINT64_MAX ? number : number + more;
}

/* What the machine has left; UINT64_MAX: it does not say. */
static uint64_t left_of_machine(void) {
  static const char name[] = "/proc/meminfo";
  uint64_t kilobytes = with(number_in(name, "MemAvailable:"), number_in(name, "SwapFree:"));
  return kilobytes == UINT64_MAX ? UINT64_MAX : kilobytes << 10;
}

/* The same of the group of processes that it is in, a container for instance. What the group has
 * read of files counts as taken, but the system gives it up when memory is needed. */
static uint64_t left_of_group(void) {
  static const char stat[] = "/sys/fs/cgroup/memory.stat";
  uint64_t most = number_in("/sys/fs/cgroup/memory.max", "");
  uint64_t taken = number_in("/sys/fs/cgroup/memory.current", "");
  if (most == UINT64_MAX || taken == UINT64_MAX)
    return UINT64_MAX;
  most = with(with(most, number_in(stat, "inactive_file ")), number_in(stat, "active_file "));
  return most > taken ? most - taken : 0;
}

static uint64_t left_of_limit(uint64_t addresses) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur > addresses ? limit.rlim_cur - addresses : 0;
}

/* Of `left` devices that are not made yet, if `made` took from `before` to `now`. */
static uint64_t rest(uint64_t before, uint64_t now, uint32_t made, uint32_t left) {
  return now > before ? (now - before) / made * left : 0;
}

static bool check(uint64_t need, uint64_t left, uint32_t all, const char *devices,
                  struct loom_plan_error *err) {
  return need <= left || loom_plan_fail(err, LOOM_EXIT_FAILED, LOOM_PLAN_MEMORY,
                                        "%" PRIu32 " %s take about %" PRIu64
                                        " MB more, but only %" PRIu64 " MB are left",
                                        all, devices, need / 1000000, left / 1000000);
}

void loom_memory_note(struct loom_memory_sample *sample) {
  uint32_t first = sample->most / 4;
  sample->made++;
  if (sample->made == first)
    sample->from = loom_memory_now().resident;
  if (sample->made != sample->most)
    return;
  sample->until = loom_memory_now().resident;
  if (first && sample->until > sample->from)
    sample->each = (sample->until - sample->from) / (sample->most - first);
}

uint64_t loom_memory_left(void) {
  uint64_t machine = left_of_machine(), group = left_of_group();
  uint64_t limit = left_of_limit(loom_memory_now().addresses);
  uint64_t least = machine < group ? machine : group;
  return least < limit ? least : limit;
}

struct loom_memory_growth loom_memory_begin(void) {
  return (struct loom_memory_growth){.before = loom_memory_now()};
}

/* With the first devices comes what all have in common, so those since the last look count. */
bool loom_memory_check(struct loom_memory_growth *growth, uint32_t done, uint32_t all,
                       const char *devices, struct loom_plan_error *err) {
  if (done < LEAST || (done & (done - 1)))
    return true;
  struct loom_memory now = loom_memory_now();
  const struct loom_memory_growth last = *growth;
  growth->resident = now.resident;
  growth->done = done;
  if (!last.done)
    return true;
  uint64_t group = left_of_group(), machine = left_of_machine();
  /* States come in pools that double, so half of the addresses may be for more devices. */
  return check(rest(last.before.addresses, now.addresses, done, all - done) / 2,
               left_of_limit(now.addresses), all, devices, err) &&
         check(rest(last.resident, now.resident, done - last.done, all - done),
               machine < group ? machine : group, all, devices, err);
}
