/* SPDX-License-Identifier: Apache-2.0 */
#include "routing/routing_error.h"

#include <stdarg.h>
#include <stdio.h>

void loom_routing_say(struct loom_routing_error *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
}
