/* SPDX-License-Identifier: Apache-2.0 */
/* kns_switch.c - the list of kns_switch as tables, for shadows: no traffic of its own */
#include "switch/kns_switch.h"

#define DUT_NAME kns_switch
#define DUT_LIST "switch/kns_switch.def"
#include "tb/cosim/dut.h"

const struct dut kns_switch_dut = DUT_INIT(NULL);
