/* SPDX-License-Identifier: Apache-2.0 */
/* sched.h - schedulers, and an output port of a switch (docs/sched.md, docs/sched_port.md)
 *
 * For each device N there are its structs and functions as <loom/device.h> describes them. What its
 * parameters, ports and registers mean stands on its page.
 */
#ifndef LOOM_SCHED_H
#define LOOM_SCHED_H

#ifndef LOOM_TWINS_ARE_HERE
#define LOOM_NAMES "sched/sched_table.fields"
#include <loom/names.h>
#define LOOM_NAMES "sched/sched_sbt.regs"
#include <loom/names.h>
#define LOOM_NAMES "sched/sched_dtable.regs"
#include <loom/names.h>
#define LOOM_NAMES "sched/sched_ibarb.regs"
#include <loom/names.h>
#define LOOM_NAMES "sched/sched_port.regs"
#include <loom/names.h>
#endif

#define LOOM_DUT sched_rr
#define LOOM_DEF "sched/sched_rr.def"
#include <loom/device.h>

#define LOOM_DUT sched_sbt
#define LOOM_DEF "sched/sched_sbt.def"
#include <loom/device.h>

#define LOOM_DUT sched_dtable
#define LOOM_DEF "sched/sched_dtable.def"
#include <loom/device.h>

#define LOOM_DUT sched_ibarb
#define LOOM_DEF "sched/sched_ibarb.def"
#include <loom/device.h>

#define LOOM_DUT deficit_table
#define LOOM_DEF "sched/deficit_table.def"
#include <loom/device.h>

#define LOOM_DUT two_table
#define LOOM_DEF "sched/two_table.def"
#include <loom/device.h>

#define LOOM_DUT round_robin
#define LOOM_DEF "sched/round_robin.def"
#include <loom/device.h>

#define LOOM_DUT bandwidth_table
#define LOOM_DEF "sched/bandwidth_table.def"
#include <loom/device.h>

#define LOOM_DUT deficit_round_robin
#define LOOM_DEF "sched/deficit_round_robin.def"
#include <loom/device.h>

#define LOOM_DUT fair_queueing
#define LOOM_DEF "sched/fair_queueing.def"
#include <loom/device.h>

#define LOOM_DUT lone_grant
#define LOOM_DEF "sched/lone_grant.def"
#include <loom/device.h>

#define LOOM_DUT sched_port
#define LOOM_DEF "sched/sched_port.def"
#include <loom/device.h>

#endif
