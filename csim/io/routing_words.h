/* SPDX-License-Identifier: Apache-2.0 */
/* routing_words.h - what options of a routing are called, in files and in commands (docs/route.md);
 * each list ends with NULL */
#ifndef LOOM_IO_ROUTING_WORDS_H
#define LOOM_IO_ROUTING_WORDS_H

extern const char *const loom_routing_engine_words[]; /* enum loom_routing_engine */
extern const char *const loom_routing_avoid_words[];  /* enum loom_routing_avoid */
extern const char *const loom_routing_ties_words[];   /* enum loom_routing_ties */
extern const char *const loom_routing_trunk_words[];  /* enum loom_routing_trunk */
extern const char *const loom_routing_cover_words[];  /* enum loom_routing_cover */
extern const char *const loom_routing_choose_words[]; /* enum loom_routing_choose */

#endif
