/* SPDX-License-Identifier: Apache-2.0 */
/* build_state.h - the inside of a built fabric */
#ifndef LOOM_RUN_BUILD_STATE_H
#define LOOM_RUN_BUILD_STATE_H

#include "fabric/crossbar_class.h"
#include "fabric/elan5_host.h"
#include "fabric/host.h"
#include "fabric/mport_class.h"
#include "fabric/switch_class.h"
#include "fabric/watch.h"
#include "run/build.h"
#include "run/elite5_fabric.h"
#include "run/faults.h"

struct loom_built {
  const struct loom_plan *plan;
  const struct system *system;
  struct loom_fabric *fabric;
  struct loom_ledger *ledger;
  uint32_t hosts;                     /* of elite5, that are made */
  struct loom_host **host;            /* NULL: made in another process */
  void **device;                      /* switches, by row; NULL: made in another process */
  struct loom_sched_grants **granted; /* by row, by port, of those; NULL: not known here */
  uint32_t *number;                   /* of the fabric, by device of the topology, then by host */
  struct loom_elite5_fabric *elite5;  /* whose fabric it is; NULL: nobody else's */
  struct loom_faults *faults;         /* of elite5; NULL: there are none */
  struct loom_elan5_hosts *elan5;
  const struct loom_shadow *shadow; /* NULL: no circuits */
  struct loom_watch *watch;         /* NULL: nobody counts what links carry */
};

#endif
