/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - circuits beside the twins of some switches in the middle of a running fabric */
#define _GNU_SOURCE /* fmemopen */
#include "tb/shadow/shadow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tb/shadow/library.h"

/* As the bench has it: cycles of waves around a difference. */
enum { BEFORE = 200, AFTER = 24 };

extern const struct dut ib_switch_dut, opa_switch_dut, kns_node_dut, kns_switch_dut,
    mport_switch_dut, elite5_router_dut;
const struct dut *const loom_duts[] = {
    &ib_switch_dut,    &opa_switch_dut,    &kns_node_dut, &kns_switch_dut,
    &mport_switch_dut, &elite5_router_dut, NULL};

/* ---- cycles ---------------------------------------------------------------------------------- */

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
    s->own_differ = s->own - n + good;
    for (size_t i = 0; i < n && i <= good; i++)
      s->kind->note(s, from + i, l->in + i * s->dut->in_size);
  }
  if (!lockstep_goes_on(l, s->next) || l->wrong)
    s->all->over = true;
}

void *shadow_begin_cycle(struct shadow *s) {
  void *in = s->lock.in + s->filled * s->dut->in_size;
  memset(in, 0, s->dut->in_size);
  return in;
}

const void *shadow_end_cycle(struct shadow *s) {
  struct lockstep *l = &s->lock;
  const struct dut *d = s->dut;
  char *out = l->twin_out + s->filled * d->out_size;
  d->run(s->twin, l->in + s->filled * d->in_size, out, l->twin_probe + s->filled * d->probe_size,
         1);
  s->filled++;
  s->next++;
  s->own++;
  if (s->filled == lockstep_room(l, s->next - s->filled, s->kind->chunk))
    follow(s);
  return out;
}

void shadow_begin_running(struct shadow *s) {
  struct shadows *all = s->all;
  struct lockstep *l = &s->lock;
  follow(s);
  s->next = 0;
  lockstep_leap(l);
  if (!lockstep_goes_on(l, 0) || l->wrong)
    all->over = true;
  s->running = true;
  s->lock.plant = s->plant;
  s->lock.window = (struct window){.dir = NULL};
  if (all->dumping && all->running)
    s->lock.window = all->window;
}

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
    snprintf(
        why, size,
        "the circuit of %s has %s=%u, the fabric needs %u; `make shadow FABRIC=FILE` builds it",
        s->dut->name, p->name, (unsigned)circuit, (unsigned)twin);
    return false;
  }
  return true;
}

static bool open_circuit(struct shadow *s, const struct shadow_cfg *cfg, char *why, size_t size) {
  struct reason reason = {""};
  char folder[SHADOW_FOLDER + 16];
  snprintf(folder, sizeof folder, "%s%s/rtl", s->all->folder[0] == '/' ? "" : "./", s->all->folder);
  if (!circuit_load(&s->circuit, folder, s->dut, s->all->config, cfg->random, &reason)) {
    snprintf(why, size, "%.300s; `make shadow FABRIC=FILE` builds it", reason.text);
    return false;
  }
  if (!fits(s, cfg->cfg, why, size))
    return false;
  if (!lockstep_open(&s->lock, &s->circuit, s->kind->chunk)) {
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

static bool fill(struct shadow *s, const struct shadow_cfg *cfg, char *why, size_t size) {
  snprintf(s->name, sizeof s->name, "%s", cfg->name);
  s->dut = cfg->dut;
  if (!open_circuit(s, cfg, why, size) || !take_plant(s, why, size))
    return false;
  if (s->all->dumping && !s->all->running)
    s->lock.window = s->all->window;
  return true;
}

bool shadow_add(struct shadows *all, const struct shadow_cfg *cfg, struct shadow **made, char *why,
                size_t size) {
  struct shadow **last = &all->first;
  *made = NULL;
  if (all->dumping && strcmp(cfg->name, all->name) != 0)
    return true;
  while (*last)
    last = &(*last)->other;
  struct shadow *s = *made = *last = calloc(1, cfg->kind->size);
  if (!s) {
    snprintf(why, size, "out of memory");
    return false;
  }
  s->kind = cfg->kind;
  s->all = all;
  return fill(s, cfg, why, size);
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
    s->kind->catch_up(s);
    follow(s);
    if ((s->lock.differs || s->lock.wrong) && (!first || earlier(s, first)))
      first = s;
  }
  return first;
}

/* A bit that was to be flipped is a difference, and there is none; NULL: none was to be. */
static struct shadow *find_missed(struct shadows *all) {
  struct shadow *s = all->first;
  while (s && !s->plant.on)
    s = s->other;
  if (s)
    s->lock.wrong = "the run ended before the planted cycle";
  return s;
}

static void describe_difference(const struct shadow *s, FILE *f) {
  const struct difference *d = &s->lock.diff;
  difference_print(f, d, &s->stats);
  if (s->running)
    fprintf(f, "  cycle %" PRIu64 " of the fabric is cycle %" PRIu64 " of the switch", d->cycle,
            s->own_differ);
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
  if (!first)
    first = find_missed(all);
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
  *shadow = (struct loom_shadow){
      .attach = switch_shadow_attach, .stopped = stopped, .finish = finish, .context = all};
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
