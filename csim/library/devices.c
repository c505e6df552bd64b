/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - devices for programs: what <loom/device.h> declares and the twins do not have */
#include <stdlib.h>
#include <string.h>

#include "axi/axil_registers.h"
#include "axi/axis_link_rx.h"
#include "axi/axis_link_tx.h"
#include "elite5/crosspoint_router.h"
#include "elite5/elite5_router.h"
#include "elite5/segment_buffer.h"
#include "elite5/segment_store.h"
#include "parts/counter_bank.h"
#include "parts/crc16.h"
#include "parts/crc32.h"
#include "parts/credit_tracker.h"
#include "parts/delay.h"
#include "parts/event_counters.h"
#include "parts/fifo.h"
#include "parts/lfsr.h"
#include "parts/packet_buffer.h"
#include "parts/packet_store.h"
#include "parts/prbs31_check.h"
#include "parts/prbs31_gen.h"
#include "parts/ram.h"
#include "parts/room_tracker.h"
#include "parts/rr_arbiter.h"
#include "parts/vl_buffer.h"
#include "sched/bandwidth_table.h"
#include "sched/deficit_round_robin.h"
#include "sched/deficit_table.h"
#include "sched/fair_queueing.h"
#include "sched/lone_grant.h"
#include "sched/round_robin.h"
#include "sched/sched_dtable.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_port.h"
#include "sched/sched_rr.h"
#include "sched/sched_sbt.h"
#include "sched/two_table.h"
#include "switch/crossbar_switch.h"
#include "switch/crossing.h"
#include "switch/ib_switch.h"
#include "switch/input_unit.h"
#include "switch/kns_node.h"
#include "switch/kns_switch.h"
#include "switch/link_preempt.h"
#include "switch/mport_alloc.h"
#include "switch/mport_switch.h"
#include "switch/opa_switch.h"
#include "switch/output_unit.h"
#include "switch/pipelined_alloc.h"
#include "switch/port_group.h"

#define LOOM_TWINS_ARE_HERE
#include <loom/axi.h>
#include <loom/elite5.h>
#include <loom/parts.h>
#include <loom/sched.h>
#include <loom/switch.h>

enum { LINE = 64 }; /* of the cache: states begin one */

static size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

#define LOOM_DUT fifo
#define LOOM_DEF "parts/fifo.def"
#include "library/device_functions.h"
#define LOOM_DUT ram
#define LOOM_DEF "parts/ram.def"
#include "library/device_functions.h"
#define LOOM_DUT rr_arbiter
#define LOOM_DEF "parts/rr_arbiter.def"
#include "library/device_functions.h"
#define LOOM_DUT vl_buffer
#define LOOM_DEF "parts/vl_buffer.def"
#include "library/device_functions.h"
#define LOOM_DUT packet_buffer
#define LOOM_DEF "parts/packet_buffer.def"
#include "library/device_functions.h"
#define LOOM_DUT packet_store
#define LOOM_DEF "parts/packet_store.def"
#include "library/device_functions.h"
#define LOOM_DUT credit_tracker
#define LOOM_DEF "parts/credit_tracker.def"
#include "library/device_functions.h"
#define LOOM_DUT room_tracker
#define LOOM_DEF "parts/room_tracker.def"
#include "library/device_functions.h"
#define LOOM_DUT counter_bank
#define LOOM_DEF "parts/counter_bank.def"
#include "library/device_functions.h"
#define LOOM_DUT event_counters
#define LOOM_DEF "parts/event_counters.def"
#include "library/device_functions.h"
#define LOOM_DUT delay
#define LOOM_DEF "parts/delay.def"
#include "library/device_functions.h"
#define LOOM_DUT crc16
#define LOOM_DEF "parts/crc16.def"
#include "library/device_functions.h"
#define LOOM_DUT crc32
#define LOOM_DEF "parts/crc32.def"
#include "library/device_functions.h"
#define LOOM_DUT lfsr
#define LOOM_DEF "parts/lfsr.def"
#include "library/device_functions.h"
#define LOOM_DUT prbs31_gen
#define LOOM_DEF "parts/prbs31_gen.def"
#include "library/device_functions.h"
#define LOOM_DUT prbs31_check
#define LOOM_DEF "parts/prbs31_check.def"
#include "library/device_functions.h"
#define LOOM_DUT axil_registers
#define LOOM_DEF "axi/axil_registers.def"
#include "library/device_functions.h"
#define LOOM_DUT axis_link_rx
#define LOOM_DEF "axi/axis_link_rx.def"
#include "library/device_functions.h"
#define LOOM_DUT axis_link_tx
#define LOOM_DEF "axi/axis_link_tx.def"
#include "library/device_functions.h"
#define LOOM_DUT sched_rr
#define LOOM_DEF "sched/sched_rr.def"
#include "library/device_functions.h"
#define LOOM_DUT sched_sbt
#define LOOM_DEF "sched/sched_sbt.def"
#include "library/device_functions.h"
#define LOOM_DUT sched_dtable
#define LOOM_DEF "sched/sched_dtable.def"
#include "library/device_functions.h"
#define LOOM_DUT sched_ibarb
#define LOOM_DEF "sched/sched_ibarb.def"
#include "library/device_functions.h"
#define LOOM_DUT deficit_table
#define LOOM_DEF "sched/deficit_table.def"
#include "library/device_functions.h"
#define LOOM_DUT two_table
#define LOOM_DEF "sched/two_table.def"
#include "library/device_functions.h"
#define LOOM_DUT round_robin
#define LOOM_DEF "sched/round_robin.def"
#include "library/device_functions.h"
#define LOOM_DUT bandwidth_table
#define LOOM_DEF "sched/bandwidth_table.def"
#include "library/device_functions.h"
#define LOOM_DUT deficit_round_robin
#define LOOM_DEF "sched/deficit_round_robin.def"
#include "library/device_functions.h"
#define LOOM_DUT fair_queueing
#define LOOM_DEF "sched/fair_queueing.def"
#include "library/device_functions.h"
#define LOOM_DUT lone_grant
#define LOOM_DEF "sched/lone_grant.def"
#include "library/device_functions.h"
#define LOOM_DUT sched_port
#define LOOM_DEF "sched/sched_port.def"
#include "library/device_functions.h"
#define LOOM_DUT ib_switch
#define LOOM_DEF "switch/ib_switch.def"
#include "library/device_functions.h"
#define LOOM_DUT opa_switch
#define LOOM_DEF "switch/opa_switch.def"
#include "library/device_functions.h"
#define LOOM_DUT kns_node
#define LOOM_DEF "switch/kns_node.def"
#include "library/device_functions.h"
#define LOOM_DUT kns_switch
#define LOOM_DEF "switch/kns_switch.def"
#include "library/device_functions.h"
#define LOOM_DUT pipelined_alloc
#define LOOM_DEF "switch/pipelined_alloc.def"
#include "library/device_functions.h"
#define LOOM_DUT mport_alloc
#define LOOM_DEF "switch/mport_alloc.def"
#include "library/device_functions.h"
#define LOOM_DUT crossbar_switch
#define LOOM_DEF "switch/crossbar_switch.def"
#include "library/device_functions.h"
#define LOOM_DUT mport_switch
#define LOOM_DEF "switch/mport_switch.def"
#include "library/device_functions.h"
#define LOOM_DUT crossing
#define LOOM_DEF "switch/crossing.def"
#include "library/device_functions.h"
#define LOOM_DUT input_unit
#define LOOM_DEF "switch/input_unit.def"
#include "library/device_functions.h"
#define LOOM_DUT link_preempt
#define LOOM_DEF "switch/link_preempt.def"
#include "library/device_functions.h"
#define LOOM_DUT output_unit
#define LOOM_DEF "switch/output_unit.def"
#include "library/device_functions.h"
#define LOOM_DUT port_group
#define LOOM_DEF "switch/port_group.def"
#include "library/device_functions.h"
#define LOOM_DUT elite5_router
#define LOOM_DEF "elite5/elite5_router.def"
#include "library/device_functions.h"
#define LOOM_DUT crosspoint_router
#define LOOM_DEF "elite5/crosspoint_router.def"
#include "library/device_functions.h"
#define LOOM_DUT segment_buffer
#define LOOM_DEF "elite5/segment_buffer.def"
#include "library/device_functions.h"
#define LOOM_DUT segment_store
#define LOOM_DEF "elite5/segment_store.def"
#include "library/device_functions.h"
