/* SPDX-License-Identifier: Apache-2.0 */
/* loom.h - all of Loom's library (docs/library.md)
 *
 *   <loom/run.h>      a fabric file, run; its results
 *   <loom/fabric.h>   a fabric under a program's own traffic, cycle by cycle
 *   <loom/traffic.h>  where messages go
 *   <loom/topo.h>     topologies as graphs
 *   <loom/routing.h>  forwarding tables, and what they are worth
 *   <loom/switch.h>   twins of single switches; also <loom/elite5.h>, <loom/sched.h> and
 *                     <loom/parts.h>; <loom/axi.h>: what joins them to AXI
 */
#ifndef LOOM_LOOM_H
#define LOOM_LOOM_H

#include <loom/axi.h>
#include <loom/elite5.h>
#include <loom/fabric.h>
#include <loom/limits.h>
#include <loom/parts.h>
#include <loom/routing.h>
#include <loom/run.h>
#include <loom/sched.h>
#include <loom/switch.h>
#include <loom/topo.h>
#include <loom/traffic.h>
#include <loom/version.h>

#endif
