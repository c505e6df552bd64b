/* SPDX-License-Identifier: Apache-2.0 */
/* json_memory.h - whether jansson has had the memory for what it was to hold
 *
 * Its functions say so by their values, one for each key: a summary whose writer does not look at
 * all of them lacks some keys when memory ends. Its allocator is one for the whole process, and so
 * is what is kept here.
 */
#ifndef LOOM_IO_JSON_MEMORY_H
#define LOOM_IO_JSON_MEMORY_H

#include <stdbool.h>

/* From now on. */
void loom_json_watch(void);

/* There was no memory for something since then: what was made is not whole. */
bool loom_json_lacked(void);

#endif
