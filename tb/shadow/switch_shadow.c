/* SPDX-License-Identifier: Apache-2.0 */
/* switch_shadow.c - the shadow of a switch: a class of the fabric that stands in the twin's place
 *
 * It turns what the links bring into the inputs of the device's list, steps the twin and shows its
 * outputs to the fabric. A twin that sleeps makes up for the cycles that it has left out, so all
 * are compared.
 */
#include <loom/bits.h>
#include <string.h>

#include "elite5/elite5_header.h"
#include "fabric/fabric.h"
#include "fabric/packet_words.h"
#include "tb/shadow/shadow.h"

/* The fields of a switch's list that its links and its bus are. Those of wires are in the lists of
 * devices whose links have replies and signals. */
enum shadow_field {
  SHADOW_IN_VALID,
  SHADOW_IN_HEAD,
  SHADOW_IN_TAIL,
  SHADOW_IN_VL,
  SHADOW_IN_DATA,
  SHADOW_OUT_CR_VALID,
  SHADOW_OUT_CR_VL,
  SHADOW_REG_WE,
  SHADOW_REG_ADDR,
  SHADOW_REG_WDATA,
  SHADOW_IN_SIGNAL,
  SHADOW_OUT_REP_VALID,
  SHADOW_OUT_REP_ACK,
  SHADOW_OUT_REP_VC,
  SHADOW_REG_RE,
  SHADOW_INPUTS, /* the outputs come now */
  SHADOW_OUT_VALID = SHADOW_INPUTS,
  SHADOW_OUT_HEAD,
  SHADOW_OUT_TAIL,
  SHADOW_OUT_VL,
  SHADOW_OUT_DATA,
  SHADOW_IN_CR_VALID,
  SHADOW_IN_CR_VL,
  SHADOW_OUT_SIGNAL,
  SHADOW_IN_REP_VALID,
  SHADOW_IN_REP_ACK,
  SHADOW_IN_REP_VC,
  SHADOW_FIELDS
};
#define WIRES                                                                                      \
  (1u << SHADOW_IN_SIGNAL | 1u << SHADOW_OUT_REP_VALID | 1u << SHADOW_OUT_REP_ACK |                \
   1u << SHADOW_OUT_REP_VC | 1u << SHADOW_REG_RE | 1u << SHADOW_OUT_SIGNAL |                       \
   1u << SHADOW_IN_REP_VALID | 1u << SHADOW_IN_REP_ACK | 1u << SHADOW_IN_REP_VC)

struct switch_shadow {
  struct shadow base;
  struct loom_fabric *fabric;
  const struct loom_fabric_class *twin; /* of the twin */
  struct loom_fabric_class own_class;   /* its own */
  const struct field *field[SHADOW_FIELDS];
  uint64_t clock;  /* of the fabric, when the next cycle is done */
  uint64_t signal; /* ports at whose far end somebody is there */
};

/* ---- ports ----------------------------------------------------------------------------------- */

/* Every switch has these names in its list. */
static const char *const field_names[SHADOW_FIELDS] = {
    [SHADOW_IN_VALID] = "in_valid",       [SHADOW_IN_HEAD] = "in_head",
    [SHADOW_IN_TAIL] = "in_tail",         [SHADOW_IN_VL] = "in_vl",
    [SHADOW_IN_DATA] = "in_data",         [SHADOW_OUT_CR_VALID] = "out_cr_valid",
    [SHADOW_OUT_CR_VL] = "out_cr_vl",     [SHADOW_REG_WE] = "reg_we",
    [SHADOW_REG_ADDR] = "reg_addr",       [SHADOW_REG_WDATA] = "reg_wdata",
    [SHADOW_OUT_VALID] = "out_valid",     [SHADOW_OUT_HEAD] = "out_head",
    [SHADOW_OUT_TAIL] = "out_tail",       [SHADOW_OUT_VL] = "out_vl",
    [SHADOW_OUT_DATA] = "out_data",       [SHADOW_IN_CR_VALID] = "in_cr_valid",
    [SHADOW_IN_CR_VL] = "in_cr_vl",       [SHADOW_IN_SIGNAL] = "in_signal",
    [SHADOW_REG_RE] = "reg_re",           [SHADOW_OUT_REP_VALID] = "out_rep_valid",
    [SHADOW_OUT_REP_ACK] = "out_rep_ack", [SHADOW_OUT_REP_VC] = "out_rep_vc",
    [SHADOW_OUT_SIGNAL] = "out_signal",   [SHADOW_IN_REP_VALID] = "in_rep_valid",
    [SHADOW_IN_REP_ACK] = "in_rep_ack",   [SHADOW_IN_REP_VC] = "in_rep_vc"};

static const struct field *find(const struct dut *dut, enum field_dir dir, const char *name) {
  for (size_t i = 0; i < dut->field_count; i++)
    if (dut->fields[i].dir == dir && !strcmp(dut->fields[i].name, name))
      return &dut->fields[i];
  return NULL;
}

static bool find_fields(struct switch_shadow *x) {
  for (uint32_t i = 0; i < SHADOW_FIELDS; i++) {
    if (WIRES >> i & 1 && !x->twin->wires)
      continue;
    x->field[i] = find(x->base.dut, i < SHADOW_INPUTS ? FIELD_IN : FIELD_OUT, field_names[i]);
    if (!x->field[i])
      return false;
  }
  x->base.ports = x->field[SHADOW_IN_VALID]->lanes(x->base.lock.cfg);
  return true;
}

static void set(const struct switch_shadow *x, void *in, enum shadow_field f, uint32_t lane,
                uint64_t value) {
  field_set(x->field[f], in, lane, value);
}

static uint64_t get(const struct switch_shadow *x, const void *from, enum shadow_field f,
                    uint32_t lane) {
  return field_get(x->field[f], from, lane);
}

static void apply(const struct switch_shadow *x, const struct loom_fabric_arrival *a, void *in) {
  for (uint64_t ports = a->valid; ports; ports &= ports - 1) {
    uint32_t port = loom_ctz(ports);
    set(x, in, SHADOW_IN_VALID, port, 1);
    set(x, in, SHADOW_IN_HEAD, port, a->head >> port & 1);
    set(x, in, SHADOW_IN_TAIL, port, a->tail >> port & 1);
    set(x, in, SHADOW_IN_VL, port, a->port[port].vl);
    set(x, in, SHADOW_IN_DATA, port, a->port[port].data);
  }
  for (uint64_t ports = a->credit; ports; ports &= ports - 1) {
    set(x, in, SHADOW_OUT_CR_VALID, loom_ctz(ports), 1);
    set(x, in, SHADOW_OUT_CR_VL, loom_ctz(ports), a->port[loom_ctz(ports)].cr_vl);
  }
}

static void apply_wires(const struct switch_shadow *x, const struct loom_fabric_arrival *a,
                        void *in) {
  const struct loom_fabric_wires *w = loom_fabric_wires(a);
  for (uint64_t ports = w->reply; ports; ports &= ports - 1) {
    uint32_t port = loom_ctz(ports);
    set(x, in, SHADOW_OUT_REP_VALID, port, 1);
    set(x, in, SHADOW_OUT_REP_ACK, port, w->ack >> port & 1);
    set(x, in, SHADOW_OUT_REP_VC, port, a->port[port].rep_vc);
  }
  if (!w->access)
    return;
  set(x, in, w->access->read ? SHADOW_REG_RE : SHADOW_REG_WE, 0, 1);
  set(x, in, SHADOW_REG_ADDR, 0, w->access->addr);
  set(x, in, SHADOW_REG_WDATA, 0, w->access->data);
}

/* The inputs of a cycle in which nothing comes: signals stay as they are until they change. */
static void *begin_cycle(struct switch_shadow *x) {
  void *in = shadow_begin_cycle(&x->base);
  for (uint64_t ports = x->signal; ports; ports &= ports - 1)
    set(x, in, SHADOW_IN_SIGNAL, loom_ctz(ports), 1);
  return in;
}

static void show_wires(const struct switch_shadow *x, const void *out,
                       const struct loom_fabric_show *show) {
  uint8_t rep_vc[LOOM_FABRIC_PORTS] = {0};
  struct loom_fabric_shown_wires all = {.rep_vc = rep_vc};
  for (uint32_t port = 0; port < x->base.ports; port++) {
    all.reply |= get(x, out, SHADOW_IN_REP_VALID, port) << port;
    all.ack |= get(x, out, SHADOW_IN_REP_ACK, port) << port;
    all.signal |= get(x, out, SHADOW_OUT_SIGNAL, port) << port;
    rep_vc[port] = (uint8_t)get(x, out, SHADOW_IN_REP_VC, port);
  }
  loom_fabric_show_wires(show, &all);
}

static void show_links(const struct switch_shadow *x, const void *out,
                       const struct loom_fabric_show *show) {
  for (uint32_t port = 0; port < x->base.ports; port++) {
    if (get(x, out, SHADOW_OUT_VALID, port))
      loom_fabric_flit(show, port, get(x, out, SHADOW_OUT_HEAD, port) != 0,
                       get(x, out, SHADOW_OUT_TAIL, port) != 0,
                       (uint32_t)get(x, out, SHADOW_OUT_VL, port),
                       get(x, out, SHADOW_OUT_DATA, port));
    if (get(x, out, SHADOW_IN_CR_VALID, port))
      loom_fabric_credit(show, port, (uint32_t)get(x, out, SHADOW_IN_CR_VL, port));
  }
}

static bool shows(const struct switch_shadow *x, const void *out) {
  bool any = false;
  for (uint32_t port = 0; port < x->base.ports; port++)
    any |= get(x, out, SHADOW_OUT_VALID, port) || get(x, out, SHADOW_IN_CR_VALID, port) ||
           (x->twin->wires && get(x, out, SHADOW_IN_REP_VALID, port));
  return any;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void note_packets(struct shadow *s, uint64_t cycle, const void *in) {
  const struct switch_shadow *x = (const struct switch_shadow *)s;
  for (uint32_t port = 0; port < s->ports; port++) {
    if (!get(x, in, SHADOW_IN_VALID, port) || !get(x, in, SHADOW_IN_HEAD, port))
      continue;
    struct loom_packet_head h = loom_packet_read(get(x, in, SHADOW_IN_DATA, port));
    struct packet_note note = {.cycle = cycle,
                               .port = port,
                               .vl = (uint32_t)get(x, in, SHADOW_IN_VL, port),
                               .dest = h.dest,
                               .length = h.len,
                               .id = h.id};
    stats_note(&s->stats, &note);
  }
}

/* The same of an Elite5 router, whose heads are others. */
static void note_elite5_packets(struct shadow *s, uint64_t cycle, const void *in) {
  const struct switch_shadow *x = (const struct switch_shadow *)s;
  for (uint32_t port = 0; port < s->ports; port++) {
    struct loom_elite5_first h;
    if (!get(x, in, SHADOW_IN_VALID, port) || !get(x, in, SHADOW_IN_HEAD, port) ||
        !loom_elite5_unpack_first(&h, get(x, in, SHADOW_IN_DATA, port)) ||
        h.type > LOOM_ELITE5_CONDITIONAL)
      continue;
    struct packet_note note = {.cycle = cycle,
                               .port = port,
                               .vl = (uint32_t)get(x, in, SHADOW_IN_VL, port),
                               .dest = h.dest,
                               .length = h.len,
                               .id = h.ts};
    stats_note(&s->stats, &note);
  }
}

/* The cycles up to this one of the fabric's clock, in which the twin has slept. */
static void sleep_until(struct switch_shadow *x, uint64_t clock) {
  struct shadow *s = &x->base;
  for (; x->clock < clock; x->clock++) {
    begin_cycle(x);
    if (shows(x, shadow_end_cycle(s)) && !s->lock.wrong) {
      s->lock.wrong = "the twin shows something in a cycle in which it sleeps";
      s->all->over = true;
    }
  }
}

/* The cycles that the twin wants besides, after this. */
static void pause(struct switch_shadow *x, uint32_t after) {
  uint32_t cycles = x->twin->pause ? x->twin->pause(x->base.twin, after) : 0;
  for (; cycles > 0; cycles--) {
    begin_cycle(x);
    shadow_end_cycle(&x->base);
  }
}

/* To the present cycle. Those before the fabric began are another matter. */
static void make_up(struct switch_shadow *x) {
  uint64_t now = loom_fabric_now(x->fabric), cycle = loom_fabric_cycle(x->fabric);
  if (cycle != LOOM_FABRIC_BEFORE && !x->base.running) {
    pause(x, LOOM_FABRIC_AFTER_WRITES);
    sleep_until(x, now - cycle);
    shadow_begin_running(&x->base);
  }
  sleep_until(x, now);
}

static void catch_up(struct shadow *s) { make_up((struct switch_shadow *)s); }

/* ---- the class ------------------------------------------------------------------------------- */

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct switch_shadow *x = device;
  (void)now;
  make_up(x);
  if (x->twin->wires)
    x->signal = loom_fabric_wires(in)->signal;
  void *inputs = begin_cycle(x);
  apply(x, in, inputs);
  if (x->twin->wires)
    apply_wires(x, in, inputs);
  const void *out = shadow_end_cycle(&x->base);
  x->clock++;
  show_links(x, out, show);
  if (x->twin->wires)
    show_wires(x, out, show);
}

static bool sleeps(const void *device) {
  const struct switch_shadow *x = device;
  return x->twin->sleeps(x->base.twin);
}

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct switch_shadow *x = device;
  if (!x->base.own)
    pause(x, LOOM_FABRIC_AFTER_RESET);
  void *in = shadow_begin_cycle(&x->base);
  set(x, in, SHADOW_REG_WE, 0, 1);
  set(x, in, SHADOW_REG_ADDR, 0, addr);
  set(x, in, SHADOW_REG_WDATA, 0, data);
  shadow_end_cycle(&x->base);
  pause(x, addr);
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct switch_shadow *x = device;
  return x->twin->waits(x->base.twin, number, list, max);
}

/* In all else it is as that of the twin. */
static struct loom_fabric_class class_beside(const struct loom_fabric_class *twin) {
  struct loom_fabric_class class = *twin;
  class.name = "shadow";
  class.streams = false; /* a circuit sees flits, and each cycle */
  class.spare = NULL;
  class.step = step;
  class.sleeps = sleeps;
  class.write = twin->write ? write_register : NULL;
  class.load = NULL; /* the circuit takes each write on its bus */
  class.waits = twin->waits ? waits : NULL;
  return class;
}

/* ---- attaching ------------------------------------------------------------------------------- */

static const struct shadow_kind switch_kind = {.size = sizeof(struct switch_shadow),
                                               .chunk = 1024,
                                               .catch_up = catch_up,
                                               .note = note_packets};

/* The lists of a router's cycles are long, and there may be many routers. */
static const struct shadow_kind router_kind = {.size = sizeof(struct switch_shadow),
                                               .chunk = 64,
                                               .catch_up = catch_up,
                                               .note = note_elite5_packets};

bool switch_shadow_attach(void *context, const struct loom_shadow_switch *from, char *why,
                          size_t size) {
  const struct shadow_cfg cfg = {.kind = from->device_class->wires ? &router_kind : &switch_kind,
                                 .name = from->name,
                                 .dut = dut_find(from->device_class->name),
                                 .cfg = from->cfg,
                                 .random = from->device + 1u};
  struct shadow *s;
  snprintf(why, size, "there are no circuits of %s", from->device_class->name);
  if (!cfg.dut || !shadow_add(context, &cfg, &s, why, size))
    return false;
  if (!s)
    return true;
  struct switch_shadow *x = (struct switch_shadow *)s;
  x->fabric = from->fabric;
  x->twin = from->device_class;
  x->own_class = class_beside(from->device_class);
  s->twin = loom_fabric_device(from->fabric, from->device);
  if (!find_fields(x)) {
    snprintf(why, size, "%s has other ports than a switch", s->dut->name);
    return false;
  }
  loom_fabric_replace(from->fabric, from->device, &x->own_class, s);
  return true;
}
