/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep.c - runs the circuit through a chunk and compares it with the twin */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tb/cosim/lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tb/cosim/waves.h"

double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *room(size_t chunk, size_t size) { return calloc(chunk, size ? size : 1); }

bool lockstep_open(struct lockstep *l, const struct circuit *c, size_t chunk) {
  const struct dut *d = c->dut;
  *l = (struct lockstep){.c = c, .dut = d, .cfg = c->api->cfg, .chunk = chunk};
  l->in = room(chunk, d->in_size);
  l->twin_out = room(chunk, d->out_size);
  l->circuit_out = room(chunk, d->out_size);
  l->twin_probe = room(chunk, d->probe_size);
  l->circuit_probe = room(chunk, d->probe_size);
  if (l->in && l->twin_out && l->circuit_out && l->twin_probe && l->circuit_probe)
    return true;
  lockstep_close(l);
  return false;
}

static void end_waves(struct lockstep *l) {
  if (l->waves)
    waves_close(l->waves, l->c);
  l->waves = NULL;
}

void lockstep_close(struct lockstep *l) {
  char *all[] = {l->in, l->twin_out, l->circuit_out, l->twin_probe, l->circuit_probe};
  end_waves(l);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  l->in = l->twin_out = l->circuit_out = l->twin_probe = l->circuit_probe = NULL;
}

size_t lockstep_room(const struct lockstep *l, uint64_t cycle, uint64_t n) {
  const struct window *w = &l->window;
  if (w->dir && cycle < w->from && n > w->from - cycle)
    n = w->from - cycle;
  if (w->dir && cycle >= w->from && cycle < w->to && n > w->to - cycle)
    n = w->to - cycle;
  return n < l->chunk ? (size_t)n : l->chunk;
}

/* How many of the cycles were run: all, or those before the one in which an assertion failed. */
static size_t run_circuit(struct lockstep *l, size_t n) {
  if (!l->c->handle) {
    memcpy(l->circuit_out, l->twin_out, n * l->dut->out_size);
    memcpy(l->circuit_probe, l->twin_probe, n * l->dut->probe_size);
    return n;
  }
  double t = cpu_seconds();
  size_t done = l->c->api->run(l->c->handle, l->in, l->circuit_out, l->circuit_probe, n);
  if (!l->waves) {
    l->seconds += cpu_seconds() - t;
    l->cycles += done;
  }
  if (done < n)
    l->wrong = "an assertion of the circuit failed";
  return done;
}

static void flip(struct lockstep *l, uint64_t cycle, size_t n) {
  const struct plant *p = &l->plant;
  if (p->on && p->cycle >= cycle && p->cycle < cycle + n)
    plant_flip(p, l->cfg, l->circuit_out + (p->cycle - cycle) * l->dut->out_size);
}

/* The first cycle of the chunk in which the two differ, n if none. */
static size_t compare(struct lockstep *l, uint64_t cycle, size_t n, size_t first) {
  const struct dut *d = l->dut;
  if (memcmp(l->circuit_out + first * d->out_size, l->twin_out + first * d->out_size,
             (n - first) * d->out_size) == 0 &&
      memcmp(l->circuit_probe + first * d->probe_size, l->twin_probe + first * d->probe_size,
             (n - first) * d->probe_size) == 0)
    return n;
  for (size_t i = first; i < n; i++) {
    if (field_differs(d, l->cfg, FIELD_OUT, l->circuit_out + i * d->out_size,
                      l->twin_out + i * d->out_size, &l->diff) ||
        field_differs(d, l->cfg, FIELD_PROBE, l->circuit_probe + i * d->probe_size,
                      l->twin_probe + i * d->probe_size, &l->diff)) {
      l->differs = true;
      l->diff.cycle = cycle + i;
      return i;
    }
  }
  l->wrong = "the twin writes outside the fields of its list";
  return n;
}

static void dump(struct lockstep *l, uint64_t cycle, size_t n) {
  const struct dut *d = l->dut;
  for (size_t i = 0; i < n; i++)
    waves_cycle(l->waves, cycle + i, l->in + i * d->in_size, l->circuit_out + i * d->out_size,
                l->twin_out + i * d->out_size, l->circuit_probe + i * d->probe_size,
                l->twin_probe + i * d->probe_size);
}

size_t lockstep_follow(struct lockstep *l, uint64_t cycle, size_t n, size_t blind) {
  const struct window *w = &l->window;
  if (w->dir && !l->waves && cycle >= w->from && cycle < w->to)
    l->waves = waves_open(l->c, w->dir, cycle);
  n = run_circuit(l, n);
  flip(l, cycle, n);
  size_t good = l->differs ? n : compare(l, cycle, n, blind < n ? blind : n);
  if (l->waves)
    dump(l, cycle, n);
  return good;
}

void lockstep_leap(struct lockstep *l) { end_waves(l); }

bool lockstep_goes_on(struct lockstep *l, uint64_t cycle) {
  if (l->waves && cycle >= l->window.to)
    end_waves(l);
  return !l->differs || l->waves;
}

void difference_print(FILE *f, const struct difference *d, const struct stats *stats) {
  static const char *const kind[] = {"input", "output", "probe"};
  static const char *const suffix[] = {"_i", "_o", "_q"};
  fprintf(f, "first difference in cycle %" PRIu64 ", %s %s%s", d->cycle, kind[d->field->dir],
          d->field->name, suffix[d->field->dir]);
  if (d->field->array)
    fprintf(f, " lane %" PRIu32, d->lane);
  fprintf(f, ": circuit 0x%" PRIx64 ", twin 0x%" PRIx64 "\n", d->circuit, d->twin);
  uint64_t n = stats->seen < HISTORY ? stats->seen : HISTORY;
  for (uint64_t i = stats->seen - n; i < stats->seen; i++) {
    const struct packet_note *p = &stats->last[i % HISTORY];
    fprintf(f, "  packet before it: cycle %" PRIu64 " port %u vl %u dest %u length %u id %u\n",
            p->cycle, p->port, p->vl, p->dest, p->length, p->id);
  }
}
