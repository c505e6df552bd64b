/* SPDX-License-Identifier: Apache-2.0 */
/* kns_node.c - the list of kns_node as tables, for shadows: no traffic of its own */
#include "switch/kns_node.h"

#define DUT_NAME kns_node
#define DUT_LIST "switch/kns_node.def"
#include "tb/cosim/dut.h"

const struct dut kns_node_dut = DUT_INIT(NULL);
