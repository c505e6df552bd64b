/* SPDX-License-Identifier: Apache-2.0 */
/* tracker_model.c - the sums of OP-06 as its words say them (tracker_model.h) */
#include "tb/unit/parts/tracker_model.h"

static uint32_t excess(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

uint32_t tracker_model_used(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += m->used[v];
  return sum;
}

bool tracker_model_ok(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += m->reserved[v];
  return sum <= m->total && m->total <= m->max_units;
}

uint32_t tracker_model_pool_used(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += excess(m->used[v], m->reserved[v]);
  return sum;
}

uint32_t tracker_model_avail(const struct tracker_model *m, uint32_t v) {
  if (!tracker_model_ok(m))
    return 0;
  uint32_t n = 0, own = excess(m->reserved[v], m->used[v]),
           pool = m->total - tracker_model_pool_used(m);
  for (uint32_t w = 0; w < m->vls; w++)
    pool -= m->reserved[w];
  while (m->used[v] + n + 1 <= m->cap[v] && n + 1 <= own + pool)
    n++;
  return n;
}

bool tracker_model_edge(struct tracker_model *m, const struct loom_credit_tracker_in *in, bool ok) {
  bool idle = tracker_model_used(m) == 0;
  bool back = in->return_valid && in->return_vl < m->vls && m->used[in->return_vl] > 0;
  bool error = in->return_valid && !back;
  if (back)
    m->used[in->return_vl]--;
  if (ok)
    m->used[in->consume_vl] += (uint32_t)in->consume_size;
  if (!in->cfg_we)
    return error;
  uint32_t *target = NULL;
  if (in->cfg_addr == 64)
    target = &m->total;
  else if (in->cfg_addr < 32 && in->cfg_addr < m->vls)
    target = &m->reserved[in->cfg_addr];
  else if (in->cfg_addr >= 32 && in->cfg_addr < 32 + m->vls)
    target = &m->cap[in->cfg_addr - 32];
  if (target && idle)
    *target = (uint32_t)in->cfg_data;
  return error || (target && !idle);
}
