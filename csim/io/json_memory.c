/* SPDX-License-Identifier: Apache-2.0 */
#include "io/json_memory.h"

#include <jansson.h>
#include <stdlib.h>

static _Thread_local bool lacked;

static void *take(size_t size) {
  void *memory = malloc(size);
  lacked = lacked || (!memory && size);
  return memory;
}

void loom_json_watch(void) {
  json_set_alloc_funcs(take, free);
  lacked = false;
}

bool loom_json_lacked(void) { return lacked; }
