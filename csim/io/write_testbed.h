/* SPDX-License-Identifier: Apache-2.0 */
/* write_testbed.h - a script that measures the shares of SLs with perftest (docs/vlarb.md;
 * IB-15) */
#ifndef LOOM_IO_WRITE_TESTBED_H
#define LOOM_IO_WRITE_TESTBED_H

#include <stdio.h>

#include "io/read_opensm_conf.h"

/* One flow for each VL that a table serves. */
struct loom_testbed {
  uint32_t mtu;   /* of InfiniBand: 256, 512, 1024, 2048 or 4096 */
  uint32_t count; /* 1.. */
  struct {
    uint8_t sl; /* the first that is mapped to the VL */
    uint8_t vl;
  } flow[LOOM_IB_VLS];
};

/* The flows of ports with these options. Returns a VL that a table serves and no SL is mapped to,
 * or -1: there is none. */
int loom_testbed_flows(struct loom_testbed *testbed, const struct loom_opensm_qos *qos);

/* A shell script, for the sender; it keeps the output of each flow in results/sl-N.txt beside
 * it. */
void loom_write_testbed(FILE *file, const struct loom_testbed *testbed);

#endif
