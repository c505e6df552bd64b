/* SPDX-License-Identifier: Apache-2.0 */
/* elite5.h - the crosspoint router of QsNetIII, in two editions, and its buffers (docs/elite5.md,
 * docs/crosspoint_router.md)
 *
 * For each device N there are its structs and functions as <loom/device.h> describes them. What its
 * parameters, ports and registers mean stands on its page.
 */
#ifndef LOOM_ELITE5_H
#define LOOM_ELITE5_H

#define LOOM_DUT elite5_router
#define LOOM_DEF "elite5/elite5_router.def"
#include <loom/device.h>

#define LOOM_DUT crosspoint_router
#define LOOM_DEF "elite5/crosspoint_router.def"
#include <loom/device.h>

#define LOOM_DUT segment_buffer
#define LOOM_DEF "elite5/segment_buffer.def"
#include <loom/device.h>

#define LOOM_DUT segment_store
#define LOOM_DEF "elite5/segment_store.def"
#include <loom/device.h>

#endif
