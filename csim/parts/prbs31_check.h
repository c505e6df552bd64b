/* SPDX-License-Identifier: Apache-2.0 */
/* prbs31_check.h - twin of loom_prbs31_check: counts the bit errors of a PRBS31 stream
 * (docs/parts.md; E5-35)
 *
 * Registers in another form than in the circuit:
 *   predicted: none: made anew of state
 */
#ifndef LOOM_PARTS_PRBS31_CHECK_H
#define LOOM_PARTS_PRBS31_CHECK_H

#define LOOM_DUT prbs31_check
#define LOOM_DEF "parts/prbs31_check.def"
#include <loom/def.h>

#include <stdbool.h>

struct loom_prbs31_check {
  uint32_t state; /* the last 31 bits: received while not locked, predicted while locked */
  uint32_t good;  /* words in a row that were as predicted, while not locked */
  uint32_t bad;   /* words in a row with many errors, while locked */
  bool locked;
  bool have; /* state holds a history */
  bool check;
  bool lost;
  uint32_t errors;
  uint32_t lock_words;
  uint32_t loss_errors;
  uint32_t loss_words;
};

bool loom_prbs31_check_cfg_ok(const struct loom_prbs31_check_cfg *cfg);
void loom_prbs31_check_init(struct loom_prbs31_check *s, const struct loom_prbs31_check_cfg *cfg);
void loom_prbs31_check_step(struct loom_prbs31_check *s, const struct loom_prbs31_check_in *in,
                            struct loom_prbs31_check_out *out);
void loom_prbs31_check_probe(const struct loom_prbs31_check *s, struct loom_prbs31_check_probe *p);

#endif
