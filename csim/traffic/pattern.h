/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - where messages go: <loom/traffic.h>, and what files call it (docs/traffic.md; TR-01,
 * TR-02, KN-09)
 */
#ifndef LOOM_TRAFFIC_PATTERN_H
#define LOOM_TRAFFIC_PATTERN_H

#include <loom/random.h>
#include <loom/traffic.h>

/* Names in files, by kind, NULL at the end. */
extern const char *const loom_pattern_names[LOOM_PATTERNS + 1];

#endif
