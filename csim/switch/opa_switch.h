/* SPDX-License-Identifier: Apache-2.0 */
/* opa_switch.h - twin of loom_opa_switch: Omni-Path switch, crossbars of MPorts and a central one
 * between central buffers and outputs (docs/switch.md, docs/opa.md; OP-01..22)
 *
 * Registers in another form than in the circuit:
 *   central_granted, central_targeted: core.granted and core.targeted of LOOM_SWITCH_CENTRAL
 */
#ifndef LOOM_SWITCH_OPA_SWITCH_H
#define LOOM_SWITCH_OPA_SWITCH_H

#define LOOM_DUT opa_switch
#define LOOM_DEF "switch/opa_switch.def"
#include <loom/def.h>

#include "switch/switch.h"

/* Bytes that the list says for the storage. */
#define LOOM_OPA_BYTES(mports, in, central, out, lids)                                             \
  loom_switch_bytes(4 * (mports), 2 * (mports), in, central, out, lids)

struct loom_opa_switch {
  struct loom_switch core; /* first */
  uint8_t sc2vl[32], sc2sl[32], sl2sc[32];
};

/* The parameters are legal together. */
bool loom_opa_switch_cfg_ok(const struct loom_opa_switch_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_opa_switch_storage_size(const struct loom_opa_switch_cfg *cfg);
void loom_opa_switch_init(struct loom_opa_switch *s, const struct loom_opa_switch_cfg *cfg,
                          void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_opa_switch_start(struct loom_opa_switch *s, const struct loom_opa_switch_cfg *cfg,
                           void *storage);
/* Costs what the packets in the switch ask for, not what there are of ports and lanes. */
void loom_opa_switch_step(struct loom_opa_switch *s, const struct loom_opa_switch_in *in,
                          struct loom_opa_switch_out *out);
void loom_opa_switch_probe(const struct loom_opa_switch *s, struct loom_opa_switch_probe *p);

/* The family of its core (switch/switch.h), for whoever steps it without the structs of the list.
 */
extern const struct loom_switch_family loom_opa_switch_family;

#endif
