/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - the number of every device with registers, and its first register (docs/registers.md)
 */
#ifndef LOOM_DEVICES_H
#define LOOM_DEVICES_H

#include <stdint.h>

#include <loom/bits.h>

#define LOOM_NAMES "loom/devices.def"
#include <loom/names.h>

/* What the first register of this device reads, but for the low 16 bits. */
static inline uint32_t loom_device_id(uint32_t device) {
  return LOOM_PUT(LOOM_ID_MAGIC, LOOM_ID_MAGIC_VALUE) | LOOM_PUT(LOOM_ID_DEVICE, device);
}

#endif
