/* SPDX-License-Identifier: Apache-2.0 */
/* opa_switch.c - the list of opa_switch as tables, for shadows: no traffic of its own */
#include "switch/opa_switch.h"

#define DUT_NAME opa_switch
#define DUT_LIST "switch/opa_switch.def"
#include "tb/cosim/dut.h"

const struct dut opa_switch_dut = DUT_INIT(NULL);
