/* SPDX-License-Identifier: Apache-2.0 */
/* waves.h - waves of circuit and twin around a cycle: rtl.fst, twin.fst and waves.gtkw in one
 * folder */
#ifndef LOOM_TB_WAVES_H
#define LOOM_TB_WAVES_H

#include "tb/cosim/cosim.h"

struct waves;

/* Begins both files; `cycle` is the next one. NULL, with a line on stderr, if it cannot write. */
struct waves *waves_open(const struct circuit *c, const char *dir, uint64_t cycle);
/* One cycle: inputs, outputs and probes of both, and which of them differ. */
void waves_cycle(struct waves *w, uint64_t cycle, const void *in, const void *circuit_out,
                 const void *twin_out, const void *circuit_probe, const void *twin_probe);
void waves_close(struct waves *w, const struct circuit *c);

#endif
