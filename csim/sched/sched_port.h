/* SPDX-License-Identifier: Apache-2.0 */
/* sched_port.h - twin of loom_sched_port: one output port of a switch, complete
 * (docs/sched_port.md; OP-06, OP-08, OP-13, OP-18..20, SC-01..04, DT-01..04, IB-02..06)
 *
 * Registers in another form than in the circuit:
 *   flits_in, packets_in, flits_out, packets_out, drops, buffer_errors, remote_errors, lost:
 *     counter[], in the order of their registers
 */
#ifndef LOOM_SCHED_PORT_H
#define LOOM_SCHED_PORT_H

#define LOOM_DUT sched_port
#define LOOM_DEF "sched/sched_port.def"
#include <loom/def.h>

#include <loom/devices.h>

#define LOOM_NAMES "sched/sched_port.regs"
#include <loom/names.h>

#include "parts/credit_tracker.h"
#include "parts/vl_buffer.h"
#include "sched/sched_dtable.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_rr.h"
#include "sched/sched_sbt.h"

/* Parameter SCHED */
enum loom_port_sched {
  LOOM_PORT_RR = 0,
  LOOM_PORT_SBT = 1,
  LOOM_PORT_DTABLE = 2,
  LOOM_PORT_IBARB = 3,
};

/* Counters, in the order of their registers. */
#define LOOM_PORT_COUNTER(name) LOOM_PORT_##name = LOOM_PORT_REG_##name - LOOM_PORT_REG_FLITS_IN
enum loom_port_counter {
  LOOM_PORT_COUNTER(FLITS_IN),
  LOOM_PORT_COUNTER(PACKETS_IN),
  LOOM_PORT_COUNTER(FLITS_OUT),
  LOOM_PORT_COUNTER(PACKETS_OUT),
  LOOM_PORT_COUNTER(DROPS),
  LOOM_PORT_COUNTER(BUFFER_ERRORS),
  LOOM_PORT_COUNTER(TRACKER_ERRORS),
  LOOM_PORT_COUNTER(LOST),
  LOOM_PORT_COUNTER_COUNT
};

/* One flit on a link; all 0 when not valid. */
struct loom_port_flit {
  bool valid, head, tail;
  uint8_t vl;
  uint64_t data;
};

struct loom_sched_port {
  uint32_t sched;
  bool quiet; /* without input the next edge changes nothing; follows from all below */
  bool hold;
  uint8_t settle; /* cycles until heads and credits have settled after a grant */
  uint32_t dirty; /* VLs whose head or credits have changed since the snapshot was taken */
  struct loom_port_flit in, out;
  struct {
    bool valid;
    uint8_t vl;
  } cr; /* out_cr_i, registered */
  struct {
    bool we, re;
    uint16_t addr;
    uint32_t wdata;
  } reg; /* the bus, registered */
  struct loom_port_read {
    bool valid;
    uint32_t data;
  } read[2]; /* on its way to reg_rdata_o: gathered, shown */
  uint32_t counter[LOOM_PORT_COUNTER_COUNT];
  uint8_t sc2sl[32];
  struct loom_credit_tracker tracker; /* the buffer at the far end */
  struct loom_vl_buffer buffer;
  union {
    struct loom_sched_front front; /* first member of each */
    struct loom_sched_rr rr;
    struct loom_sched_sbt sbt;
    struct loom_sched_dtable dtable;
    struct loom_sched_ibarb ibarb;
  } scheduler;
};

/* The parameters are legal together. */
bool loom_sched_port_cfg_ok(const struct loom_sched_port_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_sched_port_storage_size(const struct loom_sched_port_cfg *cfg);
void loom_sched_port_init(struct loom_sched_port *s, const struct loom_sched_port_cfg *cfg,
                          void *storage);
/* Costs two tests when nothing comes in and nothing is under way. */
void loom_sched_port_step(struct loom_sched_port *s, const struct loom_sched_port_in *in,
                          struct loom_sched_port_out *out);
void loom_sched_port_probe(const struct loom_sched_port *s, struct loom_sched_port_probe *p);

#endif
