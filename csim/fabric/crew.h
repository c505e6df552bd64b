/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h - threads that do the items of a list together, again and again (docs/fabric.md, section
 * Every core)
 *
 * Each worker begins with a part of the list of its own, so that an item is done by the same one
 * most of the time and stays in its caches; who is done takes from the ends of other parts.
 */
#ifndef LOOM_FABRIC_CREW_H
#define LOOM_FABRIC_CREW_H

#include <stdint.h>

enum { LOOM_CREW_WORKERS = 256 /* at most, with the caller's thread */ };

struct loom_crew;

/* Does an item. Items run beside each other, and beside what the caller does meanwhile. */
typedef void loom_crew_work(void *context, uint32_t worker, uint32_t item);

/* 2..LOOM_CREW_WORKERS workers, of which the caller's thread is worker 0. NULL: out of range, no
 * memory or no threads. */
struct loom_crew *loom_crew_create(uint32_t workers, loom_crew_work *work, void *context);
/* Not between begin and end. */
void loom_crew_destroy(struct loom_crew *c);

/* The other workers begin with items 0 to `items` - 1, each of which is done once. They see all
 * that the caller has written before. */
void loom_crew_begin(struct loom_crew *c, uint32_t items);
/* The caller helps until all items are done, and sees all that was written for them. */
void loom_crew_end(struct loom_crew *c);

#endif
