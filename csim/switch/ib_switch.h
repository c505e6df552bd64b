/* SPDX-License-Identifier: Apache-2.0 */
/* ib_switch.h - twin of loom_ib_switch: InfiniBand switch, one crossbar between buffers at inputs
 * and outputs (docs/switch.md, docs/ib.md; IB-01..06, OP-06..18) */
#ifndef LOOM_SWITCH_IB_SWITCH_H
#define LOOM_SWITCH_IB_SWITCH_H

#define LOOM_DUT ib_switch
#define LOOM_DEF "switch/ib_switch.def"
#include <loom/def.h>

#include "switch/switch.h"

/* Bytes that the list says for the storage. */
#define LOOM_IB_BYTES(ports, in, out, lids) loom_switch_bytes(ports, 0, in, 0, out, lids)

struct loom_ib_switch {
  struct loom_switch core; /* first */
};

/* The parameters are legal together. */
bool loom_ib_switch_cfg_ok(const struct loom_ib_switch_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_ib_switch_storage_size(const struct loom_ib_switch_cfg *cfg);
void loom_ib_switch_init(struct loom_ib_switch *s, const struct loom_ib_switch_cfg *cfg,
                         void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_ib_switch_start(struct loom_ib_switch *s, const struct loom_ib_switch_cfg *cfg,
                          void *storage);
/* Costs what the packets in the switch ask for, not what there are of ports and lanes. */
void loom_ib_switch_step(struct loom_ib_switch *s, const struct loom_ib_switch_in *in,
                         struct loom_ib_switch_out *out);
void loom_ib_switch_probe(const struct loom_ib_switch *s, struct loom_ib_switch_probe *p);

/* The family of its core (switch/switch.h), for whoever steps it without the structs of the list.
 */
extern const struct loom_switch_family loom_ib_switch_family;

#endif
