/* SPDX-License-Identifier: Apache-2.0 */
/* room_tracker.c - twin of rtl/parts/loom_room_tracker.v, written from docs/parts.md */
#include "parts/room_tracker.h"

#include <string.h>

enum { OVER = 7 };    /* edges, with that of an event itself, after which it is over for good */
enum { IDLE = 3 };    /* edges after it in which the last unit that comes back makes it idle */
enum { ACTS = 3 };    /* edges after an event in which its registers are not yet 0 */
enum { LATENCY = 4 }; /* cycles from the choice of a lane to its verdict */
/* Edges after that of a packet: its units are gone from the pool, its lane is judged, what it gives
 * back is there. */
enum { TAKEN = 1, JUDGED = 5, SETTLED = 6 };
enum { SPARE = 16, SOME = 4 }; /* units that are looked at together */

bool loom_room_tracker_cfg_ok(const struct loom_room_tracker_cfg *cfg) {
  return !loom_room_tracker_bad_param(cfg) && (uint64_t)cfg->VLS * cfg->RESERVED <= cfg->UNITS &&
         cfg->UNITS <= cfg->MAX_UNITS && cfg->MAX_UNITS < 1u << cfg->COUNT_W &&
         cfg->SIZE_W <= cfg->COUNT_W && cfg->NEED < 1u << cfg->SIZE_W &&
         cfg->SMALL < 1u << cfg->SIZE_W;
}

void loom_room_tracker_init(struct loom_room_tracker *s, const struct loom_room_tracker_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->vls = cfg->VLS;
  s->max_units = cfg->MAX_UNITS;
  s->small = cfg->SMALL;
  s->margin = cfg->SMALL * (cfg->VLS + LATENCY);
  s->count_mask = (uint32_t)loom_mask(cfg->COUNT_W);
  s->size_mask = (uint32_t)loom_mask(cfg->SIZE_W);
  s->pool_mask = loom_mask(cfg->COUNT_W + 3);
  s->units = cfg->UNITS;
  s->size = (int32_t)(cfg->UNITS - cfg->VLS * cfg->RESERVED);
  s->pool = s->size;
  s->dirty = (uint32_t)loom_mask(cfg->VLS);
  s->config_ok = true;
  s->settling = LOOM_ROOM_SETTLES;
  for (uint32_t vl = 0; vl < s->vls; vl++) {
    s->lane[vl].reserved = (uint16_t)cfg->RESERVED;
    s->lane[vl].cap = (uint16_t)cfg->UNITS;
    s->lane[vl].need = (uint16_t)cfg->NEED;
  }
}

static uint16_t used_of(const struct loom_room_tracker *s, const struct loom_room_lane *lane) {
  return (uint16_t)((lane->consumed - lane->returned) & (int)s->count_mask);
}

static uint32_t lane_bit(bool valid, uint64_t vl) { return valid ? 1u << vl : 0; }

static bool cfg_means_something(const struct loom_room_tracker *s, uint64_t addr) {
  return addr == LOOM_TRACKER_REG_TOTAL ||
         (addr < LOOM_TRACKER_REG_TOTAL && addr % LOOM_VLS < s->vls);
}

/* What every lane's comparator says of the pool of this cycle. */
static uint32_t fits(const struct loom_room_tracker *s) {
  uint32_t fit = s->sure;
  for (uint32_t left = s->ask; left; left &= left - 1) {
    uint32_t vl = loom_ctz(left);
    if (s->pool >= 0 && s->lane[vl].lacks < (uint32_t)s->pool)
      fit |= 1u << vl;
  }
  return fit | (s->fresh & s->fit);
}

static void close_lanes(struct loom_room_tracker *s, uint32_t lanes) {
  s->sure &= ~lanes;
  s->ask &= ~lanes;
  s->wide &= ~lanes;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The VLs whose verdict this cycle's events end, those whose verdict stays although a packet goes,
 * and those to be judged again. */
struct marks {
  uint32_t close, spend, dirty;
  bool consume;
};

/* What the lane gives back to the pool, as it was seen. */
static uint32_t settle(const struct loom_room_tracker *s, const struct loom_room_lane *seen,
                       struct loom_room_lane *lane) {
  uint32_t used = used_of(s, seen);
  uint16_t settled = used > seen->reserved
                         ? (uint16_t)((seen->returned + seen->reserved) & (int)s->count_mask)
                         : seen->consumed;
  uint32_t gain = (uint32_t)(settled - lane->settled) & s->count_mask;
  lane->settled = settled;
  return gain;
}

static void pronounce(struct loom_room_tracker *s, const struct loom_room_lane *seen, uint32_t vl,
                      bool spent) {
  uint32_t used = used_of(s, seen), bit = 1u << vl;
  uint32_t spare = seen->reserved > used ? seen->reserved - used : 0;
  bool wide = s->small && used + seen->need + s->margin <= seen->cap;
  bool may = s->config_ok && seen->need && used + seen->need <= seen->cap;
  bool sure = seen->need <= spare;
  close_lanes(s, bit);
  if (!may)
    return;
  s->lane[vl].lacks = sure ? 0 : (uint16_t)(seen->need - 1 - spare);
  s->wide |= wide ? bit : 0;
  if (sure && !spent)
    s->sure |= bit;
  else
    s->ask |= bit;
}

/* The verdict on the lane at the third cycle, and what it gives back to the pool. */
static void judge(struct loom_room_tracker *s, const struct marks *now) {
  const struct loom_room_visit *v = &s->visit[2];
  s->gain = 0;
  s->fresh = 0;
  if (!v->valid)
    return;
  s->gain = settle(s, &v->seen, &s->lane[v->vl]);
  if (!v->in_force || now->close >> v->vl & 1)
    return;
  pronounce(s, &v->seen, v->vl, v->spent || now->spend >> v->vl & 1);
  s->fresh = s->small && !now->consume ? 1u << v->vl : 0;
}

/* A visit is on its way, or one begins. */
static bool visits(const struct loom_room_tracker *s) {
  return s->dirty || s->visit[0].valid || s->visit[1].valid || s->visit[2].valid;
}

/* One of the dirty lanes is picked in turn. */
static void pick(struct loom_room_tracker *s) {
  uint32_t from = s->dirty >> s->position << s->position, vl = loom_ctz(from ? from : s->dirty);
  s->position = vl + 1 == s->vls ? 0 : vl + 1;
  s->dirty &= ~(1u << vl);
  s->visit[0] = (struct loom_room_visit){.valid = true, .in_force = true, .vl = (uint8_t)vl};
}

/* The visits move on by a cycle. */
static void visit(struct loom_room_tracker *s, const struct marks *now) {
  s->visit[2] = s->visit[1];
  s->visit[1] = s->visit[0];
  s->visit[1].seen = s->lane[s->visit[0].vl];
  s->visit[0] = (struct loom_room_visit){0};
  if (s->ready && s->dirty)
    pick(s);
  for (int i = 0; (now->close | now->spend) && i < 3; i++) {
    s->visit[i].in_force &= !(now->close >> s->visit[i].vl & 1);
    s->visit[i].spent |= now->spend >> s->visit[i].vl & 1;
  }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Stage 2: the counts of all lanes together. */
static void count(struct loom_room_tracker *s) {
  s->config_ok = s->size >= 0 && s->units <= s->max_units;
  s->total = s->total + s->take - s->give;
  if (s->back_is_cfg)
    s->size += s->back;
}

static void configure(struct loom_room_tracker *s, uint32_t addr, uint32_t data) {
  struct loom_room_lane *lane = &s->lane[addr % LOOM_VLS];
  if (addr == LOOM_TRACKER_REG_TOTAL) {
    s->back = (int32_t)data - (int32_t)s->units;
    s->units = data;
  } else if (addr < LOOM_TRACKER_REG_CAP) {
    s->back = (int32_t)lane->reserved - (int32_t)data;
    lane->reserved = (uint16_t)data;
  } else {
    lane->cap = (uint16_t)data;
  }
  s->back_is_cfg = addr == LOOM_TRACKER_REG_TOTAL || addr < LOOM_TRACKER_REG_CAP;
}

/* Stage 1: into the words of the lanes. */
static void apply(struct loom_room_tracker *s) {
  const struct loom_room_event *e = &s->event;
  bool admit = e->consume && e->size_ok && s->fit >> e->consume_vl & 1;
  s->back = e->consume && !admit ? e->consume_size : 0;
  s->back_is_cfg = false;
  s->take = admit ? e->consume_size : 0;
  s->give = e->give && used_of(s, &s->lane[e->give_vl]);
  s->error = e->ignored || (e->consume && !admit) || (e->give && !s->give);
  if (admit) {
    struct loom_room_lane *lane = &s->lane[e->consume_vl];
    lane->consumed = (uint16_t)((lane->consumed + e->consume_size) & (int)s->count_mask);
  }
  if (s->give) {
    struct loom_room_lane *lane = &s->lane[e->give_vl];
    lane->returned = (uint16_t)((lane->returned + 1) & (int)s->count_mask);
  }
  if (e->need)
    s->lane[e->need_vl].need = e->need_size;
  if (e->cfg)
    configure(s, e->cfg_addr, e->cfg_data);
}

/* Stage 0: the events of this cycle, as stage 1 will have them. `need` of this cycle, before what
 * stage 1 writes. */
static struct loom_room_event listen(const struct loom_room_tracker *s,
                                     const struct loom_room_cycle *in) {
  bool cfg = in->cfg && cfg_means_something(s, in->cfg_addr);
  struct loom_room_event e = {.consume = in->consume,
                              .give = in->give && s->ready && in->give_vl < s->vls,
                              .need = in->need && s->ready && in->need_vl < s->vls,
                              .cfg = cfg && s->idle && !in->consume,
                              .consume_vl = in->consume_vl,
                              .give_vl = in->give_vl,
                              .need_vl = in->need_vl,
                              .cfg_addr = in->cfg_addr,
                              .consume_size = (uint16_t)(in->consume_size & s->size_mask),
                              .need_size = (uint16_t)(in->need_size & s->size_mask),
                              .cfg_data = (uint16_t)(in->cfg_data & s->count_mask)};
  e.size_ok =
      e.consume_vl < s->vls && e.consume_size >= 1 && e.consume_size <= s->lane[e.consume_vl].need;
  e.ignored = (in->give && !e.give) || (in->need && !e.need) || (cfg && !e.cfg);
  return e;
}

uint32_t loom_room_tracker_used(const struct loom_room_tracker *s, uint32_t vl) {
  return used_of(s, &s->lane[vl]);
}

bool loom_room_tracker_lacks(const struct loom_room_tracker *s, uint32_t vl, uint32_t units) {
  uint32_t used = used_of(s, &s->lane[vl]), reserved = s->lane[vl].reserved, taken = 0;
  uint32_t spare = reserved > used ? reserved - used : 0;
  for (uint32_t other = 0; other < s->vls; other++)
    taken += loom_max(used_of(s, &s->lane[other]), s->lane[other].reserved);
  return used + units > s->lane[vl].cap || (units > spare && taken + units - spare > s->units);
}

void loom_room_tracker_show(const struct loom_room_tracker *s, struct loom_room_tracker_out *out) {
  const struct loom_room_visit *shown = &s->visit[1];
  *out = (struct loom_room_tracker_out){.ready = s->ready,
                                        .room = s->room,
                                        .total = s->total,
                                        .used_valid = shown->valid,
                                        .used_vl = shown->vl,
                                        .used = shown->valid ? used_of(s, &shown->seen) : 0,
                                        .idle = s->idle,
                                        .config_ok = s->config_ok,
                                        .error = s->error};
}

static struct marks marks(const struct loom_room_tracker *s, const struct loom_room_cycle *in,
                          bool cfg) {
  uint32_t all = (uint32_t)loom_mask(s->vls);
  uint32_t take = lane_bit(in->consume, in->consume_vl) & all;
  uint32_t spend = (in->consume_size & s->size_mask) <= s->small ? take & s->wide : 0;
  uint32_t close = cfg ? all : (take & ~spend) | (lane_bit(in->need, in->need_vl) & all);
  return (struct marks){.close = close,
                        .spend = spend & ~close,
                        .dirty = close | take | (lane_bit(in->give, in->give_vl) & all),
                        .consume = in->consume};
}

/* An edge with an event, or with one on its way. */
static void event_edge(struct loom_room_tracker *s, const struct loom_room_cycle *in, bool comes) {
  struct loom_room_event event = {0};
  struct marks now = {0};
  if (comes) {
    event = listen(s, in);
    now = marks(s, in, event.cfg);
  }
  uint32_t fit = s->moved ? fits(s) : s->fit;
  int32_t pool = s->pool;
  bool judged = s->visit[2].valid;
  bool idle = s->ready && !event.consume && !s->event.consume && !s->take && !s->total;

  s->pool += s->back + (int32_t)s->gain - (event.consume ? event.consume_size : 0);
  uint32_t fresh = s->fresh;
  judge(s, &now);
  if (visits(s))
    visit(s, &now);
  count(s);
  apply(s);
  s->fit = fit;
  s->room = fit & ~now.close;
  s->ask |= s->sure & now.spend;
  s->sure &= ~now.spend;
  close_lanes(s, now.close);
  s->moved = judged || now.close || now.spend || fresh || s->pool != pool;
  s->dirty |= now.dirty;
  s->idle = idle;
  s->event = event;
  s->acts = comes ? ACTS : (uint8_t)(s->acts - (s->acts > 0));
  s->sweep += !s->ready;
  s->ready = s->sweep == s->vls;
}

/* The same long after the last event: lanes are judged, if some are. */
static void quiet_edge(struct loom_room_tracker *s) {
  static const struct marks none;
  uint32_t gain = s->gain;
  if (s->moved)
    s->fit = fits(s);
  s->room = s->fit;
  s->moved = s->visit[2].valid || gain || s->fresh;
  s->pool += (int32_t)gain;
  s->idle = !s->total;
  if (!s->moved && !visits(s))
    return;
  judge(s, &none);
  if (visits(s))
    visit(s, &none);
}

void loom_room_tracker_edge(struct loom_room_tracker *s, const struct loom_room_cycle *in) {
  bool comes = in->consume || in->give || in->need || in->cfg;
  if (comes || s->dirty || !s->ready)
    s->settling = LOOM_ROOM_SETTLES;
  else if (s->settling)
    s->settling--;
  if (loom_room_tracker_rests(s))
    return;
  if (comes || s->acts || !s->ready)
    event_edge(s, in, comes);
  else
    quiet_edge(s);
}

/* ---- many cycles at once --------------------------------------------------------------------- */

/* Units that came back to a lane long ago, in a tracker that has rested since. */
static void absorb(struct loom_room_tracker *s, uint32_t vl, uint32_t units) {
  struct loom_room_lane *lane = &s->lane[vl];
  lane->returned = (uint16_t)((lane->returned + units) & s->count_mask);
  s->total -= units;
  s->pool += (int32_t)settle(s, lane, lane);
  pronounce(s, lane, vl, false);
  s->fit = s->room = fits(s);
  s->idle = !s->total;
  s->position = vl + 1 == s->vls ? 0 : vl + 1;
}

/* Those that are over by now. */
static void absorb_old(struct loom_room_tracker *s, struct loom_room_late *late, uint64_t now) {
  uint32_t old = 0;
  while (old < late->count && late->at[old] + OVER <= now)
    old++;
  if (!old || now < late->until)
    return;
  absorb(s, late->vl, old);
  late->count = (uint8_t)(late->count - old);
  memmove(late->at, late->at + old, late->count * sizeof late->at[0]);
}

/* What is under way in the tracker comes to its end at once, if it shows nothing but visits of
 * these lanes. */
static bool drain(struct loom_room_tracker *s, struct loom_room_late *late, uint32_t lanes,
                  uint64_t now) {
  static const struct loom_room_cycle nothing;
  const struct loom_room_tracker *before = &late->before;
  bool same = true;
  late->before = *s;
  late->since = late->until = now;
  while (same && !loom_room_tracker_rests(s)) {
    loom_room_tracker_edge(s, &nothing);
    late->until++;
    bool visits = s->visit[1].valid && !(lanes >> s->visit[1].vl & 1);
    same = s->room == before->room && s->idle == before->idle && !s->error && !visits;
  }
  return same;
}

/* With so many units more of this lane the tracker shows what it does now, or will after its turns.
 * Then it does with less of them, too, as no unit that comes back takes room away. */
static bool is_hidden(struct loom_room_tracker *s, const struct loom_room_late *late, uint32_t vl,
                      uint32_t more) {
  uint32_t units = late->count + more, sure = s->sure, ask = s->ask, wide = s->wide;
  struct loom_room_lane *lane = &s->lane[vl], seen = *lane, before = *lane;
  int32_t pool = s->pool;
  if (used_of(s, lane) < units || s->total < units)
    return false;
  seen.returned = (uint16_t)((seen.returned + units) & s->count_mask);
  s->pool += (int32_t)settle(s, &seen, lane);
  pronounce(s, &seen, vl, false);
  bool same = fits(s) == s->fit;
  *lane = before;
  s->pool = pool;
  s->sure = sure;
  s->ask = ask;
  s->wide = wide;
  return same;
}

/* Units more that need not be looked at one by one: none of them is the last one. */
static uint8_t spare_units(struct loom_room_tracker *s, const struct loom_room_late *late,
                           uint32_t vl) {
  if (s->total > (uint32_t)late->count + SPARE && is_hidden(s, late, vl, SPARE))
    return SPARE;
  return s->total > (uint32_t)late->count + SOME && is_hidden(s, late, vl, SOME) ? SOME : 0;
}

bool loom_room_tracker_defer(struct loom_room_tracker *s, struct loom_room_late *late, uint32_t vl,
                             uint32_t lanes, uint64_t now) {
  if (!s->ready || vl >= s->vls || !(lanes >> vl & 1) || (late->count && late->vl != vl))
    return false;
  bool rests = loom_room_tracker_rests(s);
  if (rests && late->count && late->spare && late->count < LOOM_ROOM_LATE) {
    late->spare--;
    late->at[late->count++] = now;
    return true;
  }
  absorb_old(s, late, now);
  if ((rests || drain(s, late, lanes, now)) && late->count < LOOM_ROOM_LATE &&
      is_hidden(s, late, vl, 1)) {
    late->vl = (uint8_t)vl;
    late->at[late->count++] = now;
    late->spare = spare_units(s, late, vl);
    late->idles = s->total == late->count ? now + IDLE : 0;
    return true;
  }
  if (!rests) {
    *s = late->before;
    late->until = 0;
  }
  return false;
}

/* A packet was admitted in the last edge, and nothing else is under way. */
static bool admits_alone(const struct loom_room_tracker *s) {
  const struct loom_room_event *e = &s->event;
  bool alone = e->consume && !e->give && !e->need && !e->cfg && !e->ignored && s->acts == ACTS;
  bool other = s->take || s->give || s->back || s->gain || s->fresh || s->error ||
               s->visit[0].valid || s->visit[1].valid || s->visit[2].valid;
  return alone && !other && e->size_ok && s->fit >> e->consume_vl & 1 &&
         s->dirty == 1u << e->consume_vl;
}

static void note_turn(struct loom_room_late *late, uint64_t at, uint32_t room, uint32_t judged) {
  const struct loom_room_turn turn = {.at = at, .room = room, .judged = judged};
  late->turn[late->turns++] = turn;
}

/* The edges that follow, each with what it does when there is no other event: the lane counts the
 * packet and is visited, alone, so it has its verdict with nothing between. A unit that comes back
 * meanwhile would have it judged again, and a room that closes with the first verdict would stay
 * for a cycle more: false, if one does. */
static bool finish(struct loom_room_tracker *s, struct loom_room_late *late, uint32_t lanes,
                   uint64_t now) {
  const uint32_t vl = s->event.consume_vl, units = s->event.consume_size, bit = 1u << vl;
  struct loom_room_lane *lane = &s->lane[vl];
  uint32_t taken = fits(s);
  lane->consumed = (uint16_t)((lane->consumed + units) & s->count_mask);
  s->total += units;
  s->fit = taken;
  s->gain = settle(s, lane, lane);
  pronounce(s, lane, vl, false);
  s->fresh = s->small ? bit : 0;
  uint32_t judged = fits(s);
  s->fresh = 0;
  s->pool += (int32_t)s->gain;
  s->fit = fits(s);
  if (taken != s->room)
    note_turn(late, now + TAKEN, taken, 0);
  if (judged != taken || bit & lanes)
    note_turn(late, now + JUDGED, judged, bit);
  if (s->fit != judged)
    note_turn(late, now + SETTLED, s->fit, 0);
  return !(judged & ~s->fit);
}

/* Nothing is under way. */
static void rest(struct loom_room_tracker *s, uint32_t position) {
  s->event = (struct loom_room_event){0};
  s->gain = 0;
  s->acts = s->settling = 0;
  s->moved = false;
  s->dirty = 0;
  s->position = position == s->vls ? 0 : position;
}

bool loom_room_tracker_foresee(struct loom_room_tracker *s, struct loom_room_late *late,
                               uint32_t lanes, uint64_t now) {
  if (!admits_alone(s))
    return false;
  late->before = *s;
  late->turns = 0;
  if (!finish(s, late, lanes, now)) {
    *s = late->before;
    late->turns = 0;
    return false;
  }
  rest(s, s->event.consume_vl + 1u);
  late->since = now + 1;
  late->until = now + OVER;
  return true;
}

uint32_t loom_room_tracker_turn(struct loom_room_tracker *s, struct loom_room_late *late,
                                uint64_t now) {
  uint32_t judged = 0;
  if (late->idles == now)
    s->idle = true;
  if (!late->turns || late->turn[0].at != now)
    return 0;
  s->room = late->turn[0].room;
  judged = late->turn[0].judged;
  late->turns--;
  memmove(late->turn, late->turn + 1, late->turns * sizeof late->turn[0]);
  return judged;
}

uint64_t loom_room_tracker_from(struct loom_room_tracker *s, struct loom_room_late *late,
                                uint64_t now) {
  bool ahead = now < late->until;
  late->until = late->idles = 0;
  late->turns = 0;
  if (ahead) {
    *s = late->before;
    return late->since;
  }
  absorb_old(s, late, now);
  return late->count ? late->at[0] : now;
}

void loom_room_tracker_tell(struct loom_room_tracker *s, const struct loom_room_late *late,
                            uint64_t cycle) {
  struct loom_room_cycle in = {0};
  for (uint32_t i = 0; i < late->count; i++)
    if (late->at[i] == cycle) {
      in.give = true;
      in.give_vl = late->vl;
    }
  loom_room_tracker_edge(s, &in);
}

void loom_room_tracker_step(struct loom_room_tracker *s, const struct loom_room_tracker_in *in,
                            struct loom_room_tracker_out *out) {
  const struct loom_room_cycle cycle = {.consume = in->consume_valid != 0,
                                        .give = in->return_valid != 0,
                                        .need = in->need_valid != 0,
                                        .cfg = in->cfg_we != 0,
                                        .consume_vl = (uint8_t)in->consume_vl,
                                        .give_vl = (uint8_t)in->return_vl,
                                        .need_vl = (uint8_t)in->need_vl,
                                        .cfg_addr = (uint8_t)in->cfg_addr,
                                        .consume_size = (uint16_t)in->consume_size,
                                        .need_size = (uint16_t)in->need_size,
                                        .cfg_data = (uint16_t)in->cfg_data};
  loom_room_tracker_show(s, out);
  loom_room_tracker_edge(s, &cycle);
}

void loom_room_tracker_probe(const struct loom_room_tracker *s, struct loom_room_tracker_probe *p) {
  p->pool = (uint64_t)s->pool & s->pool_mask;
  p->loom_end = 0;
}
