/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - host interface of InfiniBand and Omni-Path fabrics: the device (docs/fabric.md; OP-08,
 * OP-18, OP-22, TR-06, VF-12)
 *
 * Sending stands in host_send.c, receiving in host_receive.c, messages under way in ledger.c. */
#include "fabric/host_state.h"

#include <string.h>

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The packet is there to be moved by its number, if the link out is one for that. */
static uint32_t name_packet(struct loom_host *h, const struct loom_nic_flit *head) {
  uint32_t packet = 0;
  if (loom_fabric_streams(h->fabric, h->device))
    packet = loom_packets_add(loom_fabric_packets(h->fabric), head->data, head->key, head->offset);
  h->known = packet != 0;
  return packet;
}

/* What the link out shows. */
static void show_flit(struct loom_host *h, const struct loom_nic_flit *out,
                      const struct loom_fabric_show *show) {
  bool streams = out->valid && h->known && !out->head && !out->tail;
  if (streams != h->streams)
    loom_fabric_turn_stream(show, 0, streams);
  h->streams = streams;
  uint32_t packet = out->head ? name_packet(h, out) : 0;
  if (packet)
    loom_fabric_head(show, 0, out->vl, out->data, packet);
  else if (out->valid && !streams)
    loom_fabric_flit(show, 0, out->head, out->tail, out->vl, out->data);
}

/* Cycles in which flits between head and tail have left, and nothing else has happened. */
static void pass(struct loom_host *h, uint32_t cycles) {
  h->flits[h->leaving].backlog -= cycles;
  h->ledger->counts.flits_injected += cycles;
  if (loom_nic_frees(&h->nic) <= cycles)
    h->blocked = 0;
  loom_nic_pass(&h->nic, cycles);
}

/* Up to the cycle `now`. */
static void catch_up(struct loom_host *h, uint64_t now) {
  if (h->streams && now != h->due)
    pass(h, (uint32_t)(now - h->due));
  if (h->hears)
    loom_host_catch_up(h, (uint32_t)(now + 1 - h->due));
  h->due = now + 1;
}

/* A flit is on the link out. */
static void leave(struct loom_host *h, uint64_t now, const struct loom_nic_flit *out) {
  if (out->head) {
    const struct loom_packet_head head = loom_packet_read(out->data);
    const struct loom_message *m = &loom_ledger_record(h->ledger, h->number, head.id)->message;
    if (!m->injected)
      loom_ledger_inject(h->ledger, h->number, head.id, now);
    h->leaving = m->traffic_class;
    if (h->cfg.packet[h->leaving])
      loom_ledger_depart(h->ledger, h->number, head.id, out->offset, now);
  }
  h->flits[h->leaving].backlog--;
  h->ledger->counts.flits_injected++;
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct loom_host *h = device;
  catch_up(h, now);
  if (h->credit.valid) {
    loom_fabric_credit(show, 0, h->credit.vl);
    h->credit.valid = false;
  }
  loom_host_arrive(h, now, in);
  const struct loom_nic_flit *out = &h->nic.out;
  if (out->valid)
    leave(h, now, out);
  if (out->valid | h->streams)
    show_flit(h, out, show);
  if (h->waiting & ~h->blocked && loom_nic_ready(&h->nic))
    loom_host_enter(h, now);
  loom_nic_edge(&h->nic, in->credit & 1, in->port->cr_vl);
  if (h->nic.free_valid) /* there is more room than before */
    h->blocked = 0;
}

static bool sleeps(const void *device) {
  const struct loom_host *h = device;
  return h->nic.quiet && !h->credit.valid && !(h->waiting & ~h->blocked) && !h->hears;
}

/* Streams go on. A class that found no room looks again when a unit is free. */
static uint64_t spare(const void *device) {
  const struct loom_host *h = device;
  uint32_t cycles = loom_host_frees(h) - 1;
  if (h->credit.valid || (h->waiting & ~h->blocked) || (!h->nic.quiet && !h->streams))
    return 0;
  if (!h->nic.quiet)
    cycles = loom_min(cycles, loom_nic_steady(&h->nic));
  if (!h->nic.quiet && h->waiting)
    cycles = loom_min(cycles, loom_nic_frees(&h->nic));
  return cycles;
}

static void write(void *device, uint32_t addr, uint32_t data) {
  struct loom_host *h = device;
  loom_nic_write(&h->nic, addr, data);
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_host *h = device;
  uint32_t n = 0;
  for (uint32_t vls = h->nic.head_valid; vls; vls &= vls - 1) {
    uint32_t vl = loom_ctz(vls);
    if (loom_nic_head_size(&h->nic, vl) <= loom_credit_tracker_avail(&h->nic.far, vl))
      continue;
    const struct loom_fabric_place place = {.device = number, .vl = (uint8_t)vl, .output = true};
    if (n < max)
      list[n] = (struct loom_fabric_wait){place, place};
    n++;
  }
  return n;
}

const struct loom_fabric_class loom_host_class = {.name = "host",
                                                  .ports = 1,
                                                  .streams = true,
                                                  .step = step,
                                                  .sleeps = sleeps,
                                                  .spare = spare,
                                                  .write = write,
                                                  .waits = waits};

/* ---- creation -------------------------------------------------------------------------------- */

static bool class_ok(const struct loom_host_cfg *cfg, uint32_t class) {
  uint32_t units = (cfg->mtu[class] + (LOOM_UNIT_FLITS - 1u)) / LOOM_UNIT_FLITS;
  uint32_t packet = cfg->packet[class];
  return cfg->mtu[class] >= LOOM_HOST_MTU_MIN && cfg->mtu[class] <= LOOM_HOST_MTU_MAX &&
         (!packet || (packet >= LOOM_HOST_MTU_MIN && cfg->mtu[class] % packet == 0)) &&
         cfg->sc[class] < 32 && units <= cfg->port.CELLS && units <= cfg->port.REMOTE_UNITS;
}

static bool cfg_ok(const struct loom_host_cfg *cfg, const struct loom_ledger *l, uint32_t number) {
  if (!loom_sched_port_cfg_ok(&cfg->port) || !cfg->classes || cfg->classes > LOOM_HOST_CLASSES ||
      !cfg->paths || cfg->paths > LOOM_HOST_PATHS || number >= l->hosts)
    return false;
  for (uint32_t c = 0; c < cfg->classes; c++)
    if (!class_ok(cfg, c))
      return false;
  for (uint32_t sc = 0; sc < 32; sc++)
    if (cfg->vl[sc] >= cfg->port.VLS || cfg->sl[sc] >= (cfg->port.ARB_KEY ? cfg->port.KEYS : 32))
      return false;
  uint32_t lid = cfg->lid[number];
  return lid + cfg->paths <= LOOM_LEDGER_LIDS && l->host_of[lid] == LOOM_LEDGER_NONE;
}

struct loom_host *loom_host_create(const struct loom_host_cfg *cfg, struct loom_ledger *ledger,
                                   uint32_t number) {
  if (!cfg_ok(cfg, ledger, number))
    return NULL;
  size_t bytes = sizeof(struct loom_host) + cfg->classes * sizeof(struct loom_host_queue);
  struct loom_host *h = loom_arena_take(&ledger->arena, bytes);
  void *packets = loom_arena_take(&ledger->packets, loom_nic_storage_size(&cfg->port));
  if (!h || !packets)
    return NULL;
  h->cfg = *cfg;
  h->number = number;
  h->lid = cfg->lid[number];
  h->ledger = ledger;
  ledger->host_of[h->lid] = number;
  h->turn = LOOM_HOST_CLASSES - 1;
  for (uint32_t c = 0; c < cfg->classes; c++)
    h->queue[c].seed = loom_scramble(cfg->seed + loom_scramble((uint64_t)number << 8 | c));
  loom_nic_init(&h->nic, &cfg->port, true, packets);
  for (uint32_t sc = 0; sc < 32; sc++)
    write(h, LOOM_PORT_REG_SC2SL + sc, cfg->sl[sc]);
  return h;
}

void loom_host_destroy(struct loom_host *h) {
  if (!h)
    return;
  h->ledger->host_of[h->lid] = LOOM_LEDGER_NONE;
  for (uint32_t c = 0; c < h->cfg.classes; c++) {
    struct loom_host_queue *q = &h->queue[c];
    loom_ledger_free(h->ledger, q->ring, q->size * sizeof *q->ring);
  }
  loom_trains_free(&h->trains, h->ledger);
}

bool loom_host_renumber(struct loom_host *h, uint16_t lid) {
  uint32_t *host_of = h->ledger->host_of;
  if (host_of[lid] != LOOM_LEDGER_NONE && host_of[lid] != h->number)
    return false;
  host_of[h->lid] = LOOM_LEDGER_NONE;
  host_of[lid] = h->number;
  h->lid = lid;
  return true;
}

void loom_host_map(struct loom_host *h, uint32_t sc, uint8_t vl) { h->cfg.vl[sc & 31] = vl; }

void loom_host_attach(struct loom_host *h, struct loom_fabric *f, uint32_t device) {
  h->fabric = f;
  h->device = device;
}

uint64_t loom_host_backlog(const struct loom_host *h, uint32_t class) {
  return h->flits[class].backlog;
}

uint64_t loom_host_received_flits(const struct loom_host *h, uint32_t class) {
  return h->flits[class].received;
}
