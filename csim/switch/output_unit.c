/* SPDX-License-Identifier: Apache-2.0 */
/* output_unit.c - twin of rtl/switch/loom_output_unit.v, written from docs/output_unit.md
 *
 * All outputs of the three parts are registers. So a cycle looks at them first, and makes of them
 * and of the unit's own registers what goes into the parts; then comes the edge. */
#include "switch/output_unit.h"

#include <string.h>

enum { SL_W = 5, INFO_W = SL_W + 1, EARLY = 16, COUNT_W = 12, SIZE_W = 10 };
enum { SETTLE = 2 };
enum { STAY_CYCLES = 8 }; /* a lane is away for some cycles after each grant */
enum { LINK_MGMT = 15 };  /* the VL of management on a link (IB-02, OP-18) */

/* What the parts show in this cycle; both schedulers show the same. */
struct parts {
  struct loom_packet_store_out store;
  struct loom_room_tracker_out tracker;
  struct loom_deficit_table_out scheduler;
};

/* The need that is written in this cycle. */
struct need {
  bool of_grant; /* back to the largest packet */
  bool of_look;  /* the size of the head that was looked at */
  uint8_t vl;
  uint32_t size;
};

/* ---- init ------------------------------------------------------------------------------------ */

static uint32_t mgmt_of(uint32_t vls) { return loom_min(LINK_MGMT, vls - 1); }

static struct loom_packet_store_cfg store_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_packet_store_cfg){.VLS = cfg->VLS,
                                        .CELLS = cfg->CELLS,
                                        .LANES = cfg->LANES,
                                        .RD_FLITS = 1,
                                        .INFO_W = INFO_W,
                                        .MTU_UNITS = cfg->MTU_UNITS,
                                        .EARLY = EARLY};
}

static struct loom_room_tracker_cfg tracker_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_room_tracker_cfg){.VLS = cfg->VLS,
                                        .COUNT_W = COUNT_W,
                                        .SIZE_W = SIZE_W,
                                        .UNITS = cfg->REMOTE_UNITS,
                                        .MAX_UNITS = cfg->REMOTE_UNITS,
                                        .RESERVED = cfg->REMOTE_RESERVED,
                                        .NEED = cfg->MTU_UNITS};
}

static struct loom_deficit_table_cfg deficit_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_deficit_table_cfg){.VLS = cfg->VLS,
                                         .KEYS = cfg->KEYS,
                                         .ARB_KEY = cfg->ARB_KEY,
                                         .MGMT_VL = mgmt_of(cfg->VLS),
                                         .SIZE_W = SIZE_W,
                                         .ENTRIES = cfg->ENTRIES,
                                         .IB_WEIGHTS = 0,
                                         .STAY_CYCLES = STAY_CYCLES};
}

static struct loom_two_table_cfg two_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_two_table_cfg){.VLS = cfg->VLS,
                                     .KEYS = cfg->KEYS,
                                     .ARB_KEY = cfg->ARB_KEY,
                                     .MGMT_VL = mgmt_of(cfg->VLS),
                                     .SIZE_W = SIZE_W,
                                     .N_HIGH = cfg->N_HIGH,
                                     .N_LOW = cfg->N_LOW,
                                     .STAY_CYCLES = STAY_CYCLES};
}

bool loom_output_unit_cfg_ok(const struct loom_output_unit_cfg *cfg) {
  if (loom_output_unit_bad_param(cfg))
    return false;
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_deficit_table_cfg deficit = deficit_cfg(cfg);
  struct loom_two_table_cfg two = two_cfg(cfg);
  return loom_packet_store_cfg_ok(&store) && loom_room_tracker_cfg_ok(&tracker) &&
         loom_deficit_table_cfg_ok(&deficit) && loom_two_table_cfg_ok(&two);
}

size_t loom_output_unit_storage_size(const struct loom_output_unit_cfg *cfg) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  return loom_packet_store_storage_size(&store);
}

void loom_output_unit_init(struct loom_output_unit *s, const struct loom_output_unit_cfg *cfg,
                           void *storage) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_deficit_table_cfg deficit = deficit_cfg(cfg);
  struct loom_two_table_cfg two = two_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->vls = cfg->VLS;
  s->mtu = cfg->MTU_UNITS;
  s->two = cfg->SCHED == LOOM_OUTPUT_TWO_TABLE;
  s->mgmt = mgmt_of(cfg->VLS);
  loom_packet_store_init(&s->store, &store, storage);
  loom_room_tracker_init(&s->tracker, &tracker);
  if (s->two)
    loom_two_table_init(&s->scheduler.two, &two);
  else
    loom_deficit_table_init(&s->scheduler.deficit, &deficit);
}

/* ---- what goes into the parts ---------------------------------------------------------------- */

static bool has(uint64_t set, uint64_t lane) { return set >> lane & 1; }

/* In units of 64 bytes. */
static uint32_t head_size(const struct parts *p) {
  return ((uint32_t)p->store.head_len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS;
}

/* True, and its lane, if a VL of the link has one. */
static bool lane_of(const struct loom_output_unit *s, uint64_t vl, uint32_t *lane) {
  *lane = vl == LINK_MGMT ? s->mgmt : (uint32_t)vl;
  return vl == LINK_MGMT || vl < s->vls - 1 || (s->vls > LINK_MGMT + 1 && vl < s->vls);
}

static struct need need_now(const struct loom_output_unit *s, const struct parts *p) {
  uint64_t vl = p->scheduler.grant_vl;
  if (p->scheduler.grant_valid && has(s->exact, vl))
    return (struct need){.of_grant = true, .vl = (uint8_t)vl, .size = s->mtu};
  bool lacks = s->look && !has(p->tracker.room, s->look_vl);
  if (!lacks)
    return (struct need){0};
  return (struct need){.of_look = true, .vl = s->look_vl, .size = s->look_size};
}

/* The lane that the store is to take, as soon as it takes one. */
static bool wants_take(const struct loom_output_unit *s, const struct parts *p, uint8_t *vl) {
  *vl = s->booked ? s->booked_vl : (uint8_t)p->scheduler.grant_vl;
  return s->booked || p->scheduler.grant_valid;
}

static struct loom_packet_store_in store_in(const struct loom_output_unit *s, const struct parts *p,
                                            const struct loom_output_unit_in *in) {
  uint8_t vl;
  bool take = wants_take(s, p, &vl) && p->store.soon;
  struct loom_packet_store_in store = {.announce = in->announce,
                                       .announce_len = in->announce_len,
                                       .queue = in->queue,
                                       .queue_vl = in->queue_vl,
                                       .queue_len = in->queue_len,
                                       .queue_info = in->queue_more << SL_W | in->queue_sl,
                                       .wr_valid = in->wr_valid,
                                       .wr_vl = in->wr_vl,
                                       .wr_last = in->wr_last,
                                       .wr_flits = in->wr_flits,
                                       .take = take,
                                       .take_vl = take ? vl : 0};
  memcpy(store.wr_data, in->wr_data, sizeof store.wr_data);
  return store;
}

static struct loom_room_tracker_in tracker_in(const struct loom_output_unit *s,
                                              const struct parts *p, const struct need *need,
                                              const struct loom_output_unit_in *in) {
  uint32_t lane;
  bool back = lane_of(s, in->cr_vl, &lane) && in->cr_valid;
  return (struct loom_room_tracker_in){
      .consume_valid = p->scheduler.grant_valid,
      .consume_vl = p->scheduler.grant_vl,
      .consume_size = p->scheduler.grant_size,
      .return_valid = back,
      .return_vl = back ? lane : 0,
      .need_valid = need->of_grant || need->of_look,
      .need_vl = need->vl,
      .need_size = need->size,
      .cfg_we = in->cfg_we,
      .cfg_addr = in->cfg_addr,
      .cfg_data = in->cfg_data,
  };
}

static struct loom_deficit_table_in scheduler_in(const struct loom_output_unit *s,
                                                 const struct parts *p,
                                                 const struct loom_output_unit_in *in) {
  return (struct loom_deficit_table_in){
      .request = p->store.soon && !in->hold && !s->booked && !s->settle,
      .ready = s->waits & p->tracker.room,
      .head_valid = p->store.head_event,
      .head_vl = p->store.head_vl,
      .head_size = head_size(p),
      .head_sl = p->store.head_info & loom_mask(SL_W),
      .head_last = p->store.head_event && !has(p->store.head_info, SL_W),
      .table_we = in->table_we,
      .table_addr = in->table_addr,
      .table_data = in->table_data,
  };
}

/* ---- the edge of the unit's own registers ---------------------------------------------------- */

static bool all_swept(const struct parts *p) { return p->tracker.ready && p->scheduler.ready; }

/* The scan: which head lacks credits for the largest packet. */
static void scan_edge(struct loom_output_unit *s, const struct parts *p, const struct need *need) {
  if (s->look && need->of_grant)
    return;
  s->look = has(s->waits & s->judged & ~s->exact & ~p->tracker.room, s->scan) && all_swept(p);
  s->look_vl = (uint8_t)s->scan;
  s->look_size = s->size[s->scan];
  s->scan = s->scan + 1 == s->vls ? 0 : s->scan + 1;
}

static void heads_edge(struct loom_output_unit *s, const struct parts *p, const struct need *need) {
  uint32_t needs = 1u << need->vl;
  uint32_t granted = p->scheduler.grant_valid ? 1u << p->scheduler.grant_vl : 0;
  if (need->of_grant)
    s->exact &= ~needs;
  else if (need->of_look)
    s->exact |= needs;
  s->judged = (s->judged | (s->seen2 ? 1u << s->seen2_vl : 0)) & ~granted;
  s->waits &= ~granted;
  s->seen2 = s->seen1;
  s->seen2_vl = s->seen1_vl;
  s->seen1 = p->tracker.used_valid;
  s->seen1_vl = (uint8_t)p->tracker.used_vl;
  if (p->store.head_event) {
    s->waits |= 1u << p->store.head_vl;
    s->size[p->store.head_vl] = (uint16_t)head_size(p);
  }
}

static void grant_edge(struct loom_output_unit *s, const struct parts *p) {
  uint8_t vl;
  s->booked = wants_take(s, p, &vl) && !p->store.soon;
  s->booked_vl = vl;
  s->settle = p->scheduler.grant_size > 1 ? SETTLE : (uint8_t)(s->settle - (s->settle > 0));
}

static void link_edge(struct loom_output_unit *s, const struct parts *p) {
  memset(&s->out, 0, sizeof s->out);
  if (!p->store.rd_valid)
    return;
  s->out.valid = true;
  s->out.head = p->store.rd_first;
  s->out.tail = p->store.rd_last;
  s->out.vl = (uint8_t)(p->store.rd_vl == s->mgmt ? LINK_MGMT : p->store.rd_vl);
  s->out.data = p->store.rd_data[p->store.rd_lane];
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static struct loom_deficit_table_out show_scheduler(const struct loom_output_unit *s) {
  if (!s->two) {
    struct loom_deficit_table_out deficit;
    loom_deficit_table_show(&s->scheduler.deficit, &deficit);
    return deficit;
  }
  struct loom_two_table_out two;
  loom_two_table_show(&s->scheduler.two, &two);
  return (struct loom_deficit_table_out){.table_rdata = two.table_rdata,
                                         .busy = two.busy,
                                         .ready = two.ready,
                                         .grant_valid = two.grant_valid,
                                         .grant_vl = two.grant_vl,
                                         .grant_key = two.grant_key,
                                         .grant_size = two.grant_size};
}

static void show_parts(const struct loom_output_unit *s, struct parts *p) {
  loom_packet_store_show(&s->store, &p->store);
  loom_room_tracker_show(&s->tracker, &p->tracker);
  p->scheduler = show_scheduler(s);
}

/* Trains mean nothing to the tables of InfiniBand. */
static void step_scheduler(struct loom_output_unit *s, const struct loom_deficit_table_in *in) {
  if (!s->two) {
    struct loom_deficit_table_out out;
    loom_deficit_table_step(&s->scheduler.deficit, in, &out);
    return;
  }
  struct loom_two_table_in two = {.request = in->request,
                                  .ready = in->ready,
                                  .head_valid = in->head_valid,
                                  .head_vl = in->head_vl,
                                  .head_size = in->head_size,
                                  .head_sl = in->head_sl,
                                  .table_we = in->table_we,
                                  .table_addr = in->table_addr,
                                  .table_data = in->table_data};
  struct loom_two_table_out out;
  loom_two_table_step(&s->scheduler.two, &two, &out);
}

static void show(const struct loom_output_unit *s, const struct parts *p,
                 struct loom_output_unit_out *out) {
  *out = (struct loom_output_unit_out){.space = p->store.space,
                                       .announce_ok = p->store.announce_ok,
                                       .table_rdata = p->scheduler.table_rdata,
                                       .busy = p->scheduler.busy,
                                       .ready = all_swept(p),
                                       .out_valid = s->out.valid,
                                       .out_head = s->out.head,
                                       .out_tail = s->out.tail,
                                       .out_vl = s->out.vl,
                                       .out_data = s->out.data,
                                       .grant_valid = p->scheduler.grant_valid,
                                       .grant_vl = p->scheduler.grant_vl,
                                       .grant_key = p->scheduler.grant_key,
                                       .grant_size = p->scheduler.grant_size,
                                       .head_event = p->store.head_event,
                                       .head_vl = p->store.head_vl,
                                       .head_len = p->store.head_len,
                                       .head_sl = p->store.head_info & 31,
                                       .free_valid = p->store.free_valid,
                                       .free_vl = p->store.free_vl,
                                       .idle = p->tracker.idle,
                                       .config_ok = p->tracker.config_ok,
                                       .error = p->tracker.error,
                                       .total = p->store.total};
}

void loom_output_unit_show(const struct loom_output_unit *s, struct loom_output_unit_out *out) {
  struct parts p;
  show_parts(s, &p);
  show(s, &p, out);
}

void loom_output_unit_step(struct loom_output_unit *s, const struct loom_output_unit_in *in,
                           struct loom_output_unit_out *out) {
  struct parts p;
  show_parts(s, &p);
  show(s, &p, out);

  const struct need need = need_now(s, &p);
  const struct loom_packet_store_in store = store_in(s, &p, in);
  const struct loom_room_tracker_in tracker = tracker_in(s, &p, &need, in);
  const struct loom_deficit_table_in scheduler = scheduler_in(s, &p, in);
  scan_edge(s, &p, &need);
  heads_edge(s, &p, &need);
  grant_edge(s, &p);
  link_edge(s, &p);
  loom_packet_store_step(&s->store, &store, &p.store);
  loom_room_tracker_step(&s->tracker, &tracker, &p.tracker);
  step_scheduler(s, &scheduler);
}

/* Two states that are equal byte for byte are followed by equal ones. Bytes between the fields may
 * differ in equal states; then it is not seen that the unit rests, and nothing worse. */
static bool same_bytes(const void *a, const void *b, size_t bytes) { return !memcmp(a, b, bytes); }

/* Which lane is looked at goes on, but nothing follows from it while no head waits. */
bool loom_output_unit_step_rests(struct loom_output_unit *s, const struct loom_output_unit_in *in,
                                 struct loom_output_unit_out *out) {
  struct loom_output_unit before = *s;
  loom_output_unit_step(s, in, out);
  before.scan = s->scan;
  before.look_vl = s->look_vl;
  before.look_size = s->look_size;
  return !s->waits && !s->look && same_bytes(&before, s, sizeof before);
}

void loom_output_unit_skip(struct loom_output_unit *s, uint64_t cycles) {
  s->scan = (uint32_t)((s->scan + cycles) % s->vls);
}

void loom_output_unit_probe(const struct loom_output_unit *s, struct loom_output_unit_probe *p) {
  p->waits = s->waits;
  p->judged = s->judged;
  p->exact = s->exact;
  p->booked = s->booked;
  p->settle = s->settle;
  p->look = s->look;
  p->loom_end = 0;
}
