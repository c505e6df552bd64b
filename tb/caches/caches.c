/* SPDX-License-Identifier: Apache-2.0 */
/* caches.c - a whole system against its trace (docs/caches.md; VF-11)
 *
 *     caches FABRIC PROGRAM [--on FABRIC] [--accesses N] [--line BYTES] [--seed N]
 *            [--within CYCLES] [--ties device|cause] [--trace FILE] [--names FILE]
 *
 * Runs the program on the fabric and records what it sends as a trace of VEF3; replays the trace,
 * on another fabric if there is one, where the program runs once more; prints as JSON how far the
 * two are apart. Exit status: 0 done, 1 a run failed, 2 bad input.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tb/caches/machine.h"
#include "vef/vef_replay.h"

enum { BLOCK = 1000 /* receptions over which a throughput is taken */ };

struct options {
  const char *fabric, *program, *on, *trace, *names;
  uint32_t accesses, line, seed, within;
  bool by_device;
};

/* When messages were sent and received, by number. */
struct times {
  uint64_t *sent, *received;
  uint64_t end;
  double seconds;
};

struct comparison {
  uint32_t network;    /* messages that met it */
  double full, replay; /* mean latency, cycles */
  double apart;        /* mean of what a message's two latencies differ by */
  double throughput;   /* mean of what those of blocks differ by, parts */
};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* ---- the trace ------------------------------------------------------------------------------- */

static struct loom_vef_trace *trace_of(const struct log *l) {
  const struct loom_vef_size size = {
      .version = 3, .tasks = DEVICES, .comms = 1, .records = l->count};
  struct loom_vef_trace *t = loom_vef_create(&size);
  if (!t)
    return NULL;
  t->clock = 1000;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct sent *s = &l->message[i];
    bool first = s->cause == NOTHING;
    const struct loom_vef_record record = {
        .dtime = first ? s->posted : s->posted - l->message[s->cause].received,
        .id = i,
        .length = s->bytes,
        .on = first ? LOOM_VEF_NONE : s->cause,
        .origin = i,
        .src = (uint16_t)s->from,
        .dst = (uint16_t)s->to,
        .kind = LOOM_VEF_MESSAGE,
        .dep = first ? LOOM_VEF_AT : LOOM_VEF_RECEIVED,
    };
    loom_vef_append(t, &record);
  }
  loom_vef_set_triggers(t);
  return t;
}

static bool to_file(void *context, const char *text, size_t size) {
  return fwrite(text, 1, size, context) == size;
}

static bool write_trace(const struct loom_vef_trace *t, const char *name) {
  FILE *f = fopen(name, "w");
  bool ok = f && loom_vef_write(t, to_file, f);
  return f && !fclose(f) && ok;
}

static bool write_names(const char *name) {
  static const char *const kind[KINDS] = {"L1Cache", "L2Cache", "Directory"};
  FILE *f = fopen(name, "w");
  if (!f)
    return false;
  fprintf(f, "NODES:%d:%d\n", DEVICES, WITHIN);
  for (unsigned i = 0; i < DEVICES; i++)
    fprintf(f, "%u:%s_%u\n", i, kind[i / TILES], i % TILES);
  return !fclose(f);
}

/* ---- the replay ------------------------------------------------------------------------------ */

static void arrived(void *context, const struct loom_arrival *a) {
  loom_vef_deliver(context, 0, (uint32_t)a->tag);
}

static bool play(struct loom_vef_replay *r, struct loom_sim *sim) {
  struct loom_vef_message m;
  for (; !loom_vef_done(r); loom_vef_tick(r)) {
    while (loom_vef_next(r, &m))
      if (!loom_sim_post(sim, m.src_node, m.dst_node, 0, m.length, m.id))
        return false;
    loom_sim_step(sim);
  }
  return true;
}

static bool replay(const struct loom_setup *setup, const struct options *o,
                   const struct loom_vef_trace *t, struct times *times, struct loom_refusal *why) {
  uint32_t node[DEVICES];
  uint32_t number = 0;
  const struct loom_vef_replay_cfg cfg = {.nodes = TILES, .traces = 1};
  const struct loom_vef_load load = {
      .trace = t, .node = node, .intra = LOOM_VEF_INTRA_LATENCY, .latency = o->within};
  for (uint32_t i = 0; i < DEVICES; i++)
    node[i] = i % TILES;
  double start = seconds();
  struct loom_vef_replay *r = loom_vef_replay_create(&cfg);
  struct loom_sim *sim = r ? loom_sim_create(setup, o->seed, arrived, r, why) : NULL;
  bool ok = sim && loom_vef_add(r, &load, &number) && play(r, sim);
  for (uint32_t i = 0; ok && i < t->count; i++) {
    times->sent[i] = loom_vef_sent_at(r, 0, i);
    times->received[i] = loom_vef_received_at(r, 0, i);
    times->end = times->received[i] > times->end ? times->received[i] : times->end;
  }
  times->seconds = seconds() - start;
  loom_sim_destroy(sim);
  loom_vef_replay_destroy(r);
  return ok;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static bool meets_network(const struct sent *s) { return s->from % TILES != s->to % TILES; }

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The latencies of messages, where the two runs have the same messages. */
static void compare_latencies(const struct log *l, const struct times *t, struct comparison *c) {
  for (uint32_t i = 0; i < l->count; i++) {
    const struct sent *s = &l->message[i];
    if (!meets_network(s))
      continue;
    double full = (double)(s->received - s->posted);
    double again = (double)(t->received[i] - t->sent[i]);
    c->full += full;
    c->replay += again;
    c->apart += fabs(again - full);
  }
}

/* Leaves the receptions over the network in order; how many. */
static uint32_t gather(const struct log *l, const uint64_t *received, uint64_t *sorted) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->count; i++)
    if (meets_network(&l->message[i]))
      sorted[count++] = received ? received[i] : l->message[i].received;
  qsort(sorted, count, sizeof *sorted, by_value);
  return count;
}

/* Throughputs are messages by time, so those of a block differ as the times do. */
static double compare_blocks(const uint64_t *full, const uint64_t *again, uint32_t count) {
  double sum = 0;
  uint32_t blocks = count / BLOCK;
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t last = (b + 1) * BLOCK - 1;
    double x = (double)(full[last] - full[b * BLOCK]);
    double y = (double)(again[last] - again[b * BLOCK]);
    sum += fabs(x / y - 1);
  }
  return blocks ? sum / blocks : 0;
}

static double mean_latency(const struct log *l, uint32_t *count) {
  double sum = 0;
  *count = 0;
  for (uint32_t i = 0; i < l->count; i++)
    if (meets_network(&l->message[i])) {
      sum += (double)(l->message[i].received - l->message[i].posted);
      ++*count;
    }
  return *count ? sum / *count : 0;
}

/* `recorded`: where the trace comes from; `full`: the run that it stands for. */
static bool compare(const struct log *recorded, const struct log *full, const struct times *t,
                    struct comparison *c) {
  uint32_t messages = 0;
  size_t room = (size_t)(recorded->count > full->count ? recorded->count : full->count) + 1;
  uint64_t *a = calloc(room, sizeof *a);
  uint64_t *b = calloc(room, sizeof *b);
  if (a && b) {
    compare_latencies(recorded, t, c);
    uint32_t x = gather(full, NULL, a);
    c->network = gather(recorded, t->received, b);
    c->throughput = compare_blocks(a, b, x < c->network ? x : c->network);
    c->replay /= c->network;
    c->apart /= c->network;
    c->full = mean_latency(full, &messages);
  }
  free(a);
  free(b);
  return a && b;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print(const struct log *recorded, const struct log *full, double full_seconds,
                  const struct times *t, const struct comparison *c, bool same) {
  printf("{\"messages\": %" PRIu32 ", \"network\": %" PRIu32 ", \"full_messages\": %" PRIu32
         ", \"full_cycles\": %" PRIu64 ", \"replay_cycles\": %" PRIu64
         ", \"full_latency\": %.3f, \"replay_latency\": %.3f",
         recorded->count, c->network, full->count, full->end, t->end, c->full, c->replay);
  if (same)
    printf(", \"apart\": %.3f", c->apart);
  printf(", \"throughput\": %.5f, \"full_seconds\": %.3f, \"replay_seconds\": %.3f}\n",
         c->throughput, full_seconds, t->seconds);
}

static bool write_files(const struct options *o, const struct loom_vef_trace *t,
                        struct loom_refusal *why) {
  if ((!o->trace || write_trace(t, o->trace)) && (!o->names || write_names(o->names)))
    return true;
  *why = (struct loom_refusal){2, "cannot write the trace or its names"};
  return false;
}

static bool run_all(const struct options *o, struct loom_setup *const setup[2], struct log log[2],
                    struct loom_refusal *why) {
  struct run run = {setup[0], o->program, o->accesses, o->line, o->seed, o->by_device};
  struct comparison c = {0};
  struct times t = {NULL, NULL, 0, 0};
  double start = seconds();
  const struct log *full = &log[setup[1] ? 1 : 0];
  *why = (struct loom_refusal){1, "out of memory, or a replay that does not end"};
  if (!machine_run(&run, &log[0], why))
    return false;
  run.setup = setup[1];
  if (setup[1]) {
    start = seconds();
    if (!machine_run(&run, &log[1], why))
      return false;
  }
  double full_seconds = seconds() - start;
  struct loom_vef_trace *trace = trace_of(&log[0]);
  t.sent = calloc((size_t)log[0].count + 1, sizeof *t.sent);
  t.received = calloc((size_t)log[0].count + 1, sizeof *t.received);
  bool ok = trace && t.sent && t.received && write_files(o, trace, why) &&
            replay(setup[setup[1] ? 1 : 0], o, trace, &t, why) && compare(&log[0], full, &t, &c);
  if (ok)
    print(&log[0], full, full_seconds, &t, &c, !setup[1]);
  loom_vef_destroy(trace);
  free(t.sent);
  free(t.received);
  return ok;
}

static bool read_number(const char *text, uint32_t *value) {
  char *end = NULL;
  unsigned long n = strtoul(text, &end, 10);
  *value = (uint32_t)n;
  return *text >= '0' && *text <= '9' && !*end && n <= 1000000;
}

static bool read_options(int argc, char **argv, struct options *o) {
  *o = (struct options){argv[1], argv[2], NULL, NULL, NULL, 2000, 64, 1, WITHIN, true};
  for (int i = 3; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    if (!strcmp(argv[i], "--on"))
      o->on = value;
    else if (!strcmp(argv[i], "--trace"))
      o->trace = value;
    else if (!strcmp(argv[i], "--ties") && (!strcmp(value, "device") || !strcmp(value, "cause")))
      o->by_device = *value == 'd';
    else if (!strcmp(argv[i], "--names"))
      o->names = value;
    else if (!(!strcmp(argv[i], "--accesses") ? read_number(value, &o->accesses)
               : !strcmp(argv[i], "--line")   ? read_number(value, &o->line)
               : !strcmp(argv[i], "--seed")   ? read_number(value, &o->seed)
               : !strcmp(argv[i], "--within") ? read_number(value, &o->within)
                                              : false))
      return false;
  }
  return argc % 2 == 1;
}

int main(int argc, char **argv) {
  struct options o;
  struct loom_refusal why = {0, ""};
  struct loom_setup *setup[2] = {NULL, NULL};
  struct log log[2] = {{NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
  if (argc < 3 || !read_options(argc, argv, &o)) {
    fprintf(stderr, "caches: FABRIC PROGRAM [--on FABRIC] [--accesses N] [--line BYTES] [--seed N] "
                    "[--within CYCLES] [--ties device|cause] [--trace FILE] [--names FILE]\n");
    return 2;
  }
  setup[0] = loom_setup_read(o.fabric, NULL, 0, &why);
  if (setup[0] && o.on)
    setup[1] = loom_setup_read(o.on, NULL, 0, &why);
  bool ok = setup[0] && (!o.on || setup[1]) && run_all(&o, setup, log, &why);
  if (!ok)
    fprintf(stderr, "caches: %s\n", why.text);
  loom_setup_free(setup[0]);
  loom_setup_free(setup[1]);
  free(log[0].message);
  free(log[1].message);
  return ok ? 0 : why.status;
}
