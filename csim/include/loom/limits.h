/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - sizes that all of Loom agrees on, each in one place (docs/link.md) */
#ifndef LOOM_LIMITS_H
#define LOOM_LIMITS_H

enum {
  LOOM_VLS = 32,        /* virtual lanes of a link, at most; numbers 0..31 (E5-04, OP-02) */
  LOOM_IB_VLS = 16,     /* of a link of InfiniBand, VL15 included (IB-01) */
  LOOM_KEYS = 32,       /* service levels, or whatever else a scheduler's tables go by, at most */
  LOOM_FLIT_BYTES = 8,  /* a flit is a word of 64 bits (OP-01) */
  LOOM_UNIT_FLITS = 8,  /* flits of a credit unit, which is a cell of a buffer (OP-06) */
  LOOM_UNIT_BYTES = 64, /* the same in bytes */
};

#endif
