/* SPDX-License-Identifier: Apache-2.0 */
/* elan5.c - endpoint of an Elite5 fabric: its making, its requests, its cycle (docs/elan5.md) */
#include "elan5/elan5.h"

#include <loom/bits.h>
#include <string.h>

#include "elan5/elan5_state.h"

enum { ALIGN = 64, LFSR_SPREAD = 0x9E3779B1 };

void loom_elan5_defaults(struct loom_elan5_cfg *cfg) {
  *cfg = (struct loom_elan5_cfg){.links = 1,
                                 .vcs = 32,
                                 .bvcs = 4,
                                 .pool = 16,
                                 .packet = 1024,
                                 .memory = 65536,
                                 .nodes = 64,
                                 .queue = 16,
                                 .write_latency = 109,
                                 .backoff = 32,
                                 .timeout = 0,
                                 .settle = 16};
}

uint32_t loom_elan5_group_packet(const struct loom_elan5_cfg *cfg) {
  uint32_t more = cfg->bvcs ? cfg->pool / cfg->bvcs : 0;
  uint32_t payload = LOOM_ELITE5_FIRST_BYTES + more * LOOM_ELITE5_CONTINUATION_BYTES;
  return loom_min(cfg->packet, (payload - LOOM_ELAN5_OVERHEAD) & ~(LOOM_ELAN5_WORD - 1u));
}

bool loom_elan5_cfg_ok(const struct loom_elan5_cfg *cfg) {
  return cfg->links >= 1 && cfg->links <= LOOM_ELAN5_LINKS && cfg->vcs >= 2 &&
         cfg->vcs <= LOOM_ELAN5_VCS && cfg->bvcs < cfg->vcs && cfg->pool <= 32 &&
         cfg->packet >= LOOM_ELAN5_WORD && cfg->packet <= LOOM_ELAN5_DATA_MAX &&
         cfg->packet % LOOM_ELAN5_WORD == 0 && cfg->memory % LOOM_ELAN5_WORD == 0 &&
         cfg->nodes <= 65536 && cfg->queue >= 1 && cfg->write_latency < 65536 &&
         cfg->backoff >= 1 && (cfg->backoff & (cfg->backoff - 1)) == 0;
}

/* ---- storage --------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* Longest payload: of a packet of full size, or of a message. */
static uint32_t arrival_bytes(const struct loom_elan5_cfg *cfg) {
  return loom_elan5_payload(loom_max(cfg->packet, LOOM_ELAN5_MESSAGE));
}

static size_t arrivals_size(const struct loom_elan5_cfg *cfg) {
  return (size_t)cfg->links * cfg->vcs * arrival_bytes(cfg);
}

size_t loom_elan5_size(const struct loom_elan5_cfg *cfg) {
  return aligned(sizeof(struct loom_elan5)) + aligned(cfg->memory) + aligned(arrivals_size(cfg)) +
         aligned(cfg->nodes * sizeof(struct loom_elan5_filter[LOOM_ELAN5_STREAMS])) +
         aligned(cfg->queue * sizeof(struct loom_elan5_message));
}

/* The next piece of the storage. */
static void *cut(uint8_t **storage, size_t bytes) {
  void *piece = *storage;
  *storage += aligned(bytes);
  return piece;
}

struct loom_elan5 *loom_elan5_create(const struct loom_elan5_cfg *cfg, uint32_t node,
                                     void *storage) {
  uint8_t *rest = storage;
  struct loom_elan5 *e = cut(&rest, sizeof *e);
  e->cfg = *cfg;
  e->node = node;
  e->arrival_bytes = arrival_bytes(cfg);
  e->memory = cut(&rest, cfg->memory);
  e->arrivals = cut(&rest, arrivals_size(cfg));
  e->filter = cut(&rest, cfg->nodes * sizeof *e->filter);
  e->message = cut(&rest, cfg->queue * sizeof *e->message);
  e->turn = (struct loom_rr_arbiter){.n = LOOM_ELAN5_TRANSFERS};
  e->backoff = (node + 1) * (uint32_t)LFSR_SPREAD | 1;
  e->counters.age_min = UINT32_MAX;
  uint32_t packets = cfg->links * cfg->vcs;
  for (uint32_t set = 0; set < LOOM_ELAN5_ANSWER_SET; set++)
    e->free[set] = packets > 64 * set ? loom_mask(packets - 64 * set) : 0;
  e->free[LOOM_ELAN5_ANSWER_SET] = loom_mask(LOOM_ELAN5_ANSWER_PACKETS);
  for (uint32_t link = 0; link < cfg->links; link++) {
    struct loom_elan5_port_cfg port;
    loom_elan5_port_defaults(&port);
    port.link = link;
    port.chip_id = node & 0xFFFF;
    loom_elan5_set_port(e, link, &port);
    loom_elan5_sender_init(e, link);
  }
  return e;
}

void loom_elan5_set_port(struct loom_elan5 *e, uint32_t link,
                         const struct loom_elan5_port_cfg *port) {
  loom_elan5_port_init(&e->link[link].port, port);
}

/* ---- requests -------------------------------------------------------------------------------- */

uint32_t loom_elan5_new_transfer(struct loom_elan5 *e, uint32_t first, uint32_t last) {
  uint64_t room = ~e->used & loom_mask(last + 1) & ~loom_mask(first);
  if (!room)
    return LOOM_ELAN5_NONE;
  uint32_t number = loom_ctz(room);
  memset(&e->transfer[number], 0, sizeof e->transfer[number]);
  return number;
}

void loom_elan5_begin(struct loom_elan5 *e, uint32_t transfer) {
  struct loom_elan5_transfer *t = &e->transfer[transfer];
  uint64_t bit = 1ull << transfer;
  t->most = t->to.group ? loom_elan5_group_packet(&e->cfg) : e->cfg.packet;
  t->packets = loom_max(1, (t->bytes + t->most - 1) / t->most);
  if (t->op != LOOM_ELAN5_PUT && t->op != LOOM_ELAN5_GOT)
    t->packets = 1;
  e->used |= bit;
  if (e->wake)
    e->wake(e->waker);
  e->groups = t->to.group ? e->groups | bit : e->groups & ~bit;
  for (uint32_t prio = 0; prio < LOOM_ELAN5_PRIOS; prio++)
    e->prio[prio] &= ~bit;
  e->prio[t->to.prio] |= bit;
  loom_elan5_look(e, transfer);
}

/* A transfer of the user, not yet begun. */
static uint32_t request(struct loom_elan5 *e, struct loom_elan5_target to, enum loom_elan5_op op,
                        uint64_t remote, uint32_t bytes) {
  uint32_t number = loom_elan5_new_transfer(e, 0, LOOM_ELAN5_OWN_TRANSFERS - 1);
  if (number == LOOM_ELAN5_NONE)
    return number;
  struct loom_elan5_transfer *t = &e->transfer[number];
  t->to = to;
  t->op = (uint8_t)op;
  t->remote = remote;
  t->bytes = bytes;
  return number;
}

static uint32_t request_memory(struct loom_elan5 *e, struct loom_elan5_target to,
                               enum loom_elan5_op op, uint64_t remote, uint64_t local,
                               uint32_t bytes) {
  if (!loom_elan5_inside(e, local, bytes))
    return LOOM_ELAN5_NONE;
  uint32_t number = request(e, to, op, remote, bytes);
  if (number == LOOM_ELAN5_NONE)
    return number;
  e->transfer[number].local = local;
  loom_elan5_begin(e, number);
  return number;
}

static uint32_t request_words(struct loom_elan5 *e, struct loom_elan5_target to,
                              enum loom_elan5_op op, uint64_t remote, const uint64_t *word,
                              uint32_t words) {
  uint32_t number = request(e, to, op, remote, words * LOOM_ELAN5_WORD);
  if (number == LOOM_ELAN5_NONE)
    return number;
  e->transfer[number].inside = true;
  e->transfer[number].tag = op == LOOM_ELAN5_GET ? (uint8_t)number : 0;
  memcpy(e->transfer[number].word, word, words * sizeof *word);
  loom_elan5_begin(e, number);
  return number;
}

uint32_t loom_elan5_put(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                        uint64_t local, uint32_t bytes) {
  return request_memory(e, to, LOOM_ELAN5_PUT, remote, local, bytes);
}

uint32_t loom_elan5_put_word(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                             uint64_t word) {
  return request_words(e, to, LOOM_ELAN5_PUT, remote, &word, 1);
}

uint32_t loom_elan5_queue(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t local,
                          uint32_t bytes) {
  if (bytes < 1 || bytes > LOOM_ELAN5_MESSAGE)
    return LOOM_ELAN5_NONE;
  return request_memory(e, to, LOOM_ELAN5_QUEUE, 0, local, bytes);
}

uint32_t loom_elan5_count(struct loom_elan5 *e, struct loom_elan5_target to, uint32_t event,
                          uint64_t n) {
  return request_words(e, to, LOOM_ELAN5_EVENT, event, &n, 1);
}

uint32_t loom_elan5_get(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                        uint64_t local, uint32_t bytes) {
  if (to.group || !loom_elan5_inside(e, local, bytes))
    return LOOM_ELAN5_NONE;
  const uint64_t word[2] = {local, bytes};
  return request_words(e, to, LOOM_ELAN5_GET, remote, word, 2);
}

uint32_t loom_elan5_conditional(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                                uint64_t word) {
  return request_words(e, to, LOOM_ELAN5_CONDITIONAL, remote, &word, 1);
}

enum loom_elan5_result loom_elan5_done(struct loom_elan5 *e, uint32_t transfer) {
  uint64_t bit = 1ull << transfer;
  if (!(e->finished & bit))
    return LOOM_ELAN5_RUNNING;
  bool failed = e->failed & bit;
  e->used &= ~bit;
  e->finished &= ~bit;
  e->failed &= ~bit;
  return failed ? LOOM_ELAN5_FAILED : LOOM_ELAN5_DONE;
}

/* ---- the receiving side ---------------------------------------------------------------------- */

bool loom_elan5_inside(const struct loom_elan5 *e, uint64_t address, uint64_t bytes) {
  return bytes <= e->cfg.memory && address <= e->cfg.memory - bytes;
}

bool loom_elan5_take_message(struct loom_elan5 *e, struct loom_elan5_message *message) {
  if (!e->messages)
    return false;
  *message = e->message[e->first_message];
  e->first_message = e->first_message + 1 == e->cfg.queue ? 0 : e->first_message + 1;
  e->messages--;
  return true;
}

bool loom_elan5_take_event(struct loom_elan5 *e, uint32_t event, uint64_t n) {
  if (e->event[event].count < n)
    return false;
  e->event[event].count -= n;
  return true;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void link_down(struct loom_elan5 *e, uint32_t link) {
  loom_elan5_sender_down(e, link);
  loom_elan5_receiver_down(e, link);
}

static void step_link(struct loom_elan5 *e, uint32_t number, const struct loom_flow *in) {
  struct loom_elan5_link *link = &e->link[number];
  memset(&link->out, 0, sizeof link->out);
  bool up = loom_elan5_port_takes(&link->port, in);
  if (up) {
    loom_elan5_hear(e, number, in);
    loom_elan5_receive(e, number, in);
    loom_elan5_answer(e, number);
    if (loom_elan5_sends(e, number))
      loom_elan5_send(e, number);
    if (e->cfg.timeout)
      loom_elan5_watch(e, number);
  }
  loom_elan5_port_step(&link->port, in, &link->out);
  if (up && link->port.state != LOOM_ELITE5_UP) {
    memset(&link->out, 0, sizeof link->out);
    link_down(e, number);
  }
}

void loom_elan5_step(struct loom_elan5 *e, uint64_t now, const struct loom_flow *const in[],
                     struct loom_flow *out) {
  e->now = now;
  for (uint32_t link = 0; link < e->cfg.links; link++) {
    out[link] = e->link[link].out;
    e->link[link].shown = out[link].flags;
    step_link(e, link, in[link]);
  }
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool link_idle(const struct loom_elan5_link *link) {
  return !link->sender.busy && !link->receiver.open && !link->receiver.owing &&
         !link->receiver.segment.active && !link->receiver.credit;
}

bool loom_elan5_idle(const struct loom_elan5 *e) {
  for (uint32_t link = 0; link < e->cfg.links; link++)
    if (!link_idle(&e->link[link]))
      return false;
  return e->used == e->finished;
}

/* The link waits for the far end's signal, and its own one has been shown. */
static bool waits_below(const struct loom_elan5_link *link) {
  return link->port.state == LOOM_ELITE5_DOWN && link->shown == LOOM_FLOW_SIGNAL;
}

bool loom_elan5_sleeps(const struct loom_elan5 *e) {
  for (uint32_t link = 0; link < e->cfg.links; link++)
    if (!(loom_elan5_sends(e, link) || waits_below(&e->link[link])) ||
        e->link[link].out.flags != LOOM_FLOW_SIGNAL)
      return false;
  return loom_elan5_idle(e);
}
