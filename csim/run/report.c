/* SPDX-License-Identifier: Apache-2.0 */
#include "run/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include <loom/version.h>

enum { QUANTILES = LOOM_SUMMARY_QUANTILES };

static const char *const quantile_names[QUANTILES] = {"q50", "q90", "q99", "q999"};

const char *const loom_report_metrics[] = {"offered",
                                           "accepted",
                                           "percent",
                                           "share",
                                           "worst",
                                           "total_mean",
                                           "total_q50",
                                           "total_q90",
                                           "total_q99",
                                           "total_q999",
                                           "net_mean",
                                           "net_q50",
                                           "net_q90",
                                           "net_q99",
                                           "net_q999",
                                           "packet_total_mean",
                                           "packet_total_q50",
                                           "packet_total_q90",
                                           "packet_total_q99",
                                           "packet_total_q999",
                                           "packet_net_mean",
                                           "packet_net_q50",
                                           "packet_net_q90",
                                           "packet_net_q99",
                                           "packet_net_q999",
                                           NULL};

const char *const loom_report_settled[LOOM_SETTLE_QUANTITIES] = {
    [LOOM_SETTLE_ACCEPTED] = "accepted", [LOOM_SETTLE_TOTAL] = "total", [LOOM_SETTLE_NET] = "net"};

bool loom_report_make(struct loom_report *r, const struct loom_spec *spec, struct loom_point *point,
                      uint32_t points, const struct loom_provenance *from) {
  *r = (struct loom_report){.spec = spec, .points = points, .point = point, .from = from};
  r->summary = loom_summary_create(spec->classes, points ? point[0].hosts : 0);
  for (uint32_t i = 0; r->summary && i < points; i++)
    loom_summary_add(r->summary, &point[i].result);
  return r->summary != NULL;
}

void loom_report_free(struct loom_report *r) { loom_summary_destroy(r->summary); }

bool loom_report_good(const struct loom_report *r) {
  for (uint32_t i = 0; i < r->points; i++)
    if (!loom_point_good(&r->point[i]))
      return false;
  return true;
}

static const char *name_of(const struct loom_report *r, uint32_t class) {
  return class < r->spec->classes ? r->spec->traffic_class[class].name : "all";
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set(json_t *to, const char *key, uint64_t value) {
  json_object_set_new(to, key, json_integer((json_int_t)value));
}

static json_t *json_of(const struct loom_sample *s) {
  return json_pack("{sfsfsfsfsI}", "mean", s->mean, "interval", loom_sample_half(s), "min", s->min,
                   "max", s->max, "seeds", (json_int_t)s->count);
}

static void set_latency(json_t *to, const char *name, const struct loom_summary_latency *l) {
  char key[32];
  snprintf(key, sizeof key, "%s_mean", name);
  json_object_set_new(to, key, json_of(&l->mean));
  for (unsigned q = 0; q < QUANTILES; q++) {
    snprintf(key, sizeof key, "%s_%s", name, quantile_names[q]);
    json_object_set_new(to, key, json_of(&l->quantile[q]));
  }
  snprintf(key, sizeof key, "%s_max", name);
  set(to, key, l->all.max);
}

/* The share of a class in all that was accepted, in percent. */
static struct loom_sample share_of(const struct loom_report *r, uint32_t class) {
  struct loom_sample s = {.count = 0};
  for (uint32_t i = 0; i < r->points; i++) {
    const struct loom_experiment_result *x = &r->point[i].result;
    uint64_t all = x->complete ? x->metrics[r->spec->classes].flits : 0;
    if (all)
      loom_sample_add(&s, 100.0 * (double)x->metrics[class].flits / (double)all);
  }
  return s;
}

/* The class has trains, or some class. */
static bool has_trains(const struct loom_spec *s, uint32_t class) {
  bool any = false;
  for (uint32_t c = 0; c < s->classes; c++)
    any = any || (s->traffic_class[c].trains && (c == class || class == s->classes));
  return any;
}

static void set_packets(json_t *to, const struct loom_report *r, uint32_t class) {
  const struct loom_summary_class *c = &r->summary->traffic_class[class];
  uint64_t packets = 0;
  for (uint32_t i = 0; i < r->points; i++)
    packets += r->point[i].result.metrics[class].packet_net.count;
  set(to, "packets", packets);
  set_latency(to, "packet_total", &c->packet_total);
  set_latency(to, "packet_net", &c->packet_net);
}

/* Of what could be judged. */
static json_t *json_of_settled(const struct loom_report *r, uint32_t class) {
  json_t *out = json_object();
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    const struct loom_settle_verdict v = loom_summary_settled(r->summary, class, q);
    const struct loom_settle_verdict warmup = loom_summary_warmup(r->summary, class, q);
    if (!v.judged)
      continue;
    json_t *one =
        json_pack("{sbsfsf}", "stationary", v.stationary, "drift", v.drift, "within", v.within);
    if (warmup.judged)
      set(one, "from", warmup.from);
    json_object_set_new(out, loom_report_settled[q], one);
  }
  return out;
}

static void set_real(json_t *to, const char *name, const char *part, const char *unit,
                     double value) {
  char key[40];
  snprintf(key, sizeof key, "%s%s_%s", name, part, unit);
  json_object_set_new(to, key, json_real(value));
}

/* Nanoseconds of a cycle, in which a link carries a flit of 64 bits. */
static double cycle_of(const struct loom_report *r) { return 64 / loom_spec_rate(r->spec); }

static void set_latency_ns(json_t *to, const char *name, const struct loom_summary_latency *l,
                           double cycle) {
  set_real(to, name, "_mean", "ns", l->mean.mean * cycle);
  for (unsigned q = 0; q < QUANTILES; q++) {
    char part[8];
    snprintf(part, sizeof part, "_%s", quantile_names[q]);
    set_real(to, name, part, "ns", l->quantile[q].mean * cycle);
  }
  set_real(to, name, "_max", "ns", (double)l->all.max * cycle);
}

/* The means in units of the world. */
static void set_units(json_t *to, const struct loom_report *r, uint32_t class) {
  const struct loom_summary_class *c = &r->summary->traffic_class[class];
  double rate = loom_spec_rate(r->spec), cycle = cycle_of(r);
  set_real(to, "offered", "", "gbps", c->offered.mean * rate);
  set_real(to, "accepted", "", "gbps", c->accepted.mean * rate);
  set_latency_ns(to, "total", &c->total, cycle);
  set_latency_ns(to, "net", &c->net, cycle);
}

enum { SBT = 1 };

/* The keys of a class in the tables of schedulers. */
static uint32_t keys_of(const struct loom_spec *s, uint32_t class) {
  const struct loom_spec_class *c = &s->traffic_class[class];
  if (loom_parameter_value(&s->parameters, s->kind, "ARB_KEY"))
    return UINT32_C(1) << c->sl;
  uint32_t keys = 0;
  for (uint32_t l = 0; l < c->layers; l++)
    keys |= UINT32_C(1) << c->vl[l];
  return keys;
}

/* What a point of weight of a key lets through: a largest packet with sbt (SC-02), else as much as
 * any other's. */
static uint64_t worth_of(const struct loom_spec *s, uint32_t key) {
  uint32_t flits = 0;
  if (loom_parameter_value(&s->parameters, s->kind, "SCHED") != SBT)
    return 1;
  for (uint32_t c = 0; c < s->classes; c++)
    if (keys_of(s, c) >> key & 1 && s->traffic_class[c].packet > flits)
      flits = s->traffic_class[c].packet;
  return flits;
}

/* What part of a table a class has, percent. */
static void set_table(json_t *to, const char *name, const struct loom_spec *s, uint32_t class,
                      const struct loom_spec_entry *entry, uint32_t count) {
  uint64_t all = 0, own = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t worth = entry[i].weight * worth_of(s, entry[i].key);
    all += worth;
    if (keys_of(s, class) >> entry[i].key & 1)
      own += worth;
  }
  if (all)
    json_object_set_new(to, name, json_real(100.0 * (double)own / (double)all));
}

static json_t *json_of_class(const struct loom_report *r, uint32_t class) {
  const struct loom_summary_class *c = &r->summary->traffic_class[class];
  const struct loom_sample share = share_of(r, class);
  const struct loom_spec_tables *t = &r->spec->tables;
  json_t *out = json_object();
  uint64_t messages = 0;
  for (uint32_t i = 0; i < r->points; i++)
    messages += r->point[i].result.metrics[class].messages;
  json_object_set_new(out, "name", json_string(name_of(r, class)));
  set(out, "messages", messages);
  json_object_set_new(out, "offered", json_of(&c->offered));
  json_object_set_new(out, "accepted", json_of(&c->accepted));
  json_object_set_new(out, "percent", json_of(&c->percent));
  json_object_set_new(out, "share", json_of(&share));
  if (class < r->spec->classes && t->high_count) {
    set_table(out, "table", r->spec, class, t->high, t->high_count);
    set_table(out, "table_low", r->spec, class, t->low, t->low_count);
  }
  json_object_set_new(out, "worst", json_of(&c->worst));
  set_latency(out, "total", &c->total);
  set_latency(out, "net", &c->net);
  if (has_trains(r->spec, class))
    set_packets(out, r, class);
  set_units(out, r, class);
  json_object_set_new(out, "settled", json_of_settled(r, class));
  return out;
}

/* The lines of a text, without the blanks that they begin with. */
static json_t *json_of_lines(const char *text) {
  json_t *lines = json_array();
  for (const char *at = text + strspn(text, " \n"); *at; at += strspn(at, " \n")) {
    size_t length = strcspn(at, "\n");
    json_array_append_new(lines, json_stringn(at, length));
    at += length;
  }
  return lines;
}

/* How far each trace came, in the order of the file. */
static json_t *json_of_traces(const struct loom_point *p) {
  json_t *out = json_array();
  for (uint32_t i = 0; i < p->traces; i++) {
    json_t *trace = json_object();
    set(trace, "messages", p->trace[i].messages);
    set(trace, "received", p->trace[i].received);
    json_object_set_new(trace, "finished", json_boolean(p->trace[i].finished));
    json_array_append_new(out, trace);
  }
  return out;
}

static json_t *json_of_run(const struct loom_point *p) {
  const struct loom_experiment_result *x = &p->result;
  json_t *out = json_object();
  set(out, "seed", p->seed);
  json_object_set_new(out, "outcome", json_string(loom_point_outcome(p)));
  set(out, "cycles", x->cycles);
  set(out, "measured", x->measured);
  set(out, "posted", x->posted);
  set(out, "received", x->received);
  set(out, "lost", loom_point_lost(p));
  set(out, "under_way", loom_point_under_way(p));
  set(out, "damaged", x->damaged);
  set(out, "dropped", p->counts.dropped);
  set(out, "stray", p->counts.stray);
  set(out, "spoilt_flits", p->counts.spoilt);
  set(out, "flit_hops", p->counts.flit_hops);
  set(out, "nacks", p->counts.nacks);
  set(out, "grants", p->counts.grants);
  set(out, "contended", p->counts.contended);
  if (p->counts.compared)
    set(out, "compared", p->counts.compared);
  set(out, "replayed", x->replayed);
  if (p->waits)
    json_object_set_new(out, "waits", json_of_lines(p->waits));
  if (p->traces)
    json_object_set_new(out, "traces", json_of_traces(p));
  return out;
}

/* The outcome that is worst among the runs. */
static const char *outcome_of(const struct loom_report *r) {
  const struct loom_point *worst = &r->point[0];
  for (uint32_t i = 1; i < r->points; i++)
    if (loom_point_rank(&r->point[i]) > loom_point_rank(worst))
      worst = &r->point[i];
  return loom_point_outcome(worst);
}

/* Runs with a trace that was not done. */
static uint32_t unfinished(const struct loom_report *r) {
  uint32_t runs = 0;
  for (uint32_t i = 0; i < r->points; i++)
    runs += loom_point_unfinished(&r->point[i]);
  return runs;
}

static void set_sums(json_t *out) {
  static const char *const keys[] = {"posted",  "received", "lost",      "under_way",
                                     "damaged", "dropped",  "stray",     "flit_hops",
                                     "cycles",  "grants",   "contended", NULL};
  const json_t *runs = json_object_get(out, "runs");
  for (unsigned k = 0; keys[k]; k++) {
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(runs); i++)
      sum += (uint64_t)json_integer_value(json_object_get(json_array_get(runs, i), keys[k]));
    set(out, keys[k], sum);
  }
}

static void add_event(json_t *events, uint64_t cycle, const char *what, const char *where) {
  json_array_append_new(
      events, json_pack("{sIssss}", "cycle", (json_int_t)cycle, "what", what, "where", where));
}

static void add_fault(json_t *events, uint64_t cycle, const char *what,
                      const struct loom_spec_fault *f) {
  char where[LOOM_TOPO_NAME + 12];
  snprintf(where, sizeof where, f->port ? "%s/%u" : "%s", f->device, (unsigned)f->port);
  add_event(events, cycle, what, where);
}

/* Faults, and what management does about those that it can cure, in order of their cycles. */
static json_t *json_of_faults(const struct loom_spec *s) {
  json_t *events = json_array();
  uint32_t cures = 0;
  for (uint32_t i = 0; i <= s->faults; i++) {
    const struct loom_spec_fault *cured = &s->fault[cures];
    for (; cures < i && (i == s->faults || cured->at + s->cure_delay < s->fault[i].at);
         cured = &s->fault[++cures])
      if (s->cure != LOOM_CURE_NONE && cured->kind != LOOM_FAULT_ERRORS)
        add_fault(events, cured->at + s->cure_delay, loom_cure_names[s->cure], cured);
    if (i < s->faults)
      add_fault(events, s->fault[i].at, loom_fault_names[s->fault[i].kind], &s->fault[i]);
  }
  return events;
}

static json_t *json_of_events(const struct loom_report *r) {
  json_t *events = json_array();
  for (uint32_t i = 0; i < r->events; i++)
    add_event(events, r->event[i].cycle, r->event[i].what, r->event[i].where);
  return events;
}

static void set_provenance(json_t *out, const struct loom_report *r) {
  char hash[20];
  json_object_set_new(out, "loom", json_string(LOOM_VERSION));
  json_object_set_new(out, "revision", json_string(loom_revision()));
  if (!r->from)
    return;
  snprintf(hash, sizeof hash, "%016" PRIx64, r->from->configuration);
  json_object_set_new(out, "configuration", json_string(hash));
  if (r->from->command)
    json_object_set_new(out, "command", json_string(r->from->command));
}

/* Collectives that were over in all runs, and conditionals of their roots. */
struct collective_counts {
  uint64_t over, polls;
};

static struct collective_counts count_collective(const struct loom_report *r, uint32_t number) {
  struct collective_counts c = {0, 0};
  for (uint32_t i = 0; i < r->points; i++) {
    c.over += r->point[i].counts.collective[number].over;
    c.polls += r->point[i].counts.collective[number].polls;
  }
  return c;
}

static json_t *json_of_collectives(const struct loom_report *r) {
  json_t *out = json_array();
  for (uint32_t i = 0; i < r->spec->collectives; i++) {
    const struct loom_spec_collective *c = &r->spec->collective[i];
    struct collective_counts counts = count_collective(r, i);
    json_t *one = json_pack("{ssss*ss}", "kind", loom_spec_kind_names[c->kind], "algorithm",
                            c->algorithm, "class", r->spec->traffic_class[c->traffic_class].name);
    set(one, "over", counts.over);
    set(one, "polls", counts.polls);
    json_array_append_new(out, one);
  }
  return out;
}

json_t *loom_report_json(const struct loom_report *r) {
  json_t *out = json_object();
  json_t *runs = json_array(), *classes = json_array();
  const struct loom_point *first = &r->point[0];
  json_object_set_new(out, "name", json_string(r->spec->name));
  set_provenance(out, r);
  json_object_set_new(out, "kind", json_string(loom_device_names[r->spec->kind]));
  set(out, "hosts", first->hosts);
  set(out, "switches", first->switches);
  set(out, "seeds", r->points);
  set_real(out, "link", "", "gbps", loom_spec_rate(r->spec));
  set_real(out, "cycle", "", "ns", cycle_of(r));
  json_object_set_new(out, "outcome", json_string(outcome_of(r)));
  for (uint32_t i = 0; i < r->points; i++)
    json_array_append_new(runs, json_of_run(&r->point[i]));
  for (uint32_t c = 0; c < r->spec->classes; c++)
    json_array_append_new(classes, json_of_class(r, c));
  json_object_set_new(out, "runs", runs);
  set_sums(out);
  json_object_set_new(out, "classes", classes);
  json_object_set_new(out, "all", json_of_class(r, r->spec->classes));
  if (r->spec->collectives)
    json_object_set_new(out, "collectives", json_of_collectives(r));
  if (r->spec->faults || r->events)
    json_object_set_new(out, "events",
                        r->spec->faults ? json_of_faults(r->spec) : json_of_events(r));
  if (r->spec->traces)
    set(out, "unfinished", unfinished(r));
  if (r->summary->replayed.count)
    json_object_set_new(out, "replayed", json_of(&r->summary->replayed));
  return out;
}

/* ---- tables for programs --------------------------------------------------------------------- */

void loom_report_series(const struct loom_report *r, FILE *out) {
  fputs(LOOM_REPORT_SERIES, out);
  for (uint32_t i = 0; i < r->points; i++)
    for (uint64_t k = 0; k < r->point[i].result.rows; k++) {
      const struct loom_series_row *row = &r->point[i].result.row[k];
      double messages = row->messages ? (double)row->messages : 1;
      fprintf(out, "%" PRIu64 ",%" PRIu64 ",", r->point[i].seed, row->cycle);
      loom_csv_text(out, r->spec->traffic_class[row->traffic_class].name);
      fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.2f,%.2f\n", row->offered, row->flits,
              row->messages, (double)row->total_sum / messages, (double)row->net_sum / messages);
    }
}

static void print_bins(const char *name, const char *what, const struct loom_latency *l,
                       FILE *out) {
  for (uint32_t b = 0; b < LOOM_HISTOGRAM; b++) {
    if (!l->bin[b])
      continue;
    loom_csv_text(out, name);
    fprintf(out, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", what,
            b ? loom_latency_bin_end(b - 1) + 1 : 0, loom_latency_bin_end(b), l->bin[b]);
  }
}

void loom_report_latency(const struct loom_report *r, FILE *out) {
  fputs("class,latency,from,to,messages\n", out);
  for (uint32_t c = 0; c <= r->spec->classes; c++) {
    const char *name = name_of(r, c);
    print_bins(name, "total", &r->summary->traffic_class[c].total.all, out);
    print_bins(name, "net", &r->summary->traffic_class[c].net.all, out);
    print_bins(name, "packet_total", &r->summary->traffic_class[c].packet_total.all, out);
    print_bins(name, "packet_net", &r->summary->traffic_class[c].packet_net.all, out);
  }
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_class(const struct loom_report *r, uint32_t class, FILE *out) {
  const struct loom_summary_class *c = &r->summary->traffic_class[class];
  const struct loom_sample share = share_of(r, class);
  fprintf(out, "%-15s %8.4f %8.4f", name_of(r, class), c->offered.mean, c->accepted.mean);
  if (r->points > 1)
    fprintf(out, " %7.4f", loom_sample_half(&c->accepted));
  fprintf(out, " %7.2f %10.1f", share.mean, c->total.mean.mean);
  if (r->points > 1)
    fprintf(out, " %8.1f", loom_sample_half(&c->total.mean));
  fprintf(out, " %10.0f %10.1f %10.0f\n", c->total.quantile[2].mean, c->net.mean.mean,
          c->net.quantile[2].mean);
}

/* The same in units of the world, under its own head. */
static void print_units(const struct loom_report *r, FILE *out) {
  double rate = loom_spec_rate(r->spec), cycle = cycle_of(r);
  char head[40];
  snprintf(head, sizeof head, "at %.4g Gb/s", rate);
  fprintf(out, "%-15s %8s %8s%s %7s %10s%s %10s %10s %10s\n", head, "Gb/s", "Gb/s",
          r->points > 1 ? "        " : "", "", "ns", r->points > 1 ? "         " : "", "ns", "ns",
          "ns");
  for (uint32_t k = 0; k <= r->spec->classes; k++) {
    const struct loom_summary_class *c = &r->summary->traffic_class[k];
    fprintf(out, "%-15s %8.3f %8.3f%s %7s %10.1f%s %10.1f %10.1f %10.1f\n", name_of(r, k),
            c->offered.mean * rate, c->accepted.mean * rate, r->points > 1 ? "        " : "", "",
            c->total.mean.mean * cycle, r->points > 1 ? "         " : "",
            c->total.quantile[2].mean * cycle, c->net.mean.mean * cycle,
            c->net.quantile[2].mean * cycle);
  }
}

/* More than one VL has packets, and it stands in tables which of them goes. */
static bool has_tables(const struct loom_spec *s) {
  uint32_t vls = 0;
  for (uint32_t c = 0; c < s->classes; c++)
    for (uint32_t k = 0; k < s->traffic_class[c].layers; k++)
      vls |= 1u << s->traffic_class[c].vl[k];
  return !loom_device_is_elite5(s->kind) && (vls & (vls - 1)) != 0 &&
         loom_parameter_value(&s->parameters, s->kind, "SCHED") != 0;
}

/* Tables without a say. */
static void print_undecided(const struct loom_report *r, FILE *out) {
  uint64_t grants = 0, contended = 0;
  for (uint32_t i = 0; i < r->points; i++) {
    grants += r->point[i].counts.grants;
    contended += r->point[i].counts.contended;
  }
  if (!contended && grants && has_tables(r->spec))
    fprintf(out,
            "tables decided 0 of %" PRIu64
            " grants: no output of a switch ever had packets of two VLs that could go\n",
            grants);
}

/* Of packets, where messages are trains of them. */
static void print_packets(const struct loom_report *r, uint32_t class, FILE *out) {
  const struct loom_summary_class *c = &r->summary->traffic_class[class];
  if (!has_trains(r->spec, class))
    return;
  fprintf(out, "packets of %s: latency %.1f, 99 %% %.0f, network %.1f, 99 %% %.0f\n",
          name_of(r, class), c->packet_total.mean.mean, c->packet_total.quantile[2].mean,
          c->packet_net.mean.mean, c->packet_net.quantile[2].mean);
}

/* What was still changing while it was measured. */
static void print_unsettled(const struct loom_report *r, FILE *out) {
  static const char *const names[LOOM_SETTLE_QUANTITIES] = {"accepted load", "latency", "network"};
  const char *before = "not stationary: ";
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    const char *between = "";
    for (uint32_t c = 0; c <= r->spec->classes; c++) {
      const struct loom_settle_verdict v = loom_summary_settled(r->summary, c, q);
      if (!v.judged || v.stationary)
        continue;
      fprintf(out, "%s%s", between[0] ? between : before, between[0] ? "" : names[q]);
      fprintf(out, " %s %+.1f %%", name_of(r, c), 100 * v.drift);
      between = ",";
      before = "; ";
    }
  }
  if (before[0] == ';')
    fputc('\n', out);
}

/* How long it took to be as exact as was asked. */
static void print_measured(const struct loom_report *r, FILE *out) {
  const struct loom_spec_run *run = &r->spec->run;
  uint64_t least = UINT64_MAX, most = 0;
  uint32_t short_of = 0;
  for (uint32_t i = 0; i < r->points; i++) {
    uint64_t measured = r->point[i].result.measured;
    least = measured < least ? measured : least;
    most = measured > most ? measured : most;
    short_of += measured >= run->limit;
  }
  if (!run->precision)
    return;
  fprintf(out, "measured for %" PRIu64, least);
  if (most > least)
    fprintf(out, " to %" PRIu64, most);
  fputs(" cycles", out);
  if (short_of)
    fprintf(out, "; %" PRIu32 " of %" PRIu32 " seeds came to run.limit", short_of, r->points);
  fputc('\n', out);
}

/* Of circuits beside twins. */
static void print_compared(const struct loom_report *r, FILE *out) {
  uint64_t compared = 0;
  for (uint32_t i = 0; i < r->points; i++)
    compared += r->point[i].counts.compared;
  if (r->spec->shadows)
    fprintf(out, "%" PRIu32 " circuits beside their twins: %" PRIu64 " cycles, 0 differences\n",
            r->spec->shadows, compared);
}

/* What is not as it is in a run where nothing happens to a message. */
static void print_counts(const struct loom_report *r, FILE *out) {
  static const char *const names[] = {"messages lost", "messages under way", "messages damaged",
                                      "flits spoilt",  "packets dropped",    "packets stray",
                                      "nacks"};
  enum { COUNTS = sizeof names / sizeof names[0] };
  uint64_t sum[COUNTS] = {0};
  const char *before = "counted: ";
  for (uint32_t i = 0; i < r->points; i++) {
    const struct loom_point *p = &r->point[i];
    const struct loom_built_counts *c = &p->counts;
    const uint64_t add[COUNTS] = {loom_point_lost(p),
                                  loom_point_under_way(p),
                                  p->result.damaged,
                                  c->spoilt,
                                  c->dropped,
                                  c->stray,
                                  c->nacks};
    for (unsigned k = 0; k < COUNTS; k++)
      sum[k] += add[k];
  }
  for (unsigned k = 0; k < COUNTS; k++)
    if (sum[k]) {
      fprintf(out, "%s%" PRIu64 " %s", before, sum[k], names[k]);
      before = ", ";
    }
  if (before[0] == ',')
    fputc('\n', out);
}

static void print_collectives(const struct loom_report *r, FILE *out) {
  for (uint32_t i = 0; i < r->spec->collectives; i++) {
    const struct loom_spec_collective *c = &r->spec->collective[i];
    struct collective_counts counts = count_collective(r, i);
    fprintf(out, "%s%s%s of %s: %" PRIu64 " over", loom_spec_kind_names[c->kind],
            c->algorithm ? " by " : "", c->algorithm ? c->algorithm : "",
            r->spec->traffic_class[c->traffic_class].name, counts.over);
    if (counts.polls)
      fprintf(out, ", %" PRIu64 " conditionals", counts.polls);
    fputc('\n', out);
  }
}

/* A trace that was not done in some run, all runs together. */
static void print_trace(const struct loom_report *r, uint32_t trace, FILE *out) {
  uint64_t messages = 0, received = 0;
  uint32_t runs = 0;
  const char *file = r->spec->trace[trace].file, *slash = strrchr(file, '/');
  for (uint32_t i = 0; i < r->points; i++) {
    const struct loom_vef_progress *p = &r->point[i].trace[trace];
    messages += p->messages;
    received += p->received;
    runs += !p->finished;
  }
  if (!runs)
    return;
  fprintf(out, "trace %s: %" PRIu64 " of %" PRIu64 " messages, not finished",
          slash ? slash + 1 : file, received, messages);
  if (r->points > 1)
    fprintf(out, " in %" PRIu32 " of %" PRIu32 " seeds", runs, r->points);
  fputc('\n', out);
}

/* The mean is of the runs whose traces were done. */
static void print_replayed(const struct loom_report *r, FILE *out) {
  const struct loom_sample *done = &r->summary->replayed;
  if (done->count) {
    fprintf(out, "traces done in cycle %.1f +/- %.1f", done->mean, loom_sample_half(done));
    if (done->count < r->points)
      fprintf(out, ", in %" PRIu32 " of %" PRIu32 " seeds", done->count, r->points);
    fputc('\n', out);
  }
  for (uint32_t t = 0; t < r->spec->traces; t++)
    print_trace(r, t, out);
}

void loom_report_table(const struct loom_report *r, FILE *out) {
  uint64_t received = 0, hops = 0;
  for (uint32_t i = 0; i < r->points; i++) {
    received += r->point[i].result.received;
    hops += r->point[i].counts.flit_hops;
  }
  fprintf(out,
          "%s: %" PRIu32 " hosts, %" PRIu32 " switches, %" PRIu32 " seed%s, %s; %" PRIu64
          " messages, %" PRIu64 " flit-hops\n",
          r->spec->name, r->point[0].hosts, r->point[0].switches, r->points,
          r->points == 1 ? "" : "s", outcome_of(r), received, hops);
  fprintf(out, "%-15s %8s %8s%s %7s %10s%s %10s %10s %10s\n", "class", "offered", "accepted",
          r->points > 1 ? "     +/-" : "", "share %", "latency", r->points > 1 ? "      +/-" : "",
          "99 %", "network", "99 %");
  for (uint32_t c = 0; c <= r->spec->classes; c++)
    print_class(r, c, out);
  for (uint32_t c = 0; c <= r->spec->classes; c++)
    print_packets(r, c, out);
  print_units(r, out);
  print_undecided(r, out);
  print_measured(r, out);
  print_unsettled(r, out);
  print_collectives(r, out);
  print_counts(r, out);
  print_compared(r, out);
  print_replayed(r, out);
}

static void print_lost(const struct loom_point *p, FILE *out) {
  fprintf(out, "%" PRIu64 " of %" PRIu64 " messages lost, %" PRIu64 " packets dropped\n%s",
          loom_point_lost(p), p->result.posted, p->counts.dropped, p->waits ? p->waits : "");
}

/* What is wrong with a run that came to its end. */
static void print_ended(const struct loom_report *r, const struct loom_point *p, FILE *out) {
  if (p->cut)
    fprintf(out, "the traces were not finished when `measure` ended, %" PRIu64 " cycles%s",
            p->result.measured, loom_point_lost(p) || p->counts.dropped ? "; " : "\n");
  if (!p->cut && p->result.outcome == LOOM_OUTCOME_BUSY)
    fprintf(out, "%" PRIu64 " messages still under way after %" PRIu64 " cycles of drain\n",
            loom_point_under_way(p), r->spec->run.drain);
  else if (!p->cut || loom_point_lost(p) || p->counts.dropped)
    print_lost(p, out);
}

static void print_fault(const struct loom_report *r, const struct loom_point *p,
                        const char *command, FILE *out) {
  const struct loom_experiment_result *x = &p->result;
  fprintf(out, "%s: %s: seed %" PRIu64 ": ", command, r->spec->name, p->seed);
  if (x->outcome <= LOOM_OUTCOME_BUSY)
    print_ended(r, p, out);
  else
    fprintf(out,
            "stuck in cycle %" PRIu64 ", %" PRIu64 " messages under way, %" PRIu64
            " packets dropped\n%s",
            x->cycles, loom_point_under_way(p), p->counts.dropped, p->waits ? p->waits : "");
}

void loom_report_faults(const struct loom_report *r, const char *command, FILE *out) {
  for (uint32_t i = 0; i < r->points; i++)
    if (!loom_point_good(&r->point[i]))
      print_fault(r, &r->point[i], command, out);
}
