/* SPDX-License-Identifier: Apache-2.0 */
/* tracker_model.h - who may take how many units of a shared buffer (OP-06), straight from its words
 *
 * Each VL has a reserve that is its own and a cap; what is beyond the reserves is for all.
 * credit_tracker, and vl_buffer with one inside, are compared with it.
 */
#ifndef LOOM_TB_UNIT_PARTS_TRACKER_MODEL_H
#define LOOM_TB_UNIT_PARTS_TRACKER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "parts/credit_tracker.h"

struct tracker_model {
  uint32_t vls, total, max_units, used[32], reserved[32], cap[32];
};

/* Units in use, of all VLs. */
uint32_t tracker_model_used(const struct tracker_model *m);

/* Units in use beyond the reserves of their VLs. */
uint32_t tracker_model_pool_used(const struct tracker_model *m);

/* Do the reserves fit into the total, and this into the memory? Else nothing is admitted. */
bool tracker_model_ok(const struct tracker_model *m);

/* How many units may VL v still take? */
uint32_t tracker_model_avail(const struct tracker_model *m, uint32_t v);

/* The edge that ends a cycle with the inputs `in`, of which a packet was admitted if `ok`; gives
 * what error_o shows afterwards. */
bool tracker_model_edge(struct tracker_model *m, const struct loom_credit_tracker_in *in, bool ok);

#endif
