/* SPDX-License-Identifier: Apache-2.0 */
/* read_perftest.h - what ib_send_bw of perftest prints (docs/vlarb.md; IB-15) */
#ifndef LOOM_IO_READ_PERFTEST_H
#define LOOM_IO_READ_PERFTEST_H

#include "io/source.h"

struct loom_perftest {
  uint32_t mtu;       /* bytes; 0: the output does not say */
  uint64_t message;   /* bytes */
  uint64_t bandwidth; /* the average, bits a second */
};

/* The output of one client with messages of one size. False: refused, *err says why. */
bool loom_read_perftest(struct loom_perftest *result, const struct loom_source *src,
                        struct loom_error *err);

#endif
