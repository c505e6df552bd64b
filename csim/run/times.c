/* SPDX-License-Identifier: Apache-2.0 */

#include "run/times.h"

#include <stdlib.h>

enum { ROOM = 1024 };

bool loom_times_open(struct loom_times *t, uint32_t links) {
  *t = (struct loom_times){.seen = calloc(links + 1, sizeof *t->seen)};
  return t->seen != NULL;
}

void loom_times_free(struct loom_times *t) {
  free(t->seen);
  free(t->time);
}

static bool make_room(struct loom_times *t) {
  if (t->count < t->room)
    return true;
  size_t room = t->room ? 2 * t->room : ROOM;
  struct loom_time *time = realloc(t->time, room * sizeof *time);
  if (!time)
    return false;
  t->time = time;
  t->room = room;
  return true;
}

bool loom_times_note(struct loom_times *t, uint64_t begin, uint32_t link, uint64_t flits) {
  if (flits == t->seen[link])
    return true;
  if (!make_room(t))
    return false;
  t->time[t->count++] =
      (struct loom_time){.begin = begin, .flits = flits - t->seen[link], .link = link};
  t->seen[link] = flits;
  return true;
}
