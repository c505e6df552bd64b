/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_router.c - the list of elite5_router as tables, for shadows: no traffic of its own */
#include "elite5/elite5_router.h"

#define DUT_NAME elite5_router
#define DUT_LIST "elite5/elite5_router.def"
#include "tb/cosim/dut.h"

const struct dut elite5_router_dut = DUT_INIT(NULL);
