/* SPDX-License-Identifier: Apache-2.0 */
/* mport_switch.c - the list of mport_switch as tables, for shadows: no traffic of its own */
#include "switch/mport_switch.h"

#define DUT_NAME mport_switch
#define DUT_LIST "switch/mport_switch.def"
#include "tb/cosim/dut.h"

const struct dut mport_switch_dut = DUT_INIT(NULL);
