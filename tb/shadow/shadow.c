/* shadow.c - circuits beside the twins of some switches in the middle of a running fabric */
#define _GNU_SOURCE /* fmemopen */
#include "tb/shadow/shadow.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

#include "net/words.h"

/* As the bench has it: cycles of waves around a difference. */
enum { BEFORE = 200, AFTER = 24, CHUNK = 1024 };

extern const struct dut ib_switch_dut, opa_switch_dut, kns_node_dut, kns_switch_dut;
const struct dut *const loom_duts[] = {&ib_switch_dut, &opa_switch_dut, &kns_node_dut,
                                       &kns_switch_dut, NULL};

/* ---- ports ----------------------------------------------------------------------------------- */

/* Every switch has these names in its list. */
static const char *const field_names[SHADOW_FIELDS] = {
    [SHADOW_IN_VALID] = "in_valid",   [SHADOW_IN_HEAD] = "in_head",
    [SHADOW_IN_TAIL] = "in_tail",     [SHADOW_IN_VL] = "in_vl",
    [SHADOW_IN_DATA] = "in_data",     [SHADOW_OUT_CR_VALID] = "out_cr_valid",
    [SHADOW_OUT_CR_VL] = "out_cr_vl", [SHADOW_REG_WE] = "reg_we",
    [SHADOW_REG_ADDR] = "reg_addr",   [SHADOW_REG_WDATA] = "reg_wdata",
    [SHADOW_OUT_VALID] = "out_valid", [SHADOW_OUT_HEAD] = "out_head",
    [SHADOW_OUT_TAIL] = "out_tail",   [SHADOW_OUT_VL] = "out_vl",
    [SHADOW_OUT_DATA] = "out_data",   [SHADOW_IN_CR_VALID] = "in_cr_valid",
    [SHADOW_IN_CR_VL] = "in_cr_vl"};

static const struct field *find(const struct dut *dut, enum field_dir dir, const char *name) {
  for (size_t i = 0; i < dut->field_count; i++)
    if (dut->fields[i].dir == dir && !strcmp(dut->fields[i].name, name))
      return &dut->fields[i];
  return NULL;
}

static bool find_fields(struct shadow *s) {
  for (uint32_t i = 0; i < SHADOW_FIELDS; i++) {
    s->field[i] = find(s->dut, i < SHADOW_INPUTS ? FIELD_IN : FIELD_OUT, field_names[i]);
    if (!s->field[i])
      return false;
  }
  s->ports = s->field[SHADOW_IN_VALID]->lanes(s->circuit.api->cfg);
  return true;
}

static void set(const struct shadow *s, void *in, enum shadow_field f, uint32_t lane,
                uint64_t value) {
  field_set(s->field[f], in, lane, value);
}

static uint64_t get(const struct shadow *s, const void *from, enum shadow_field f, uint32_t lane) {
  return field_get(s->field[f], from, lane);
}

static void apply(const struct shadow *s, const struct loom_fabric_arrival *a, void *in) {
  for (uint64_t ports = a->valid; ports; ports &= ports - 1) {
    uint32_t port = loom_ctz(ports);
    set(s, in, SHADOW_IN_VALID, port, 1);
    set(s, in, SHADOW_IN_HEAD, port, a->head >> port & 1);
    set(s, in, SHADOW_IN_TAIL, port, a->tail >> port & 1);
    set(s, in, SHADOW_IN_VL, port, a->port[port].vl);
    set(s, in, SHADOW_IN_DATA, port, a->port[port].data);
  }
  for (uint64_t ports = a->credit; ports; ports &= ports - 1) {
    set(s, in, SHADOW_OUT_CR_VALID, loom_ctz(ports), 1);
    set(s, in, SHADOW_OUT_CR_VL, loom_ctz(ports), a->port[loom_ctz(ports)].cr_vl);
  }
}

static void show_links(const struct shadow *s, const void *out,
                       const struct loom_fabric_show *show) {
  for (uint32_t port = 0; port < s->ports; port++) {
    if (get(s, out, SHADOW_OUT_VALID, port))
      loom_fabric_flit(show, port, get(s, out, SHADOW_OUT_HEAD, port) != 0,
                       get(s, out, SHADOW_OUT_TAIL, port) != 0,
                       (uint32_t)get(s, out, SHADOW_OUT_VL, port),
                       get(s, out, SHADOW_OUT_DATA, port));
    if (get(s, out, SHADOW_IN_CR_VALID, port))
      loom_fabric_credit(show, port, (uint32_t)get(s, out, SHADOW_IN_CR_VL, port));
  }
}

static bool shows(const struct shadow *s, const void *out) {
  bool any = false;
  for (uint32_t port = 0; port < s->ports; port++)
    any |= get(s, out, SHADOW_OUT_VALID, port) || get(s, out, SHADOW_IN_CR_VALID, port);
  return any;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* The packets that came in a cycle. */
static void note_packets(struct shadow *s, uint64_t cycle, const void *in) {
  for (uint32_t port = 0; port < s->ports; port++) {
    if (!get(s, in, SHADOW_IN_VALID, port) || !get(s, in, SHADOW_IN_HEAD, port))
      continue;
    struct loom_packet_head h = loom_packet_read(get(s, in, SHADOW_IN_DATA, port));
    struct packet_note note = {.cycle = cycle,
                               .port = port,
                               .vl = (uint32_t)get(s, in, SHADOW_IN_VL, port),
                               .dest = h.dest,
                               .length = h.len,
                               .id = h.id};
    stats_note(&s->stats, &note);
  }
}

/* The circuit does the cycles of the chunk. */
static void follow(struct shadow *s) {
  struct lockstep *l = &s->lock;
  uint64_t from = s->next - s->filled;
  size_t n = s->filled;
  s->filled = 0;
  if (!n || (s->all->over && l->differs))
    return;
  bool before = l->differs;
  size_t good = lockstep_follow(l, from, n, 0);
  if (!before) {
    s->compared += good;
    for (size_t i = 0; i < n && i <= good; i++)
      note_packets(s, from + i, l->in + i * s->dut->in_size);
  }
  if (!lockstep_goes_on(l, s->next) || l->wrong)
    s->all->over = true;
}

/* Room for the inputs of a cycle. */
static void *begin_cycle(struct shadow *s) {
  void *in = s->lock.in + s->filled * s->dut->in_size;
  memset(in, 0, s->dut->in_size);
  return in;
}

/* The cycle, and the edge behind it; the outputs stay until the next cycle begins. */
static const void *end_cycle(struct shadow *s) {
  struct lockstep *l = &s->lock;
  const struct dut *d = s->dut;
  char *out = l->twin_out + s->filled * d->out_size;
  d->run(s->twin, l->in + s->filled * d->in_size, out, l->twin_probe + s->filled * d->probe_size,
         1);
  s->filled++;
  s->next++;
  if (s->filled == lockstep_room(l, s->next - s->filled, CHUNK))
    follow(s);
  return out;
}

/* The cycles up to this one, in which the twin has slept. */
static void make_up(struct shadow *s, uint64_t now) {
  while (s->next < now) {
    begin_cycle(s);
    if (shows(s, end_cycle(s)) && !s->lock.wrong) {
      s->lock.wrong = "the twin shows something in a cycle in which it sleeps";
      s->all->over = true;
    }
  }
}

/* From here on cycles are those of the fabric. */
static void begin_running(struct shadow *s) {
  const struct shadows *all = s->all;
  follow(s);
  s->running = true;
  s->writes = s->next;
  s->next = 0;
  s->lock.plant = s->plant;
  s->lock.window = (struct window){.dir = NULL};
  if (all->dumping && all->running)
    s->lock.window = all->window;
}

/* ---- the class ------------------------------------------------------------------------------- */

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct shadow *s = device;
  if (!s->running)
    begin_running(s);
  make_up(s, now);
  apply(s, in, begin_cycle(s));
  show_links(s, end_cycle(s), show);
}

static bool sleeps(const void *device) {
  const struct shadow *s = device;
  return s->class->sleeps(s->twin);
}

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct shadow *s = device;
  void *in = begin_cycle(s);
  set(s, in, SHADOW_REG_WE, 0, 1);
  set(s, in, SHADOW_REG_ADDR, 0, addr);
  set(s, in, SHADOW_REG_WDATA, 0, data);
  end_cycle(s);
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct shadow *s = device;
  return s->class->waits(s->twin, number, list, max);
}

static const struct loom_fabric_class shadow_class = {
    .name = "shadow", .step = step, .sleeps = sleeps, .write = write_register, .waits = waits};

/* ---- attaching ------------------------------------------------------------------------------- */

static void detach(struct shadow *s) {
  lockstep_close(&s->lock);
  if (s->circuit.library)
    circuit_close(&s->circuit);
  free(s);
}

static void detach_all(struct shadows *all) {
  while (all->first) {
    struct shadow *s = all->first;
    all->first = s->other;
    detach(s);
  }
  all->over = false;
}

/* The circuit has the parameters of the twin. */
static bool fits(const struct shadow *s, const void *cfg, char *why, size_t size) {
  for (size_t i = 0; i < s->dut->param_count; i++) {
    const struct param *p = &s->dut->params[i];
    uint32_t circuit, twin;
    memcpy(&circuit, (const char *)s->circuit.api->cfg + p->offset, sizeof circuit);
    memcpy(&twin, (const char *)cfg + p->offset, sizeof twin);
    if (circuit == twin)
      continue;
    snprintf(why, size, "the circuit of %s has %s=%u, the fabric needs %u; `make shadow` builds it",
             s->dut->name, p->name, (unsigned)circuit, (unsigned)twin);
    return false;
  }
  return true;
}

static bool open_circuit(struct shadow *s, const struct loom_shadow_switch *from, char *why,
                         size_t size) {
  struct reason reason = {""};
  char folder[SHADOW_FOLDER + 16];
  snprintf(folder, sizeof folder, "%s%s/rtl", s->all->folder[0] == '/' ? "" : "./", s->all->folder);
  if (!circuit_load(&s->circuit, folder, s->dut, s->all->config, from->device + 1u, &reason)) {
    snprintf(why, size, "%.300s; `make shadow` builds it", reason.text);
    return false;
  }
  if (!fits(s, from->cfg, why, size))
    return false;
  if (!find_fields(s)) {
    snprintf(why, size, "%s has other ports than a switch", s->dut->name);
    return false;
  }
  if (!lockstep_open(&s->lock, &s->circuit, CHUNK)) {
    snprintf(why, size, "out of memory");
    return false;
  }
  s->circuit.api->reset(s->circuit.handle, s->lock.in);
  return true;
}

static bool take_plant(struct shadow *s, char *why, size_t size) {
  struct reason reason = {""};
  const struct shadows *all = s->all;
  if (strcmp(s->name, all->plant_switch) != 0 ||
      plant_read(&s->plant, all->plant, s->dut, s->circuit.api->cfg, &reason))
    return true;
  snprintf(why, size, "--plant %.99s: %.150s", all->plant, reason.text);
  return false;
}

static bool fill(struct shadow *s, const struct loom_shadow_switch *from, char *why, size_t size) {
  snprintf(s->name, sizeof s->name, "%s", from->name);
  s->fabric = from->fabric;
  s->class = from->class;
  s->twin = loom_fabric_device(from->fabric, from->device);
  s->dut = dut_find(from->class->name);
  snprintf(why, size, "there are no circuits of %s", from->class->name);
  if (!s->dut || !open_circuit(s, from, why, size) || !take_plant(s, why, size))
    return false;
  if (s->all->dumping && !s->all->running)
    s->lock.window = s->all->window;
  return true;
}

static bool attach(void *context, const struct loom_shadow_switch *from, char *why, size_t size) {
  struct shadows *all = context;
  struct shadow **last = &all->first;
  if (all->dumping && strcmp(from->name, all->name) != 0)
    return true;
  while (*last)
    last = &(*last)->other;
  struct shadow *s = *last = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, size, "out of memory");
    return false;
  }
  s->all = all;
  if (!fill(s, from, why, size))
    return false;
  loom_fabric_replace(from->fabric, from->device, &shadow_class, s);
  return true;
}

/* ---- after a run ----------------------------------------------------------------------------- */

static bool stopped(void *context) {
  const struct shadows *all = context;
  return all->over;
}

static bool earlier(const struct shadow *a, const struct shadow *b) {
  if (a->running != b->running)
    return b->running;
  return a->lock.diff.cycle < b->lock.diff.cycle;
}

/* All circuits come to the present cycle; the first that differs, NULL: none. */
static struct shadow *settle(struct shadows *all) {
  struct shadow *first = NULL;
  for (struct shadow *s = all->first; s; s = s->other) {
    if (!s->running)
      begin_running(s);
    make_up(s, loom_fabric_now(s->fabric));
    follow(s);
    if ((s->lock.differs || s->lock.wrong) && (!first || earlier(s, first)))
      first = s;
  }
  return first;
}

static void describe_difference(const struct shadow *s, FILE *f) {
  const struct difference *d = &s->lock.diff;
  difference_print(f, d, &s->stats);
  if (s->running)
    fprintf(f, "  cycle %" PRIu64 " of the fabric is cycle %" PRIu64 " of the switch", d->cycle,
            d->cycle + s->writes);
  else
    fprintf(f, "  this is before the first cycle of the fabric, while registers are written");
  if (d->field->array && d->field->lanes(s->lock.cfg) == s->ports)
    fprintf(f, "; lane %" PRIu32 " is port %" PRIu32, d->lane, d->lane + 1);
  fprintf(f, "\n  waves: gtkwave %s/waves.gtkw (twin.fst), %s/rtl.fst", s->all->waves,
          s->all->waves);
}

/* What is wrong, and what the second run is to dump. */
static void describe(struct shadows *all, const struct shadow *s) {
  uint64_t at = s->lock.differs ? s->lock.diff.cycle : s->next;
  snprintf(all->name, sizeof all->name, "%s", s->name);
  snprintf(all->waves, sizeof all->waves, "%s/waves/%s-%s", all->folder, all->fabric, s->name);
  all->window =
      (struct window){.dir = all->waves, .from = at > BEFORE ? at - BEFORE : 0, .to = at + AFTER};
  all->running = s->running;
  FILE *f = fmemopen(all->text, sizeof all->text, "w");
  if (!f)
    return;
  fprintf(f, "%s (%s): ", s->name, s->dut->name);
  if (s->lock.differs)
    describe_difference(s, f);
  else
    fprintf(f, "%s, near cycle %" PRIu64, s->lock.wrong, at);
  fclose(f);
}

static enum loom_shadow_verdict finish(void *context, uint64_t *compared, char *text, size_t size) {
  struct shadows *all = context;
  enum loom_shadow_verdict verdict = LOOM_SHADOW_SAME;
  const struct shadow *first = settle(all);
  *compared = 0;
  for (const struct shadow *s = all->first; s; s = s->other)
    *compared += s->compared;
  if (all->dumping) {
    verdict = LOOM_SHADOW_DIFFERS;
  } else if (first) {
    describe(all, first);
    verdict = first->lock.differs ? LOOM_SHADOW_AGAIN : LOOM_SHADOW_DIFFERS;
  }
  all->dumping = verdict == LOOM_SHADOW_AGAIN;
  snprintf(text, size, "%s", verdict == LOOM_SHADOW_DIFFERS ? all->text : "");
  detach_all(all);
  return verdict;
}

/* ---- the library ----------------------------------------------------------------------------- */

static bool split_plant(struct shadows *all, const char *plant, char *why, size_t size) {
  const char *colon = plant ? strchr(plant, ':') : NULL;
  if (!plant)
    return true;
  if (!colon || colon == plant || (size_t)(colon - plant) >= sizeof all->plant_switch) {
    snprintf(why, size, "--plant %.60s: need SWITCH:CYCLE:OUTPUT:BIT", plant);
    return false;
  }
  memcpy(all->plant_switch, plant, (size_t)(colon - plant));
  snprintf(all->plant, sizeof all->plant, "%s", colon + 1);
  return true;
}

static void close_shadows(struct loom_shadow *shadow) {
  struct shadows *all = shadow->context;
  if (all)
    detach_all(all);
  free(all);
  memset(shadow, 0, sizeof *shadow);
}

static bool open_shadows(struct loom_shadow *shadow, const struct loom_shadow_cfg *cfg, char *why,
                         size_t size) {
  struct shadows *all = calloc(1, sizeof *all);
  *shadow =
      (struct loom_shadow){.attach = attach, .stopped = stopped, .finish = finish, .context = all};
  snprintf(why, size, "out of memory, or the name of a folder is too long");
  if (all && strlen(cfg->folder) < sizeof all->folder) {
    snprintf(all->folder, sizeof all->folder, "%s", cfg->folder);
    snprintf(all->fabric, sizeof all->fabric, "%s", cfg->fabric);
    snprintf(all->config, sizeof all->config, "%s", cfg->config);
    if (split_plant(all, cfg->plant, why, size))
      return true;
  }
  close_shadows(shadow);
  return false;
}

__attribute__((visibility("default"))) const struct loom_shadow_library loom_shadow_library = {
    .open = open_shadows, .close = close_shadows};
