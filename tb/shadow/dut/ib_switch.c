/* SPDX-License-Identifier: Apache-2.0 */
/* ib_switch.c - the list of ib_switch as tables, for shadows: no traffic of its own */
#include "switch/ib_switch.h"

#define DUT_NAME ib_switch
#define DUT_LIST "switch/ib_switch.def"
#include "tb/cosim/dut.h"

const struct dut ib_switch_dut = DUT_INIT(NULL);
