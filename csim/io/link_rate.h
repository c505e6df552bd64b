/* SPDX-License-Identifier: Apache-2.0 */
/* link_rate.h - what a link of InfiniBand carries, from the words for its width and its speed
 * (docs/cluster.md) */
#ifndef LOOM_IO_LINK_RATE_H
#define LOOM_IO_LINK_RATE_H

#include "io/words.h"

/* Takes a width, `4x` or `4X`, or `??`: *lanes, 0 for one that is not known. False: it is none, and
 * nothing is refused. */
bool loom_take_width(struct loom_words *w, uint32_t *lanes);

/* Takes a speed, `HDR`, or `???`: *lane, kb/s of data of a lane, 0 for one that is not known.
 * False: it is none, and nothing is refused. */
bool loom_take_speed(struct loom_words *w, uint32_t *lane);

/* The same of a speed by its signals, `53.125 Gbps`, as iblinkinfo prints it. */
bool loom_take_signals(struct loom_words *w, uint32_t *lane);

/* Mb/s of data of so many lanes; 0: not known. */
uint32_t loom_link_rate(uint32_t lanes, uint32_t lane);

#endif
