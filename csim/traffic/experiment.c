/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "traffic/measure.h"
#include "traffic/offers.h"

enum { TICK = 10000 };

/* What a message is: its `mark`. The tag of a message of an offer is the offer's number, of one of
 * a trace its trace and id, of a collective its job. */
enum mark { MARK_OFFER, MARK_PING, MARK_PONG, MARK_TRACE, MARK_ROUND };

enum phase { WARMUP, MEASUREMENT, DRAIN };

struct loom_experiment {
  struct loom_experiment_cfg cfg;
  struct loom_network network;
  struct loom_offer_cfg *offer;
  uint16_t packet[LOOM_HOST_CLASSES]; /* 0: no bound */
  struct loom_offers *offers;
  uint64_t *done; /* by job: rounds begun */
  struct loom_measure measure;
  enum phase phase;
  uint64_t now;
  uint64_t end;     /* the cycle after the phase */
  uint64_t still;   /* the last cycle that began with nothing under way */
  uint64_t ticked;  /* cycle of the last tick for the caller */
  bool replayed;    /* the traces are done */
  uint64_t drained; /* the cycle in which the drain began */
  bool exhausted;   /* the network takes nothing more */
  bool sent_all;    /* the part of the traces that is here, with */
  uint64_t heard;   /* so many messages received */
  uint64_t changed; /* in this cycle */
  struct loom_experiment_result result;
};

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint32_t loom_experiment_flits(uint32_t bytes, uint32_t flit_bytes, uint32_t packet) {
  uint64_t words = bytes ? ((uint64_t)bytes + flit_bytes - 1) / flit_bytes : 1;
  uint64_t packets = packet ? (words + packet - 2) / (packet - 1) : 1;
  return (uint32_t)earlier(words + packets, UINT32_MAX);
}

/* ---- creation -------------------------------------------------------------------------------- */

static const char *replay_bad(const struct loom_experiment_cfg *c) {
  if (!c->replay)
    return c->until_replayed ? "until_replayed" : NULL;
  if (!c->replay_class)
    return "replay_class";
  if (!c->replay_flit)
    return "replay_flit";
  return NULL;
}

const char *loom_experiment_bad(const struct loom_experiment_cfg *c, uint32_t hosts,
                                uint32_t *offer) {
  *offer = c->offers;
  if (c->classes < 1 || c->classes > LOOM_HOST_CLASSES)
    return "classes";
  if (!c->measure)
    return "measure";
  for (uint32_t i = 0; c->packet && i < c->classes; i++)
    if (c->packet[i] < LOOM_HOST_FLITS_MIN)
      return "packet";
  for (uint32_t i = 0; i < c->offers; i++) {
    const char *bad = loom_offer_bad(&c->offer[i], c->classes, hosts);
    *offer = bad ? i : c->offers;
    if (bad)
      return bad;
  }
  return replay_bad(c);
}

static bool copy_offers(struct loom_experiment *e) {
  size_t size = e->cfg.offers * sizeof *e->offer;
  e->offer = malloc(size + 1);
  if (e->offer && size)
    memcpy(e->offer, e->cfg.offer, size);
  return e->offer;
}

struct loom_experiment *loom_experiment_create(const struct loom_experiment_cfg *cfg,
                                               const struct loom_network *network) {
  uint32_t offer;
  if (loom_experiment_bad(cfg, network->hosts, &offer))
    return NULL;
  struct loom_experiment *e = calloc(1, sizeof *e);
  if (!e)
    return NULL;
  e->cfg = *cfg;
  e->network = *network;
  e->end = cfg->warmup;
  for (uint32_t i = 0; cfg->packet && i < cfg->classes; i++)
    e->packet[i] = cfg->packet[i];
  bool good = copy_offers(e);
  good = loom_measure_open(&e->measure, cfg->classes, network->hosts, cfg->interval) && good;
  e->offers = loom_offers_create(cfg->offer, cfg->offers, network->hosts, cfg->seed);
  if (e->offers && network->mine)
    loom_offers_keep(e->offers, network->mine);
  e->done = calloc((size_t)cfg->rounds + 1, sizeof *e->done);
  if (good && e->offers && e->done)
    return e;
  loom_experiment_destroy(e);
  return NULL;
}

void loom_experiment_destroy(struct loom_experiment *e) {
  if (!e)
    return;
  loom_offers_destroy(e->offers);
  loom_measure_close(&e->measure);
  free(e->offer);
  free(e->done);
  free(e);
}

/* ---- messages out ---------------------------------------------------------------------------- */

static void post(struct loom_experiment *e, const struct loom_message *message) {
  if (!e->network.post(e->network.context, message->src, message)) {
    e->exhausted = true;
    return;
  }
  e->result.posted++;
  loom_measure_posted(&e->measure, message);
}

static void post_offered(struct loom_experiment *e, const struct loom_offered *due) {
  const struct loom_offer_cfg *o = &e->offer[due->offer];
  struct loom_message message = {
      .src = due->host,
      .dst = due->dst,
      .traffic_class = (uint8_t)o->traffic_class,
      .mark = o->process == LOOM_PROCESS_PING_PONG ? MARK_PING : MARK_OFFER,
      .operation = (uint8_t)o->operation,
      .flits = o->flits,
      .tag = due->offer,
      .generated = e->now,
  };
  for (uint32_t i = 0; i < due->messages; i++)
    post(e, &message);
}

static void post_replayed(struct loom_experiment *e, const struct loom_vef_message *m) {
  uint8_t class = e->cfg.replay_class[m->trace];
  struct loom_message message = {
      .src = m->src_node,
      .dst = m->dst_node,
      .traffic_class = class,
      .mark = MARK_TRACE,
      .flits = loom_experiment_flits(m->length, e->cfg.replay_flit, e->packet[class]),
      .tag = (uint64_t)m->trace << 32 | m->id,
      .generated = e->now,
  };
  post(e, &message);
}

static void post_ready(struct loom_experiment *e) {
  struct loom_vef_message m;
  while (e->cfg.replay && e->phase != DRAIN && loom_vef_next(e->cfg.replay, &m))
    post_replayed(e, &m);
}

/* The next one of a job, if there is one. */
static void post_round(struct loom_experiment *e, uint32_t job) {
  const struct loom_rounds_cfg *c = &e->cfg.round[job];
  if (e->phase == DRAIN || (c->messages && e->done[job] == c->messages))
    return;
  e->done[job]++;
  post(e, &(struct loom_message){.src = c->host,
                                 .dst = c->host,
                                 .traffic_class = (uint8_t)c->traffic_class,
                                 .mark = MARK_ROUND,
                                 .operation = LOOM_OPERATION_COLLECTIVE,
                                 .flits = c->flits,
                                 .tag = job,
                                 .generated = e->now});
}

/* All of them begin with the run. */
static void post_first_rounds(struct loom_experiment *e) {
  for (uint32_t job = 0; e->now == 0 && job < e->cfg.rounds; job++)
    if (!e->done[job])
      post_round(e, job);
}

static void post_due(struct loom_experiment *e) {
  struct loom_offered due;
  while (e->phase != DRAIN && loom_offers_next(e->offers, e->now, &due))
    post_offered(e, &due);
  post_ready(e);
  post_first_rounds(e);
}

/* ---- messages in ----------------------------------------------------------------------------- */

static void answer_ping(struct loom_experiment *e, const struct loom_message *ping) {
  struct loom_message pong = {
      .src = ping->dst,
      .dst = ping->src,
      .traffic_class = ping->traffic_class,
      .mark = MARK_PONG,
      .operation = ping->operation,
      .flits = ping->flits,
      .tag = ping->tag,
      .generated = e->now,
  };
  post(e, &pong);
}

static void answer_pong(struct loom_experiment *e, const struct loom_message *pong) {
  struct loom_offered due;
  if (loom_offers_round(e->offers, (uint32_t)pong->tag, pong->dst, &due))
    post_offered(e, &due);
}

/* What becomes ready by an arrival belongs to the host that it arrived at: nothing depends on the
 * order of the hosts. */
static void deliver(struct loom_experiment *e, const struct loom_message *m) {
  loom_vef_deliver(e->cfg.replay, (uint32_t)(m->tag >> 32), (uint32_t)m->tag);
  post_ready(e);
}

void loom_experiment_receive(void *experiment, const struct loom_message *message, bool damaged) {
  struct loom_experiment *e = experiment;
  e->result.received++;
  e->result.damaged += damaged;
  e->result.last = message->received;
  loom_measure_received(&e->measure, message);
  if (message->mark == MARK_TRACE)
    deliver(e, message);
  else if (message->mark == MARK_ROUND)
    post_round(e, (uint32_t)message->tag);
  else if (message->mark == MARK_PING && e->phase != DRAIN)
    answer_ping(e, message);
  else if (message->mark == MARK_PONG && e->phase != DRAIN)
    answer_pong(e, message);
}

void loom_experiment_packet(void *experiment, const struct loom_message *message, uint64_t injected,
                            uint64_t now) {
  struct loom_experiment *e = experiment;
  loom_measure_packet(&e->measure, message, injected, now);
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* The measurement, which has come to its end, is as exact as it is to be, or goes on. */
static bool is_enough(struct loom_experiment *e) {
  uint64_t measured = e->now - e->cfg.warmup;
  if (!e->cfg.precision || measured >= e->cfg.limit ||
      loom_measure_is_exact(&e->measure, e->now, e->cfg.precision))
    return true;
  e->end = earlier(sum(e->now, measured / 2 + 1), sum(e->cfg.warmup, e->cfg.limit));
  return false;
}

static bool is_measured(struct loom_experiment *e) {
  return (e->cfg.until_replayed && e->replayed) || (e->now >= e->end && is_enough(e));
}

/* Goes on to the phase that this cycle belongs to. */
static void enter_phase(struct loom_experiment *e) {
  if (e->phase == WARMUP && e->now >= e->end) {
    e->phase = MEASUREMENT;
    e->end = sum(e->end, e->cfg.measure);
    loom_measure_start(&e->measure, e->now);
  }
  if (e->phase == MEASUREMENT && is_measured(e)) {
    e->phase = DRAIN;
    e->drained = e->now;
    e->result.measured = e->now - e->cfg.warmup;
    e->result.complete = true;
    e->result.ends = e->cfg.until_replayed;
    e->end = sum(e->now, e->cfg.drain);
    loom_measure_stop(&e->measure, e->now);
  }
}

static bool is_stuck(const struct loom_experiment *e) {
  uint64_t moved = later(e->still, e->network.last_flit(e->network.context));
  return e->cfg.watchdog && e->now >= sum(moved, e->cfg.watchdog);
}

/* Whether the run is over; `outcome` says why. */
static bool is_over(struct loom_experiment *e, bool quiet) {
  enum loom_outcome *outcome = &e->result.outcome;
  if (e->exhausted || e->measure.exhausted)
    *outcome = LOOM_OUTCOME_NO_MEMORY;
  else if (e->network.stopped && e->network.stopped(e->network.context))
    *outcome = LOOM_OUTCOME_STOPPED;
  else if (e->phase == DRAIN && quiet)
    *outcome = LOOM_OUTCOME_DONE;
  else if (!quiet && is_stuck(e))
    *outcome = LOOM_OUTCOME_STUCK;
  else if (e->phase == DRAIN && e->now >= e->end)
    *outcome = LOOM_OUTCOME_BUSY;
  else
    return false;
  return true;
}

/* The next cycle in which a trace has something to do, at most `limit`. When nothing is ready any
 * more the replay goes on up to the cycle in which the last record within a host is done. */
static uint64_t replay_until(struct loom_experiment *e, uint64_t limit) {
  struct loom_vef_replay *r = e->cfg.replay;
  if (!r || e->replayed)
    return limit;
  uint64_t when = loom_vef_when(r);
  if (when != LOOM_VEF_NEVER)
    return earlier(limit, when);
  while (loom_vef_now(r) < limit && !loom_vef_done(r))
    loom_vef_tick(r);
  return loom_vef_now(r);
}

/* Nothing is under way: goes on to the next cycle in which something is due. */
static bool leap(struct loom_experiment *e) {
  if (e->now == 0 && e->cfg.rounds)
    return false;
  uint64_t cycle = earlier(e->end, loom_offers_when(e->offers));
  cycle = replay_until(e, later(cycle, e->now));
  if (cycle <= e->now)
    return false;
  e->network.advance(e->network.context, cycle);
  if (e->cfg.replay)
    loom_vef_advance(e->cfg.replay, cycle);
  e->now = cycle;
  return true;
}

/* All is sent from here, or a message has come since. */
static void note_replay(struct loom_experiment *e) {
  struct loom_vef_counts counts;
  if (!loom_vef_sent_all(e->cfg.replay))
    return;
  loom_vef_count(e->cfg.replay, &counts);
  if (e->sent_all && e->heard == counts.received)
    return;
  e->sent_all = true;
  e->heard = counts.received;
  e->changed = e->now;
}

static void do_cycle(struct loom_experiment *e) {
  struct loom_vef_replay *r = e->cfg.replay;
  loom_measure_until(&e->measure, e->now);
  post_due(e);
  e->network.step(e->network.context);
  if (r && e->network.meet) {
    note_replay(e);
  } else if (r && !e->replayed && loom_vef_done(r)) {
    e->replayed = true;
    e->result.replayed = e->now;
  }
  if (r)
    loom_vef_tick(r);
  e->now++;
}

/* The measurement is over, but for what other processes have. */
static void stop(struct loom_experiment *e) {
  struct loom_experiment_result *r = &e->result;
  if (e->phase == MEASUREMENT) {
    r->measured = e->now - e->cfg.warmup;
    loom_measure_stop(&e->measure, e->now);
  }
  r->cycles = e->now;
}

static void finish(struct loom_experiment *e) {
  struct loom_experiment_result *r = &e->result;
  loom_measure_end(&e->measure, e->now);
  if (e->measure.exhausted)
    r->outcome = LOOM_OUTCOME_NO_MEMORY;
  r->metrics = e->measure.metrics;
  r->row = e->measure.row;
  r->rows = e->measure.rows;
}

/* ---- in several processes -------------------------------------------------------------------- */

/* The cycle in which the next row of the series ends. */
static uint64_t row_ends(const struct loom_experiment *e) {
  uint64_t interval = e->cfg.interval, end = e->measure.rows_end;
  if (!interval)
    return UINT64_MAX;
  return end > e->now ? end : sum(end, (e->now - end) / interval * interval + interval);
}

/* The cycle of the next meeting at the latest: nothing that all of them look at lies before it. */
static uint64_t meets_at(const struct loom_experiment *e, const struct loom_meeting *m) {
  uint64_t end = e->end;
  if (e->cfg.until_replayed && e->phase != DRAIN && end > e->now + 1)
    end--; /* the traces may be over before, which has to be known then */
  uint64_t cycle = earlier(sum(e->now, m->each ? 1 : m->block), end);
  uint64_t moved = later(e->still, e->network.last_flit(e->network.context));
  if (e->cfg.watchdog && sum(moved, e->cfg.watchdog) > e->now)
    cycle = earlier(cycle, sum(moved, e->cfg.watchdog));
  return later(earlier(cycle, row_ends(e)), e->now + 1);
}

/* In no process is anything to do before that cycle. */
static bool leap_together(struct loom_experiment *e, const struct loom_meeting *m) {
  uint64_t cycle = earlier(e->end, m->due);
  if (!m->silent || cycle <= e->now)
    return false;
  e->network.advance(e->network.context, cycle);
  if (e->cfg.replay)
    loom_vef_advance(e->cfg.replay, cycle);
  e->now = cycle;
  return true;
}

/* The next cycle in which the part of the traces that is here does something by itself. */
static uint64_t replay_due(const struct loom_experiment *e) {
  const struct loom_vef_replay *r = e->cfg.replay;
  if (!r || e->replayed)
    return UINT64_MAX;
  uint64_t when = loom_vef_when(r), known = loom_vef_known_until(r);
  if (when != LOOM_VEF_NEVER)
    return when;
  if (known > e->now)
    return known;
  return loom_vef_sent_all(r) && !e->sent_all ? e->now : UINT64_MAX;
}

/* What this part of the traces has come to. */
static void tell_replay(const struct loom_experiment *e, struct loom_meeting *m) {
  struct loom_vef_counts counts = {.sent = 0};
  if (e->cfg.replay)
    loom_vef_count(e->cfg.replay, &counts);
  m->replay.over = e->sent_all;
  m->replay.sent = counts.sent;
  m->replay.received = counts.received;
  m->replay.last = e->changed;
  m->each = e->cfg.until_replayed && !e->replayed && e->cfg.offers;
}

/* All parts of the traces are done, perhaps for some cycles, in which nothing has happened. */
static void hear_replay(struct loom_experiment *e, const struct loom_meeting *m) {
  uint64_t now = e->now;
  if (!e->cfg.replay || e->replayed || !m->replay.over || m->replay.sent != m->replay.received)
    return;
  e->replayed = true;
  e->result.replayed = m->replay.last;
  if (e->phase != MEASUREMENT || !e->cfg.until_replayed)
    return;
  e->now = later(m->replay.last + 1, e->cfg.warmup);
  enter_phase(e);
  e->now = now;
}

/* Whether the run is over. The last message may have come within the block. */
static bool is_over_together(struct loom_experiment *e, struct loom_meeting *m) {
  *m = (struct loom_meeting){.drains = e->phase == DRAIN,
                             .due = earlier(loom_offers_when(e->offers), replay_due(e)),
                             .exhausted = e->exhausted || e->measure.exhausted,
                             .stopped = e->network.stopped(e->network.context)};
  tell_replay(e, m);
  if (!e->network.meet(e->network.context, m)) {
    e->result.outcome = LOOM_OUTCOME_STOPPED;
    return true;
  }
  e->exhausted = m->exhausted;
  hear_replay(e, m);
  if (m->quiet && e->phase == DRAIN && !e->exhausted && !m->stopped)
    e->now = later(e->drained, m->since);
  if (m->stopped && !e->exhausted)
    e->result.outcome = LOOM_OUTCOME_STOPPED;
  return m->stopped || is_over(e, m->quiet);
}

static void run_together(struct loom_experiment *e, void (*tick)(void *context, uint64_t cycle),
                         void *context) {
  struct loom_meeting m;
  for (;;) {
    enter_phase(e);
    if (is_over_together(e, &m))
      return;
    if (m.quiet)
      e->still = e->now;
    if (m.quiet && leap_together(e, &m))
      continue;
    for (uint64_t end = meets_at(e, &m); e->now < end;)
      do_cycle(e);
    if (tick && e->now - e->ticked >= TICK)
      tick(context, e->ticked = e->now);
  }
}

/* What other processes have to add, before the bytes of what is measured. */
struct sums {
  uint64_t posted, received, damaged, last;
};

void *loom_experiment_pack(const struct loom_experiment *e, size_t *size) {
  const struct loom_experiment_result *r = &e->result;
  const struct sums sums = {r->posted, r->received, r->damaged, r->last};
  size_t measured = 0;
  void *bytes = loom_measure_pack(&e->measure, &measured);
  char *all = bytes ? malloc(sizeof sums + measured) : NULL;
  if (all) {
    memcpy(all, &sums, sizeof sums);
    memcpy(all + sizeof sums, bytes, measured);
  }
  free(bytes);
  *size = sizeof sums + measured;
  return all;
}

bool loom_experiment_join(struct loom_experiment *e, const void *bytes, size_t size) {
  struct loom_experiment_result *r = &e->result;
  struct sums other;
  if (size < sizeof other)
    return false;
  memcpy(&other, bytes, sizeof other);
  r->posted += other.posted;
  r->received += other.received;
  r->damaged += other.damaged;
  r->last = later(r->last, other.last);
  return loom_measure_join(&e->measure, (const char *)bytes + sizeof other, size - sizeof other);
}

const struct loom_experiment_result *loom_experiment_finish(struct loom_experiment *e) {
  finish(e);
  return &e->result;
}

/* ---- the whole ------------------------------------------------------------------------------- */

const struct loom_experiment_result *
loom_experiment_run(struct loom_experiment *e, void (*tick)(void *context, uint64_t cycle),
                    void *context) {
  if (e->network.meet) {
    run_together(e, tick, context);
    if (e->cfg.replay)
      loom_vef_return(e->cfg.replay, e->now);
    stop(e);
    return &e->result;
  }
  for (;;) {
    enter_phase(e);
    bool quiet = e->network.quiet(e->network.context);
    if (is_over(e, quiet))
      break;
    if (quiet)
      e->still = e->now;
    if (quiet && leap(e))
      continue;
    do_cycle(e);
    if (tick && e->now - e->ticked >= TICK)
      tick(context, e->ticked = e->now);
  }
  stop(e);
  finish(e);
  return &e->result;
}
