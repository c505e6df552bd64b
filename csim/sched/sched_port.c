/* SPDX-License-Identifier: Apache-2.0 */
/* sched_port.c - twin of rtl/sched/loom_sched_port.v, written from docs/sched_port.md
 *
 * An edge goes from the outputs back to the inputs, so that each piece still sees the registers of
 * the pieces before it as they are before the edge. The scheduler comes before buffer and tracker,
 * of which it looks at heads and credits. */
#include "sched/sched_port.h"

#include <loom/head.h>
#include <string.h>

enum {
  CELL_FLITS = 8,
  LEN_W = LOOM_HEAD_LEN_BITS,
  SIZE_W = 10,
  CREDIT_W = 12,
  EARLY = 8,
  SETTLE = 2
};
enum { SCS = 32 };

static const struct loom_sched_policy *policy_of(const struct loom_sched_port *s) {
  static const struct loom_sched_policy *const policies[] = {
      [LOOM_PORT_RR] = &loom_sched_rr_policy,
      [LOOM_PORT_SBT] = &loom_sched_sbt_policy,
      [LOOM_PORT_DTABLE] = &loom_sched_dtable_policy,
      [LOOM_PORT_IBARB] = &loom_sched_ibarb_policy,
  };
  return policies[s->sched];
}

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_vl_buffer_cfg buffer_cfg(const struct loom_sched_port_cfg *cfg) {
  return (struct loom_vl_buffer_cfg){.VLS = cfg->VLS,
                                     .CELLS = cfg->CELLS,
                                     .CELL_FLITS = CELL_FLITS,
                                     .WIDTH = 64,
                                     .LEN_W = LEN_W,
                                     .INFO_W = 5,
                                     .RESERVED = cfg->RESERVED,
                                     .EARLY = EARLY};
}

static struct loom_credit_tracker_cfg tracker_cfg(const struct loom_sched_port_cfg *cfg) {
  return (struct loom_credit_tracker_cfg){.VLS = cfg->VLS,
                                          .COUNT_W = CREDIT_W,
                                          .SIZE_W = SIZE_W,
                                          .UNITS = cfg->REMOTE_UNITS,
                                          .MAX_UNITS = cfg->REMOTE_UNITS,
                                          .RESERVED = cfg->REMOTE_RESERVED};
}

bool loom_sched_port_cfg_ok(const struct loom_sched_port_cfg *cfg) {
  if (loom_sched_port_bad_param(cfg) || !LOOM_SCHED_KEYS_OK(cfg))
    return false;
  struct loom_vl_buffer_cfg buffer = buffer_cfg(cfg);
  struct loom_credit_tracker_cfg tracker = tracker_cfg(cfg);
  return loom_vl_buffer_cfg_ok(&buffer) && loom_credit_tracker_cfg_ok(&tracker);
}

size_t loom_sched_port_storage_size(const struct loom_sched_port_cfg *cfg) {
  struct loom_vl_buffer_cfg buffer = buffer_cfg(cfg);
  return loom_vl_buffer_storage_size(&buffer);
}

/* What every scheduler needs to know, in the struct of each. */
#define COMMON(cfg)                                                                                \
  .VLS = (cfg)->VLS, .KEYS = (cfg)->KEYS, .ARB_KEY = (cfg)->ARB_KEY, .MGMT_VL = (cfg)->MGMT_VL,    \
  .SIZE_W = SIZE_W, .CREDIT_W = CREDIT_W

static void init_scheduler(struct loom_sched_port *s, const struct loom_sched_port_cfg *cfg) {
  switch ((enum loom_port_sched)s->sched) {
  case LOOM_PORT_RR:
    loom_sched_rr_init(&s->scheduler.rr, &(struct loom_sched_rr_cfg){COMMON(cfg)});
    break;
  case LOOM_PORT_SBT:
    loom_sched_sbt_init(&s->scheduler.sbt, &(struct loom_sched_sbt_cfg){COMMON(cfg)});
    break;
  case LOOM_PORT_DTABLE:
    loom_sched_dtable_init(&s->scheduler.dtable,
                           &(struct loom_sched_dtable_cfg){COMMON(cfg), .ENTRIES = cfg->ENTRIES,
                                                           .IB_WEIGHTS = cfg->IB_WEIGHTS});
    break;
  case LOOM_PORT_IBARB:
    loom_sched_ibarb_init(
        &s->scheduler.ibarb,
        &(struct loom_sched_ibarb_cfg){COMMON(cfg), .N_HIGH = cfg->N_HIGH, .N_LOW = cfg->N_LOW});
    break;
  }
}

void loom_sched_port_init(struct loom_sched_port *s, const struct loom_sched_port_cfg *cfg,
                          void *storage) {
  struct loom_vl_buffer_cfg buffer = buffer_cfg(cfg);
  struct loom_credit_tracker_cfg tracker = tracker_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->sched = cfg->SCHED;
  for (uint32_t sc = 0; sc < SCS; sc++)
    s->sc2sl[sc] = (uint8_t)sc;
  loom_vl_buffer_init(&s->buffer, &buffer, storage);
  loom_credit_tracker_init(&s->tracker, &tracker);
  init_scheduler(s, cfg);
  s->quiet = true;
}

/* ---- register bus ---------------------------------------------------------------------------- */

/* The registered access writes one of the n addresses from `base` on. */
static bool writes(const struct loom_sched_port *s, uint32_t base, uint32_t n) {
  return s->reg.we && s->reg.addr >= base && s->reg.addr - base < n;
}

/* What the registered access reads, before the edge. */
static uint32_t read_register(const struct loom_sched_port *s) {
  const struct loom_sched_front *front = &s->scheduler.front;
  const struct loom_sched_policy *policy = policy_of(s);
  uint32_t a = s->reg.addr;
  if (a >= LOOM_PORT_REG_TABLE && a - LOOM_PORT_REG_TABLE < LOOM_PORT_REG_TABLE_WORDS)
    return policy->table_read ? policy->table_read(front, a - LOOM_PORT_REG_TABLE) : 0;
  if (a >= LOOM_PORT_REG_FLITS_IN && a - LOOM_PORT_REG_FLITS_IN < LOOM_PORT_COUNTER_COUNT)
    return s->counter[a - LOOM_PORT_REG_FLITS_IN];
  if (a >= LOOM_PORT_REG_SC2SL && a - LOOM_PORT_REG_SC2SL < SCS)
    return s->sc2sl[a - LOOM_PORT_REG_SC2SL];
  if (a == LOOM_PORT_REG_ID)
    return loom_device_id(LOOM_DEVICE_ID_SCHED_PORT) | LOOM_PUT(LOOM_PORT_REG_ID_SCHED, s->sched) |
           LOOM_PUT(LOOM_PORT_REG_ID_VLS, front->vls) |
           LOOM_PUT(LOOM_PORT_REG_ID_KEYS, front->keys);
  return a == LOOM_PORT_REG_CONTROL ? LOOM_PUT(LOOM_PORT_REG_CONTROL_HOLD, s->hold) : 0;
}

static void read_edge(struct loom_sched_port *s) {
  s->read[1].valid = s->read[0].valid;
  s->read[1].data = s->read[0].data;
  s->read[0].valid = s->reg.re;
  s->read[0].data = s->reg.re ? read_register(s) : 0;
}

/* The registers of the port itself; buffer, tracker and scheduler take their own. */
static void write_edge(struct loom_sched_port *s) {
  if (writes(s, LOOM_PORT_REG_CONTROL, 1))
    s->hold = LOOM_GET(LOOM_PORT_REG_CONTROL_HOLD, s->reg.wdata);
  if (writes(s, LOOM_PORT_REG_SC2SL, SCS))
    s->sc2sl[s->reg.addr - LOOM_PORT_REG_SC2SL] = LOOM_GET(LOOM_PORT_REG_SC2SL_SL, s->reg.wdata);
}

/* ---- data path ------------------------------------------------------------------------------- */

/* The snapshot of the VLs whose inputs have changed; of the others it is what it would become. */
static void snapshot_edge(struct loom_sched_port *s) {
  for (; s->dirty; s->dirty &= s->dirty - 1) {
    uint32_t vl = loom_ctz(s->dirty);
    loom_sched_snap(&s->scheduler.front, vl, s->buffer.head_valid >> vl & 1,
                    loom_vl_buffer_head_size(&s->buffer, vl),
                    loom_vl_buffer_head_info(&s->buffer, vl),
                    loom_credit_tracker_avail(&s->tracker, vl));
  }
}

static void scheduler_edge(struct loom_sched_port *s) {
  struct loom_sched_front *front = &s->scheduler.front;
  const struct loom_sched_policy *policy = policy_of(s);
  bool request =
      loom_vl_buffer_take_ready(&s->buffer) && !s->hold && !front->grant_valid && s->settle == 0;
  s->settle = front->grant_valid ? SETTLE : s->settle ? (uint8_t)(s->settle - 1) : 0;
  bool keep = loom_sched_phase_edge(front, policy, request);
  if (writes(s, LOOM_PORT_REG_TABLE, LOOM_PORT_REG_TABLE_WORDS) && policy->table_write)
    policy->table_write(front, s->reg.addr - LOOM_PORT_REG_TABLE, s->reg.wdata);
  if (!keep)
    snapshot_edge(s);
}

/* The edge of the credits at the far end; true if the granted packet may go. Its return is the
 * credit that came in. */
static bool tracker_edge(struct loom_sched_port *s, bool granted, uint32_t vl, uint32_t size) {
  const struct loom_credit_tracker_in in = {
      .cfg_we = writes(s, LOOM_PORT_REG_TRACKER, LOOM_PORT_REG_TRACKER_WORDS),
      .cfg_addr = s->reg.addr & 127u,
      .cfg_data = s->reg.wdata & (uint32_t)loom_mask(CREDIT_W),
      .consume_valid = granted,
      .consume_vl = vl,
      .consume_size = size,
      .return_valid = s->cr.valid,
      .return_vl = s->cr.vl,
  };
  bool ok = loom_credit_tracker_cycle(&s->tracker, &in);
  if (in.cfg_we | in.consume_valid | in.return_valid)
    s->dirty |= s->buffer.head_valid; /* the pool is common to all; and one may be taken now */
  return ok;
}

static void buffer_edge(struct loom_sched_port *s, bool take, uint32_t take_vl) {
  const struct loom_vl_buffer_in in = {
      .cfg_we = writes(s, LOOM_PORT_REG_BUFFER, LOOM_PORT_REG_BUFFER_WORDS),
      .cfg_addr = (s->reg.addr - (uint32_t)LOOM_PORT_REG_BUFFER) & 127u,
      .cfg_data = s->reg.wdata & s->buffer.tracker.count_mask,
      .wr_valid = s->in.valid,
      .wr_vl = s->in.vl,
      .wr_head = s->in.head,
      .wr_data = s->in.data,
      .wr_len = LOOM_GET(LOOM_HEAD_LEN, s->in.data),
      .wr_info = s->sc2sl[LOOM_GET(LOOM_HEAD_SC, s->in.data)],
      .take = take,
      .take_vl = take_vl,
  };
  uint32_t before = s->buffer.head_valid;
  loom_vl_buffer_edge(&s->buffer, &in);
  s->dirty |= before ^ s->buffer.head_valid;
}

/* All counters but that of lost grants. */
static void count_edge(struct loom_sched_port *s) {
  const struct loom_vl_buffer *b = &s->buffer;
  s->counter[LOOM_PORT_FLITS_IN] += s->in.valid;
  s->counter[LOOM_PORT_PACKETS_IN] += s->in.tail;
  s->counter[LOOM_PORT_FLITS_OUT] += b->rd_valid;
  s->counter[LOOM_PORT_PACKETS_OUT] += b->rd_tail;
  s->counter[LOOM_PORT_DROPS] += b->drop_valid;
  s->counter[LOOM_PORT_BUFFER_ERRORS] += loom_vl_buffer_error(b);
  s->counter[LOOM_PORT_TRACKER_ERRORS] += s->tracker.error;
}

static void output_edge(struct loom_sched_port *s) {
  const struct loom_vl_buffer *b = &s->buffer;
  s->out.valid = b->rd_valid;
  s->out.head = b->rd_head;
  s->out.tail = b->rd_tail;
  s->out.vl = b->rd_vl;
  s->out.data = b->rd_data;
}

static void input_edge(struct loom_sched_port *s, const struct loom_sched_port_in *in) {
  s->in.valid = in->in_valid != 0;
  s->in.head = in->in_valid && in->in_head;
  s->in.tail = in->in_valid && in->in_tail;
  s->in.vl = in->in_valid ? (uint8_t)in->in_vl : 0;
  s->in.data = in->in_valid ? in->in_data : 0;
  s->cr.valid = in->out_cr_valid != 0;
  s->cr.vl = in->out_cr_valid ? (uint8_t)in->out_cr_vl : 0;
  s->reg.we = in->reg_we != 0;
  s->reg.re = in->reg_re != 0;
  s->reg.addr = (uint16_t)in->reg_addr;
  s->reg.wdata = (uint32_t)in->reg_wdata;
}

/* Nothing in the registers that would move by itself. A search that finds nothing is no movement.
 */
static bool is_quiet(const struct loom_sched_port *s) {
  const struct loom_sched_front *front = &s->scheduler.front;
  const struct loom_sched_policy *policy = policy_of(s);
  if (s->in.valid || s->out.valid || s->cr.valid || s->reg.we || s->reg.re || s->read[0].valid ||
      s->read[1].valid || s->settle || s->dirty || s->tracker.error || front->phase ||
      front->grant_valid || !loom_vl_buffer_idle(&s->buffer))
    return false;
  return s->hold || (!front->elig && (!policy->settled || policy->settled(front)));
}

static void edge(struct loom_sched_port *s, const struct loom_sched_port_in *in) {
  const struct loom_sched_front *front = &s->scheduler.front;
  bool granted = front->grant_valid;
  uint32_t vl = front->grant_vl, size = front->grant_size;

  read_edge(s);
  count_edge(s);
  output_edge(s);
  scheduler_edge(s);
  bool take = tracker_edge(s, granted, vl, size);
  s->counter[LOOM_PORT_LOST] += granted && !take;
  buffer_edge(s, take, vl);
  write_edge(s);
  input_edge(s, in);
  s->quiet = is_quiet(s);
}

void loom_sched_port_step(struct loom_sched_port *s, const struct loom_sched_port_in *in,
                          struct loom_sched_port_out *out) {
  out->in_cr_valid = s->buffer.free_valid;
  out->in_cr_vl = s->buffer.free_vl;
  out->out_valid = s->out.valid;
  out->out_head = s->out.head;
  out->out_tail = s->out.tail;
  out->out_vl = s->out.vl;
  out->out_data = s->out.data;
  out->reg_rvalid = s->read[1].valid;
  out->reg_rdata = s->read[1].data;
  if (s->quiet && !(in->in_valid | in->out_cr_valid | in->reg_we | in->reg_re))
    return;
  edge(s, in);
}

void loom_sched_port_probe(const struct loom_sched_port *s, struct loom_sched_port_probe *p) {
  p->settle = s->settle;
  p->flits_in = s->counter[LOOM_PORT_FLITS_IN];
  p->flits_out = s->counter[LOOM_PORT_FLITS_OUT];
  p->drops = s->counter[LOOM_PORT_DROPS];
  p->lost = s->counter[LOOM_PORT_LOST];
  p->loom_end = 0;
}
