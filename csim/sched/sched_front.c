/* SPDX-License-Identifier: Apache-2.0 */
/* sched_front.c - twin of rtl/sched/loom_sched_front.v, written from docs/sched.md */
#include "sched/sched_front.h"

#include <string.h>

void loom_sched_front_init(struct loom_sched_front *f, uint32_t vls, uint32_t keys, bool arb_key,
                           uint32_t mgmt_vl) {
  memset(f, 0, sizeof *f);
  f->vls = vls;
  f->keys = keys;
  f->arb_key = arb_key;
  f->mgmt_vl = mgmt_vl;
  memset(f->last_vl, (int)(vls - 1), keys);
}

static void load_grant(struct loom_sched_front *f, uint32_t vl) {
  f->grant_valid = true;
  f->grant_vl = vl;
  f->grant_key = f->key[vl];
  f->grant_size = f->size[vl];
}

void loom_sched_grant(struct loom_sched_front *f, uint32_t vl) {
  load_grant(f, vl);
  f->last_vl[f->key[vl]] = (uint8_t)vl;
}

static bool mgmt_eligible(const struct loom_sched_front *f) {
  return f->mgmt_vl < f->vls && f->elig >> f->mgmt_vl & 1;
}

/* True to go on to DECIDE. */
static bool search(struct loom_sched_front *f, const struct loom_sched_policy *policy) {
  f->mgmt = mgmt_eligible(f);
  return f->mgmt || policy->search(f);
}

static void decide(struct loom_sched_front *f, const struct loom_sched_policy *policy) {
  if (f->mgmt)
    load_grant(f, f->mgmt_vl); /* counts nowhere: last_vl and the policy do not notice */
  else
    policy->decide(f);
  f->mgmt = false;
}

bool loom_sched_phase_edge(struct loom_sched_front *f, const struct loom_sched_policy *policy,
                           bool request) {
  if (f->grant_valid) {
    f->grant_valid = false;
    f->grant_vl = f->grant_key = f->grant_size = 0;
  }
  if (f->phase == LOOM_SCHED_DECIDE) {
    decide(f, policy);
    f->phase = LOOM_SCHED_SEARCH;
    return false;
  }
  if (!request || !search(f, policy))
    return false;
  f->phase = LOOM_SCHED_DECIDE;
  return true;
}

static void forget(struct loom_sched_front *f, uint32_t vl) {
  uint32_t bit = 1u << vl, key = f->key[vl];
  f->elig &= ~bit;
  f->vls_of[key] &= ~bit;
  if (!f->vls_of[key])
    f->active &= ~(1u << key);
  f->size[vl] = 0;
  f->key[vl] = 0;
}

void loom_sched_snap(struct loom_sched_front *f, uint32_t vl, bool valid, uint32_t size,
                     uint32_t sl, uint32_t credits) {
  uint32_t bit = 1u << vl, key = f->arb_key ? sl : vl;
  bool elig = valid && size >= 1 && size <= credits && key < f->keys;
  bool was = f->elig & bit;
  if (elig == was && (!elig || (f->size[vl] == size && f->key[vl] == key)))
    return; /* as it was */
  if (was)
    forget(f, vl);
  if (!elig)
    return;
  f->elig |= bit;
  f->size[vl] = (uint16_t)size;
  f->key[vl] = (uint8_t)key;
  if (vl != f->mgmt_vl) {
    f->vls_of[key] |= bit;
    f->active |= 1u << key;
  }
}

void loom_sched_edge(struct loom_sched_front *f, const struct loom_sched_policy *policy,
                     const struct loom_sched_inputs *in) {
  /* Read before anything changes, write after: a write wins over what the policy does at its edge.
   */
  f->table_rdata = policy->table_read ? policy->table_read(f, in->table_addr) : 0;
  bool keep = loom_sched_phase_edge(f, policy, in->request);
  if (in->table_we && policy->table_write)
    policy->table_write(f, in->table_addr, in->table_data);
  for (uint32_t vl = 0; vl < f->vls && !keep; vl++)
    loom_sched_snap(f, vl, in->head_valid >> vl & 1, (uint32_t)in->head_size[vl],
                    (uint32_t)in->head_sl[vl], (uint32_t)in->credits[vl]);
}
