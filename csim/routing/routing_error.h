/* SPDX-License-Identifier: Apache-2.0 */
/* routing_error.h - why there is no routing (docs/route.md) */
#ifndef LOOM_ROUTING_ROUTING_ERROR_H
#define LOOM_ROUTING_ROUTING_ERROR_H

#include <loom/routing.h>

/* Sets *err. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void loom_routing_say(struct loom_routing_error *err, const char *format, ...);

/* The same, and false; a macro, so that callers and their checkers see that it is. */
#define loom_routing_fail(err, ...) (loom_routing_say((err), __VA_ARGS__), false)

static inline bool loom_routing_no_memory(struct loom_routing_error *err) {
  return loom_routing_fail(err, "out of memory");
}

#endif
