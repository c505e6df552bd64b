/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_vlarb_solve.c - loom vlarb solve: tables from wishes (docs/vlarb.md) */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_vlarb.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "io/output.h"
#include "io/save.h"
#include "io/write_wishes.h"
#include "qos/vlarb_conflict.h"

enum {
  OUTPUTS = 2,
  OPENSM_ENTRIES = 32,      /* what OpenSM writes of a table into a port that has 64 */
  FIXTURE_TOLERANCE = 1000, /* parts per million */
};

enum { OPT_JSON = 256 };

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *output[OUTPUTS];
  uint32_t outputs;
  bool json;
};

static const struct argp_option option_list[] = {
    {"output", 'o', "FILE", 0,
     "Write .conf (opensm.conf) or .yaml (a scheduler fixture); may be given twice", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] =
    "Makes InfiniBand's High and Low tables and their limit from what VLs ask for, and says "
    "exactly "
    "what these tables do."
    "\v"
    "WISHES is YAML:\n"
    "  mtu: 2048            # bytes of all packets, default 4096\n"
    "  high: 64             # entries that the tables have, default 64\n"
    "  low: 64\n"
    "  limit: 4             # LimitOfHighPriority; without it one is chosen\n"
    "  tolerance: 0.5       # points of share, default 0.5\n"
    "  vls:\n"
    "    - {vl: 0, share: 30, gap: 8192, name: control, sls: [0, 1]}\n"
    "    - {vl: 1, share: 60, distance: 4, table: high}\n"
    "    - {vl: 2, share: 10}\n"
    "\n"
    "share: percent of a link on which all VLs have packets. gap: the most bytes of other VLs "
    "between "
    "two packets of the VL. distance: the most selections from one of the VL to its next. table: "
    "high, "
    "low or either (default).\n"
    "\n"
    "Weights are rounded up to whole packets, as InfiniBand has it. The shares, gaps and distances "
    "that "
    "are printed are those of a whole period of the tables. If the wishes cannot be met, the exit "
    "status "
    "is 1, no file is written, and the nearest tables are printed: those that keep gaps and "
    "distances, "
    "and those that keep the shares.\n"
    "\n"
    "JSON: {met, conflict, solved, waits_kept, shares_kept}, each of the last three {limit, high, "
    "low, "
    "error, rounds, packets, low_turns, vl} or null; docs/vlarb.md explains them.";

/* ---- options --------------------------------------------------------------------------------- */

static const char *suffix_of(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot : "";
}

static bool add_output(struct options *o, const char *arg) {
  if (o->outputs == OUTPUTS)
    return loom_refuse(o->io, o->command, "--output", "more than 2 files") == 0;
  if (strcmp(suffix_of(arg), ".conf") != 0 && strcmp(suffix_of(arg), ".yaml") != 0)
    return loom_refuse(o->io, o->command, "--output", "`%.80s` ends in none of .conf, .yaml",
                       arg) == 0;
  o->output[o->outputs++] = arg;
  return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    ok = add_output(o, arg);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
  case ARGP_KEY_END:
    ok = loom_option_file(o->io, o->command, key == ARGP_KEY_ARG ? arg : NULL, &o->file);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_list(FILE *out, const char *name, const struct loom_vlarb_entry *entry,
                       uint32_t count) {
  enum { IN_LINE = 12 };
  if (count)
    fprintf(out, "%s\n", name);
  for (uint32_t e = 0; e < count; e++)
    fprintf(out, "%s%u:%u%s", e % IN_LINE ? " " : "  ", (unsigned)entry[e].vl,
            (unsigned)entry[e].weight, e % IN_LINE == IN_LINE - 1 || e + 1 == count ? "\n" : "");
}

static uint32_t entries_of(const struct loom_vlarb_entry *entry, uint32_t count, unsigned vl) {
  uint32_t found = 0;
  for (uint32_t e = 0; e < count; e++)
    found += entry[e].vl == vl;
  return found;
}

/* In bytes. */
static uint64_t gap_of(const struct loom_wishes *w, const struct loom_wish_answer *a, unsigned vl) {
  return a->certificate.vl[vl].gap * w->wish.packet_bytes;
}

/* What is asked for, then what there is; a `*` stands behind what is not as asked for. */
static void print_wait(FILE *out, uint32_t asked, uint64_t found) {
  char text[16] = "-";
  if (asked != LOOM_WISH_ANY)
    snprintf(text, sizeof text, "%" PRIu32, asked);
  fprintf(out, "  %10s  %9" PRIu64 "%c", text, found, found > asked ? '*' : ' ');
}

static void print_vl(struct loom_output *output, const struct loom_wishes *w,
                     const struct loom_wish_answer *a, uint32_t i) {
  const struct loom_wish_vl *v = &w->wish.vl[i];
  const struct loom_wish_tables *t = &a->tables;
  uint32_t high = entries_of(t->high, t->high_count, v->vl);
  uint32_t share = loom_vlarb_certified_share(&a->certificate, v->vl);
  uint32_t off = share > v->share ? share - v->share : v->share - share;
  fprintf(output->file, "%2u  %-*s  %-5s  %7" PRIu32 "  ", (unsigned)v->vl, LOOM_WISH_NAME,
          w->name[i], high ? "high" : "low", high ? high : entries_of(t->low, t->low_count, v->vl));
  loom_output_fixed(output, 8, v->share, 4);
  fputs("  ", output->file);
  loom_output_fixed(output, 8, share, 4);
  fputc(off > w->wish.tolerance ? '*' : ' ', output->file);
  print_wait(output->file, v->gap, gap_of(w, a, v->vl));
  print_wait(output->file, v->distance, a->certificate.vl[v->vl].distance);
  fputc('\n', output->file);
}

static void print_answer(struct loom_output *output, const struct loom_wishes *w,
                         const struct loom_wish_answer *a) {
  FILE *out = output->file;
  fprintf(out,
          "packets of %" PRIu32 " bytes, limit %" PRIu32 ", High table %" PRIu32 " of %" PRIu32
          " entries, Low table %" PRIu32 " of %" PRIu32 "\n",
          w->wish.packet_bytes, a->tables.limit, a->tables.high_count, w->wish.high,
          a->tables.low_count, w->wish.low);
  fprintf(out,
          "a period: %" PRIu64 " rounds of the High table, %" PRIu64 " packets, %" PRIu64
          " low turns; largest error ",
          a->certificate.rounds, a->certificate.packets, a->certificate.low_turns);
  loom_output_fixed(output, 0, a->error, 4);
  fprintf(out, " points\n\n%2s  %-*s  %-5s  %7s  %8s  %8s   %10s  %9s   %10s  %9s\n", "VL",
          LOOM_WISH_NAME, "name", "table", "entries", "wish %", "share %", "wish gap", "gap",
          "wish dist.", "distance");
  for (uint32_t i = 0; i < w->wish.count; i++)
    print_vl(output, w, a, i);
  fputc('\n', out);
  print_list(out, "High", a->tables.high, a->tables.high_count);
  print_list(out, "Low", a->tables.low, a->tables.low_count);
}

static void print_vls(FILE *out, const struct loom_wishes *w, uint16_t who) {
  const char *before = "";
  for (uint32_t i = 0; i < w->wish.count; i++)
    if (who >> i & 1) {
      fprintf(out, "%s%u", before, (unsigned)w->wish.vl[i].vl);
      before = ", ";
    }
}

/* Why no tables can meet the wishes: the VLs and a value stand between three pieces of text. */
static const struct {
  const char *before;
  const char *between;
  const char *after; /* NULL: no value */
} reasons[] = {
    [LOOM_CONFLICT_NONE] = {"No tables were found that meet the wishes.", "", NULL},
    [LOOM_CONFLICT_SUM] = {"The shares of VLs ", " sum to ", " %; the link has 100."},
    [LOOM_CONFLICT_ENTRIES] = {"The tables have too few entries for VLs ", ".", NULL},
    [LOOM_CONFLICT_SHARE] = {"Gap or distance of VL ", " give it at least ", " %."},
    [LOOM_CONFLICT_GAPS] = {"The gaps of VLs ", " need ", " % of the link together."},
    [LOOM_CONFLICT_DISTANCES] = {"The distances of VLs ", " need ",
                                 " % of all selections together."},
    [LOOM_CONFLICT_OTHERS] = {"Gaps and distances give VLs ", " at least ",
                              " % together; the others ask for more than the rest."},
    [LOOM_CONFLICT_LOW] = {"The Low table gets too little for VLs ", ": at most ", " %."},
};

static void print_conflict(struct loom_output *output, const struct loom_wishes *w,
                           const struct loom_wish_finding *f) {
  fputs(reasons[f->conflict].before, output->file);
  print_vls(output->file, w, f->who);
  fputs(reasons[f->conflict].between, output->file);
  if (reasons[f->conflict].after) {
    loom_output_fixed(output, 0, f->value, 4);
    fputs(reasons[f->conflict].after, output->file);
  }
  fputc('\n', output->file);
}

static void print_text(struct loom_output *output, const struct loom_wishes *w,
                       const struct loom_wish_solution *s, const struct loom_wish_finding *f) {
  if (s->best.found) {
    print_answer(output, w, &s->best);
    return;
  }
  print_conflict(output, w, f);
  if (s->waits_kept.found) {
    fputs("\nThe nearest tables that keep gaps and distances:\n\n", output->file);
    print_answer(output, w, &s->waits_kept);
  }
  if (s->shares_kept.found) {
    fputs(f->conflict == LOOM_CONFLICT_SUM ? "\nThe nearest that keep the shares in proportion:\n\n"
                                           : "\nThe nearest tables that keep the shares:\n\n",
          output->file);
    print_answer(output, w, &s->shares_kept);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_of_table(const struct loom_vlarb_entry *entry, uint32_t count) {
  json_t *list = json_array();
  for (uint32_t e = 0; e < count; e++)
    json_array_append_new(
        list, json_pack("{sisi}", "vl", (int)entry[e].vl, "weight", (int)entry[e].weight));
  return list;
}

static json_t *json_of_wish(uint32_t asked) {
  return asked == LOOM_WISH_ANY ? json_null() : json_integer(asked);
}

static json_t *json_of_answer(const struct loom_wishes *w, const struct loom_wish_answer *a) {
  json_t *list = json_array();
  if (!a->found) {
    json_decref(list);
    return json_null();
  }
  for (uint32_t i = 0; i < w->wish.count; i++) {
    const struct loom_wish_vl *v = &w->wish.vl[i];
    double share = (double)a->certificate.vl[v->vl].packets / (double)a->certificate.packets;
    json_array_append_new(list,
                          json_pack("{sisfsfsIsosIso}", "vl", (int)v->vl, "share", 100 * share,
                                    "wish", v->share / 1e4, "gap", (json_int_t)gap_of(w, a, v->vl),
                                    "gap_wish", json_of_wish(v->gap), "distance",
                                    (json_int_t)a->certificate.vl[v->vl].distance, "distance_wish",
                                    json_of_wish(v->distance)));
  }
  return json_pack("{sIsososfsIsIsIso}", "limit", (json_int_t)a->tables.limit, "high",
                   json_of_table(a->tables.high, a->tables.high_count), "low",
                   json_of_table(a->tables.low, a->tables.low_count), "error", a->error / 1e4,
                   "rounds", (json_int_t)a->certificate.rounds, "packets",
                   (json_int_t)a->certificate.packets, "low_turns",
                   (json_int_t)a->certificate.low_turns, "vl", list);
}

static json_t *json_of_conflict(const struct loom_wishes *w, const struct loom_wish_finding *f) {
  static const char *const names[] = {
      [LOOM_CONFLICT_NONE] = "none",       [LOOM_CONFLICT_SUM] = "sum",
      [LOOM_CONFLICT_ENTRIES] = "entries", [LOOM_CONFLICT_SHARE] = "share",
      [LOOM_CONFLICT_GAPS] = "gaps",       [LOOM_CONFLICT_DISTANCES] = "distances",
      [LOOM_CONFLICT_OTHERS] = "others",   [LOOM_CONFLICT_LOW] = "low",
  };
  json_t *who = json_array();
  for (uint32_t i = 0; i < w->wish.count; i++)
    if (f->who >> i & 1)
      json_array_append_new(who, json_integer(w->wish.vl[i].vl));
  return json_pack("{sssosf}", "kind", names[f->conflict], "vls", who, "value", f->value / 1e4);
}

static void print_json(struct loom_output *output, const struct loom_wishes *w,
                       const struct loom_wish_solution *s, const struct loom_wish_finding *f) {
  json_t *root =
      json_pack("{sbsosososo}", "met", s->best.found, "conflict",
                s->best.found ? json_null() : json_of_conflict(w, f), "solved",
                json_of_answer(w, &s->best), "waits_kept", json_of_answer(w, &s->waits_kept),
                "shares_kept", json_of_answer(w, &s->shares_kept));
  json_dumpf(root, output->file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  fputc('\n', output->file);
  json_decref(root);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int no_memory(const struct options *o) {
  return loom_refuse(o->io, o->command, "output", "out of memory");
}

/* The texts of all files are made before the first is written. */
static int save(const struct options *o, const struct loom_wishes *w,
                const struct loom_wish_answer *a) {
  struct loom_output output[OUTPUTS] = {{.text = NULL}};
  struct loom_error err = {.line = ""};
  int status = LOOM_EXIT_DONE;
  for (uint32_t i = 0; i < o->outputs && status == LOOM_EXIT_DONE; i++) {
    if (!loom_output_open(&output[i])) {
      status = no_memory(o);
      break;
    }
    if (!strcmp(suffix_of(o->output[i]), ".conf"))
      loom_write_wishes_conf(output[i].file, w, a);
    else
      loom_write_wishes_fixture(output[i].file, w, a, FIXTURE_TOLERANCE);
    bool bad = ferror(output[i].file) != 0;
    if (fclose(output[i].file) || bad || !output[i].text)
      status = no_memory(o);
  }
  for (uint32_t i = 0; i < o->outputs && status == LOOM_EXIT_DONE; i++)
    if (!loom_save(o->output[i], output[i].text, output[i].size, &err)) {
      loom_error_print(o->io->err, &err);
      status = LOOM_EXIT_BAD_INPUT;
    }
  for (uint32_t i = 0; i < OUTPUTS; i++)
    free(output[i].text);
  return status;
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* It is not settled whether a low turn sends an entry or a packet (IB-06). */
static void warn_of_low_grant(const struct options *o, const struct loom_wishes *w,
                              const struct loom_wish_answer *a) {
  const struct loom_wish_tables *t = &a->tables;
  struct loom_vlarb_certificate c;
  const struct loom_vlarb_config config = {.high = t->high,
                                           .high_count = t->high_count,
                                           .low = t->low,
                                           .low_count = t->low_count,
                                           .limit = t->limit,
                                           .mode = LOOM_VLARB_ROUNDUP,
                                           .low_grant = LOOM_VLARB_LOW_PACKET,
                                           .packet_bytes = w->wish.packet_bytes};
  if (!loom_vlarb_certify(&config, &c))
    return;
  for (uint32_t i = 0; i < w->wish.count; i++) {
    uint32_t share = loom_vlarb_certified_share(&c, w->wish.vl[i].vl);
    uint32_t wish = w->wish.vl[i].share;
    if ((share > wish ? share - wish : wish - share) <= w->wish.tolerance)
      continue;
    fprintf(o->io->err,
            "%s: %s: warning: where a low turn sends one packet, not an entry, VL %u gets %" PRIu32
            ".%04" PRIu32 " %%\n",
            o->command, o->file, (unsigned)w->wish.vl[i].vl, share / 10000, share % 10000);
    return;
  }
}

static void warn(const struct options *o, const struct loom_wishes *w,
                 const struct loom_wish_answer *a) {
  bool conf = false;
  for (uint32_t i = 0; i < o->outputs; i++)
    conf = conf || !strcmp(suffix_of(o->output[i]), ".conf");
  warn_of_low_grant(o, w, a);
  if (conf && (a->tables.high_count > OPENSM_ENTRIES || a->tables.low_count > OPENSM_ENTRIES))
    fprintf(
        o->io->err,
        "%s: %s: warning: into ports with tables of 64 entries OpenSM writes only the first 32: "
        "`high: 32`, `low: 32` make tables that fit\n",
        o->command, o->file);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int solve(const struct options *o, const struct loom_wishes *w) {
  struct loom_output output;
  struct loom_wish_solution solution;
  struct loom_vlarb_solver *solver = malloc(sizeof *solver);
  if (!solver)
    return no_memory(o);
  bool met = loom_vlarb_solve(&w->wish, solver, &solution);
  free(solver);
  struct loom_wish_finding finding = {.conflict = LOOM_CONFLICT_NONE};
  if (!met)
    finding = loom_wish_conflict(&w->wish);
  int status = met ? save(o, w, &solution.best) : LOOM_EXIT_DONE;
  if (status != LOOM_EXIT_DONE)
    return status;
  if (!loom_output_open(&output))
    return no_memory(o);
  if (o->json)
    print_json(&output, w, &solution, &finding);
  else
    print_text(&output, w, &solution, &finding);
  status = loom_output_print(&output, o->io, o->command);
  if (met && status == LOOM_EXIT_DONE)
    warn(o, w, &solution.best);
  return status == LOOM_EXIT_DONE && !met ? LOOM_EXIT_FAILED : status;
}

int loom_cmd_vlarb_solve(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct loom_wishes wishes;
  struct loom_error err = {.line = ""};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "WISHES", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  if (!loom_load_wishes(&wishes, o.file, &err)) {
    loom_error_print(io->err, &err);
    return LOOM_EXIT_BAD_INPUT;
  }
  return solve(&o, &wishes);
}
