/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "io/output.h"
#include "io/read_dtable.h"
#include "qos/ratio.h"

enum { PHI_DIGITS = 5, LINE_ENTRIES = 8 };

enum { OPT_JSON = 256, OPT_CSV };

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  bool json;
  bool csv;
};

static const struct argp_option option_list[] = {
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {"csv", OPT_CSV, NULL, 0, "Print the table as lines `sl,weight'", 0},
    {0},
};

static const char doc[] =
    "Makes the table of a deficit table scheduler (DTable) from what flows ask for: the largest "
    "distance between entries and a share phi of the link; weights are corrected so that shares "
    "come "
    "out as asked."
    "\v"
    "FILE is YAML:\n"
    "  entries: 64          # entries of the table, 1..128\n"
    "  gmtu: 32             # general MTU in credits of 64 bytes\n"
    "  k: 0.5               # pool = entries * gmtu * k\n"
    "  w: 3                 # M = gmtu * w; or `search: true' instead of k and w\n"
    "  flows:\n"
    "    - {sl: 0, phi: 0.094, distance: 2, mtu: 3, name: NC}\n"
    "\n"
    "Distances are powers of two and fill the table. An entry weight below the flow's MTU or above "
    "255 "
    "is an error, one above M a warning on stderr.\n"
    "\n"
    "Columns: n entries; E.W. entry weight before the correction; T.W. pool * phi; S their sum in "
    "the table; R = S / "
    "sum; D the correction; F the corrected sum; F.E.W. the corrected entry weights.\n"
    "\n"
    "JSON: {entries: [{sl, weight}], flows: [{sl, phi, min_phi, max_phi, entry_weight, before, d, "
    "after, "
    "share}], k, w}; phi and share are parts of 1.";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  int bad = 0;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case OPT_CSV:
    o->csv = true;
    break;
  case ARGP_KEY_ARG:
    if (o->file)
      bad = loom_refuse(o->io, o->command, "argument", "`%.40s`: one file is enough", arg);
    o->file = arg;
    break;
  case ARGP_KEY_END:
    if (!o->file)
      bad = loom_refuse(o->io, o->command, "FILE", "missing");
    else if (o->json && o->csv)
      bad = loom_refuse(o->io, o->command, "--csv", "not together with --json");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return bad ? EINVAL : 0;
}

/* (R - phi), in units of 10^-PHI_DIGITS, half away from zero. */
static int64_t deviation(const struct loom_dtable_input *in, uint32_t i) {
  int64_t part = (int64_t)in->result.row[i].before * LOOM_DTABLE_PHI;
  int64_t wish = (int64_t)in->flow[i].phi * in->result.before;
  int64_t unit = LOOM_DTABLE_PHI / 100000; /* 10^-PHI_DIGITS */
  return loom_ratio_round(part - wish, unit * in->result.before);
}

static void print_head(struct loom_output *output, const struct loom_dtable_input *in) {
  const struct loom_dtable_config *c = &in->config;
  uint64_t pool = (uint64_t)c->entries * c->gmtu * c->k;
  uint64_t m = (uint64_t)c->gmtu * c->w;
  fprintf(output->file, "N = %" PRIu32 ", GMTU = %" PRIu32 ", k = ", c->entries, c->gmtu);
  loom_output_fixed(output, 0, c->k, 1);
  fprintf(output->file, ", w = ");
  loom_output_fixed(output, 0, c->w, 1);
  fprintf(output->file, "%s, pool = ", in->search ? " (searched)" : "");
  loom_output_fixed(output, 0, (int64_t)pool, 1);
  fprintf(output->file, ", M = ");
  loom_output_fixed(output, 0, (int64_t)m, 1);
  fprintf(output->file, "\n\n");
}

/* The decimals that the finest phi needs, and a unit of the last of them. */
static unsigned phi_digits(const struct loom_dtable_input *in, uint32_t *unit) {
  unsigned digits = 9;
  *unit = 1;
  for (; digits > 1; digits--) {
    for (uint32_t i = 0; i < in->config.flow_count; i++)
      if (in->flow[i].phi % (*unit * 10))
        return digits;
    *unit *= 10;
  }
  return digits;
}

static void print_needs(struct loom_output *output, const struct loom_dtable_input *in) {
  const struct loom_dtable_config *c = &in->config;
  uint32_t unit = 1;
  unsigned digits = phi_digits(in, &unit);
  fprintf(output->file, "%2s  %-*s %8s %4s %9s %4s %9s %9s %12s\n", "SL", LOOM_DTABLE_NAME, "name",
          "distance", "n", "n %", "MTU", "minphi", "maxphi", "phi");
  for (uint32_t i = 0; i < c->flow_count; i++) {
    const struct loom_dtable_flow *f = &in->flow[i];
    uint32_t n = in->result.row[i].n;
    fprintf(output->file, "%2u  %-*s %8" PRIu32 " %4" PRIu32 " ", (unsigned)f->sl, LOOM_DTABLE_NAME,
            in->name[i], f->distance, n);
    loom_output_fixed(output, 9, (int64_t)loom_ratio(n, c->entries, 100, 3), 3);
    fprintf(output->file, " %4" PRIu32 " ", f->mtu);
    loom_output_fixed(output, 9, (int64_t)loom_dtable_min_phi(c, i, PHI_DIGITS), PHI_DIGITS);
    fputc(' ', output->file);
    loom_output_fixed(output, 9, (int64_t)loom_dtable_max_phi(c, i, PHI_DIGITS), PHI_DIGITS);
    fputc(' ', output->file);
    loom_output_fixed(output, 12, f->phi / unit, digits);
    fputc('\n', output->file);
  }
  fputc('\n', output->file);
}

static void print_row(struct loom_output *output, const struct loom_dtable_input *in, uint32_t i) {
  const struct loom_dtable_row *row = &in->result.row[i];
  uint64_t pool = (uint64_t)in->config.entries * in->config.gmtu * in->config.k;
  char range[24];
  fprintf(output->file, "%2u  %-*s %6" PRIu32 " ", (unsigned)in->flow[i].sl, LOOM_DTABLE_NAME,
          in->name[i], row->entry_weight);
  loom_output_fixed(
      output, 12, (int64_t)loom_ratio(pool * in->flow[i].phi, UINT64_C(10) * LOOM_DTABLE_PHI, 1, 4),
      4);
  fprintf(output->file, " %6" PRIu32 " ", row->before);
  loom_output_fixed(output, 8, (int64_t)loom_ratio(row->before, in->result.before, 1, PHI_DIGITS),
                    PHI_DIGITS);
  fputc(' ', output->file);
  loom_output_fixed(output, 9, deviation(in, i), PHI_DIGITS);
  fprintf(output->file, " %6" PRId32 " %6" PRIu32 " ", row->d, row->after);
  loom_output_fixed(output, 8, (int64_t)loom_ratio(row->after, in->result.after, 1, PHI_DIGITS),
                    PHI_DIGITS);
  snprintf(range, sizeof range, row->low == row->high ? "%" PRIu32 : "%" PRIu32 "-%" PRIu32,
           row->low, row->high);
  fprintf(output->file, " %7s\n", range);
}

static void print_weights(struct loom_output *output, const struct loom_dtable_input *in) {
  fprintf(output->file, "%2s  %-*s %6s %12s %6s %8s %9s %6s %6s %8s %7s\n", "SL", LOOM_DTABLE_NAME,
          "name", "E.W.", "T.W.", "S", "R", "R-phi", "D", "F", "F phi", "F.E.W.");
  for (uint32_t i = 0; i < in->config.flow_count; i++)
    print_row(output, in, i);
  fprintf(output->file, "%2s  %-*s %6s %12s %6" PRIu32 " %8s %9s %6s %6" PRIu32 "\n\n", "",
          LOOM_DTABLE_NAME, "total", "", "", in->result.before, "", "", "", in->result.after);
}

static void print_table(struct loom_output *output, const struct loom_dtable_input *in) {
  fprintf(output->file, "entry  SL,weight\n");
  for (uint32_t e = 0; e < in->config.entries; e++) {
    char cell[16];
    bool last = e % LINE_ENTRIES == LINE_ENTRIES - 1 || e + 1 == in->config.entries;
    snprintf(cell, sizeof cell, "%u,%" PRIu32, (unsigned)in->flow[in->result.owner[e]].sl,
             in->result.weight[e]);
    if (e % LINE_ENTRIES == 0)
      fprintf(output->file, "%5" PRIu32 " ", e);
    fprintf(output->file, " %*s%s", last ? 0 : -6, cell, last ? "\n" : "");
  }
}

static void print_csv(struct loom_output *output, const struct loom_dtable_input *in) {
  for (uint32_t e = 0; e < in->config.entries; e++)
    fprintf(output->file, "%u,%" PRIu32 "\n", (unsigned)in->flow[in->result.owner[e]].sl,
            in->result.weight[e]);
}

static json_t *json_of_flow(const struct loom_dtable_input *in, uint32_t i) {
  const struct loom_dtable_row *row = &in->result.row[i];
  const struct loom_dtable_flow *f = &in->flow[i];
  double n = row->n;
  double size = in->config.entries;
  return json_pack(
      "{sisfsfsfsIsIsIsIsf}", "sl", (int)f->sl, "phi", (double)f->phi / LOOM_DTABLE_PHI, "min_phi",
      n * f->mtu * 10 / (size * in->config.gmtu * in->config.k), "max_phi",
      n * in->config.w / (size * in->config.k), "entry_weight", (json_int_t)row->entry_weight,
      "before", (json_int_t)row->before, "d", (json_int_t)row->d, "after", (json_int_t)row->after,
      "share", (double)row->after / in->result.after);
}

static void print_json(struct loom_output *output, const struct loom_dtable_input *in) {
  json_t *entries = json_array();
  json_t *flows = json_array();
  for (uint32_t e = 0; e < in->config.entries; e++)
    json_array_append_new(entries, json_pack("{sisI}", "sl", (int)in->flow[in->result.owner[e]].sl,
                                             "weight", (json_int_t)in->result.weight[e]));
  for (uint32_t i = 0; i < in->config.flow_count; i++)
    json_array_append_new(flows, json_of_flow(in, i));
  json_t *root = json_pack("{sososfsf}", "entries", entries, "flows", flows, "k",
                           in->config.k / 10.0, "w", in->config.w / 10.0);
  json_dumpf(root, output->file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  fputc('\n', output->file);
  json_decref(root);
}

static void print_text(struct loom_output *output, const struct loom_dtable_input *in) {
  print_head(output, in);
  print_needs(output, in);
  print_weights(output, in);
  print_table(output, in);
}

static int print_input(const struct options *o, const struct loom_dtable_input *in) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json)
    print_json(&output, in);
  else if (o->csv)
    print_csv(&output, in);
  else
    print_text(&output, in);
  int status = loom_output_print(&output, o->io, o->command);
  for (uint32_t i = 0; i < in->warning_count && status == LOOM_EXIT_DONE; i++)
    fprintf(o->io->err, "%s\n", in->warning[i].line);
  return status;
}

int loom_cmd_dtable(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  struct loom_dtable_input input;
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  bool ok = loom_source_read(&src, o.file, &err);
  if (ok) {
    ok = loom_read_dtable(&input, &src, &err);
    loom_source_free(&src);
  }
  if (!ok) {
    loom_error_print(io->err, &err);
    return LOOM_EXIT_BAD_INPUT;
  }
  return print_input(&o, &input);
}
