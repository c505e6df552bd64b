/* SPDX-License-Identifier: Apache-2.0 */
/* stop.cpp - what $stop does in a Verilated circuit of the benches
 *
 * An assertion that fails (rtl/include/loom_assert.vh) says what is wrong and stops. The bench
 * looks at the context after the edge and ends with its own words and status.
 */
#include <verilated.h>

void vl_stop(const char *, int, const char *) VL_MT_UNSAFE {
  Verilated::threadContextp()->gotError(true);
  Verilated::threadContextp()->gotFinish(true);
}
