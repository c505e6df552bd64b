/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - the parts that devices are made of (docs/parts.md)
 *
 * For each device N there are its structs and functions as <loom/device.h> describes them. What its
 * parameters, ports and registers mean stands on its page.
 */
#ifndef LOOM_PARTS_H
#define LOOM_PARTS_H

#ifndef LOOM_TWINS_ARE_HERE
#define LOOM_NAMES "parts/credit_tracker.regs"
#include <loom/names.h>
#endif

#define LOOM_DUT fifo
#define LOOM_DEF "parts/fifo.def"
#include <loom/device.h>

#define LOOM_DUT ram
#define LOOM_DEF "parts/ram.def"
#include <loom/device.h>

#define LOOM_DUT rr_arbiter
#define LOOM_DEF "parts/rr_arbiter.def"
#include <loom/device.h>

#define LOOM_DUT vl_buffer
#define LOOM_DEF "parts/vl_buffer.def"
#include <loom/device.h>

#define LOOM_DUT packet_buffer
#define LOOM_DEF "parts/packet_buffer.def"
#include <loom/device.h>

#define LOOM_DUT packet_store
#define LOOM_DEF "parts/packet_store.def"
#include <loom/device.h>

#define LOOM_DUT credit_tracker
#define LOOM_DEF "parts/credit_tracker.def"
#include <loom/device.h>

#define LOOM_DUT room_tracker
#define LOOM_DEF "parts/room_tracker.def"
#include <loom/device.h>

#define LOOM_DUT counter_bank
#define LOOM_DEF "parts/counter_bank.def"
#include <loom/device.h>

#define LOOM_DUT event_counters
#define LOOM_DEF "parts/event_counters.def"
#include <loom/device.h>

#define LOOM_DUT delay
#define LOOM_DEF "parts/delay.def"
#include <loom/device.h>

#define LOOM_DUT crc16
#define LOOM_DEF "parts/crc16.def"
#include <loom/device.h>

#define LOOM_DUT crc32
#define LOOM_DEF "parts/crc32.def"
#include <loom/device.h>

#define LOOM_DUT lfsr
#define LOOM_DEF "parts/lfsr.def"
#include <loom/device.h>

#define LOOM_DUT prbs31_gen
#define LOOM_DEF "parts/prbs31_gen.def"
#include <loom/device.h>

#define LOOM_DUT prbs31_check
#define LOOM_DEF "parts/prbs31_check.def"
#include <loom/device.h>

#endif
