/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_dtable.h"

#include <stdio.h>
#include <string.h>

#include "io/yaml.h"

/* The file as it is written: every scalar is text, NULL where an optional key is missing. */
struct raw_flow {
  char *sl;
  char *name;
  char *phi;
  char *distance;
  char *mtu;
};

struct raw_dtable {
  char *entries;
  char *gmtu;
  char *k;
  char *w;
  char *search;
  struct raw_flow *flows;
  uint32_t flows_count;
};

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

#define NUMBER(key, need, type, digits, least, most)                                               \
  LOOM_YAML_NUMBER_KEY(#key, need, type, key, digits, least, most)
#define TEXT(key, need, type, max) LOOM_YAML_TEXT_KEY(#key, need, type, key, max)

static const struct loom_yaml_field flow_fields[] = {
    NUMBER(sl, NEEDED, raw_flow, 0, 0, 31),
    TEXT(name, MAY_MISS, raw_flow, LOOM_DTABLE_NAME),
    NUMBER(phi, NEEDED, raw_flow, 9, 1, LOOM_DTABLE_PHI),
    NUMBER(distance, NEEDED, raw_flow, 0, 1, LOOM_DTABLE_ENTRIES),
    NUMBER(mtu, NEEDED, raw_flow, 0, 1, LOOM_DTABLE_CREDITS),
    {.key = NULL},
};
static const struct loom_yaml_schema flow_schema = LOOM_YAML_MAP_OF(raw_flow, flow_fields);

static const struct loom_yaml_field dtable_fields[] = {
    NUMBER(entries, NEEDED, raw_dtable, 0, 1, LOOM_DTABLE_ENTRIES),
    NUMBER(gmtu, NEEDED, raw_dtable, 0, 1, LOOM_DTABLE_CREDITS),
    NUMBER(k, MAY_MISS, raw_dtable, 1, 1, LOOM_DTABLE_TENTHS),
    NUMBER(w, MAY_MISS, raw_dtable, 1, 1, LOOM_DTABLE_TENTHS),
    LOOM_YAML_WORD_KEY("search", MAY_MISS, raw_dtable, search, loom_yaml_flags),
    LOOM_YAML_LIST_KEY("flows", NEEDED, raw_dtable, flows, &flow_schema, LOOM_DTABLE_FLOWS),
    {.key = NULL},
};
const struct loom_yaml_schema loom_dtable_schema = LOOM_YAML_MAP_OF(raw_dtable, dtable_fields);

static struct loom_path of_flow(uint32_t flow, const char *key) {
  return loom_path("flows[%u].%s", (unsigned)flow, key);
}

static bool read_flow(const struct loom_yaml *yaml, struct loom_dtable_input *in, uint32_t i,
                      const struct raw_flow *raw) {
  struct loom_dtable_flow *flow = &in->flow[i];
  uint32_t sl = 0;
  uint64_t phi = 0;
  if (!loom_yaml_u32(yaml, of_flow(i, "sl").text, raw->sl, 0, 31, &sl) ||
      !loom_yaml_number(yaml, of_flow(i, "phi").text, raw->phi, 9, 1, LOOM_DTABLE_PHI, &phi) ||
      !loom_yaml_u32(yaml, of_flow(i, "distance").text, raw->distance, 1, in->config.entries,
                     &flow->distance) ||
      !loom_yaml_u32(yaml, of_flow(i, "mtu").text, raw->mtu, 1, in->config.gmtu, &flow->mtu))
    return false;
  for (uint32_t j = 0; j < i; j++)
    if (in->flow[j].sl == sl)
      return loom_yaml_fail(yaml, of_flow(i, "sl").text, "SL %u is already that of flows[%u]",
                            (unsigned)sl, (unsigned)j);
  flow->sl = (uint8_t)sl;
  flow->phi = (uint32_t)phi;
  if (raw->name)
    snprintf(in->name[i], sizeof in->name[i], "%s", raw->name);
  return true;
}

/* `search: true`, or k and w. */
static bool read_k_w(const struct loom_yaml *yaml, struct loom_dtable_input *in,
                     const struct raw_dtable *raw) {
  uint64_t k = 0;
  uint64_t w = 0;
  unsigned search = 0;
  if (!loom_yaml_word(yaml, "search", raw->search, loom_yaml_flags, &search))
    return false;
  in->search = search;
  if (search && (raw->k || raw->w))
    return loom_yaml_fail(yaml, raw->k ? "k" : "w", "not together with `search: true`");
  if (!search && (!raw->k || !raw->w))
    return loom_yaml_fail(yaml, raw->k ? "w" : "k", "missing key: give k and w or `search: true`");
  if (!loom_yaml_number(yaml, "k", raw->k, 1, 1, LOOM_DTABLE_TENTHS, &k) ||
      !loom_yaml_number(yaml, "w", raw->w, 1, 1, LOOM_DTABLE_TENTHS, &w))
    return false;
  if (k > w)
    return loom_yaml_fail(yaml, "k", "%s is larger than w, which is %s", raw->k, raw->w);
  in->config.k = (uint32_t)k;
  in->config.w = (uint32_t)w;
  return true;
}

static bool read_input(const struct loom_yaml *yaml, struct loom_dtable_input *in,
                       const struct raw_dtable *raw) {
  if (!loom_yaml_u32(yaml, "entries", raw->entries, 1, LOOM_DTABLE_ENTRIES, &in->config.entries) ||
      !loom_yaml_u32(yaml, "gmtu", raw->gmtu, 1, LOOM_DTABLE_CREDITS, &in->config.gmtu) ||
      !read_k_w(yaml, in, raw))
    return false;
  in->config.flow = in->flow;
  in->config.flow_count = raw->flows_count;
  for (uint32_t i = 0; i < raw->flows_count; i++)
    if (!read_flow(yaml, in, i, &raw->flows[i]))
      return false;
  return true;
}

/* Says what the arithmetic objects to. */
static bool judge(const struct loom_yaml *yaml, const struct loom_dtable_input *in,
                  struct loom_dtable_verdict v) {
  const struct loom_dtable_flow *flow = &in->flow[v.flow];
  switch (v.status) {
  case LOOM_DTABLE_OK:
    return true;
  case LOOM_DTABLE_BAD_DISTANCE:
    return loom_yaml_fail(yaml, of_flow(v.flow, "distance").text,
                          "%u is not a power of two that divides the %u entries", (unsigned)v.value,
                          (unsigned)in->config.entries);
  case LOOM_DTABLE_NO_ROOM:
    return loom_yaml_fail(yaml, of_flow(v.flow, "distance").text,
                          "the table has no room for %u entries of SL %u", (unsigned)v.value,
                          (unsigned)flow->sl);
  case LOOM_DTABLE_FREE:
    return loom_yaml_fail(yaml, "flows", "%u of %u entries are free: the distances are too large",
                          (unsigned)v.value, (unsigned)in->config.entries);
  case LOOM_DTABLE_PHI_SUM:
    return loom_yaml_fail(yaml, of_flow(v.flow, "phi").text, "phi sums to more than 1 up to here");
  case LOOM_DTABLE_NO_K:
    return loom_yaml_fail(yaml, of_flow(v.flow, "phi").text, "no k up to %u.%u makes minphi lower",
                          LOOM_DTABLE_TENTHS / 10U, LOOM_DTABLE_TENTHS % 10U);
  case LOOM_DTABLE_NO_W:
    return loom_yaml_fail(yaml, of_flow(v.flow, "phi").text, "no w up to %u.%u makes maxphi higher",
                          LOOM_DTABLE_TENTHS / 10U, LOOM_DTABLE_TENTHS % 10U);
  case LOOM_DTABLE_BELOW_MTU:
    return loom_yaml_fail(yaml, of_flow(v.flow, "phi").text,
                          "entry weight %u of SL %u is below its MTU of %u: raise phi or k",
                          (unsigned)v.value, (unsigned)flow->sl, (unsigned)flow->mtu);
  case LOOM_DTABLE_TOO_HEAVY:
    break;
  }
  return loom_yaml_fail(yaml, of_flow(v.flow, "phi").text, "entry weight %u of SL %u is above %d",
                        (unsigned)v.value, (unsigned)flow->sl, LOOM_DTABLE_CREDITS);
}

static void warn(const struct loom_yaml *yaml, struct loom_dtable_input *in, const char *path,
                 const char *message) {
  struct loom_error said;
  struct loom_warning *w = &in->warning[in->warning_count++];
  loom_fail(&said, yaml->src->name, loom_yaml_line(yaml, path), path, "warning: %s", message);
  memcpy(w->line, said.line, sizeof w->line);
}

/* Where weights are rounded up to whole packets, as in InfiniBand, the shares may be others: the
 * flow that is furthest from its wish is named. */
static void warn_of_rounding(const struct loom_yaml *yaml, struct loom_dtable_input *in) {
  enum { POINT = LOOM_DTABLE_PHI / 100, DIGIT = LOOM_DTABLE_PHI / 10000 };
  uint32_t worst = 0;
  uint32_t most = POINT / 2;
  uint32_t got = 0;
  for (uint32_t i = 0; i < in->config.flow_count; i++) {
    uint32_t phi = in->flow[i].phi;
    uint32_t share = loom_dtable_rounded_up(&in->config, &in->result, i);
    uint32_t off = share > phi ? share - phi : phi - share;
    if (off <= most)
      continue;
    worst = i;
    most = off;
    got = (share + DIGIT / 2) / DIGIT;
  }
  if (!got)
    return;
  uint32_t wish = (in->flow[worst].phi + DIGIT / 2) / DIGIT;
  struct loom_path message =
      loom_path("InfiniBand, which rounds weights up to packets, gives SL %u %u.%02u %%, not "
                "%u.%02u %%: `loom vlarb solve` makes tables for it",
                (unsigned)in->flow[worst].sl, (unsigned)(got / 100), (unsigned)(got % 100),
                (unsigned)(wish / 100), (unsigned)(wish % 100));
  warn(yaml, in, of_flow(worst, "phi").text, message.text);
}

/* M = GMTU * w in tenths; the correction may pass it (INC-23). */
static void find_warnings(const struct loom_yaml *yaml, struct loom_dtable_input *in) {
  uint32_t m = in->config.gmtu * in->config.w;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < in->config.flow_count; i++) {
    sum += in->flow[i].phi;
    if (in->result.row[i].high * 10 <= m)
      continue;
    struct loom_path message =
        loom_path("entry weight %u of SL %u is above M = %u.%u", (unsigned)in->result.row[i].high,
                  (unsigned)in->flow[i].sl, (unsigned)(m / 10), (unsigned)(m % 10));
    warn(yaml, in, of_flow(i, "phi").text, message.text);
  }
  if (sum < LOOM_DTABLE_PHI)
    warn(yaml, in, "flows", "phi sums to less than 1: every flow gets more than it asks for");
  warn_of_rounding(yaml, in);
}

static bool solve(const struct loom_yaml *yaml, struct loom_dtable_input *input) {
  struct loom_dtable_verdict v = {.status = LOOM_DTABLE_OK};
  if (input->search)
    v = loom_dtable_layout(&input->config, input->result.owner);
  if (input->search && v.status == LOOM_DTABLE_OK)
    v = loom_dtable_search(&input->config);
  if (v.status == LOOM_DTABLE_OK)
    v = loom_dtable_solve(&input->config, &input->result);
  if (!judge(yaml, input, v))
    return false;
  find_warnings(yaml, input);
  return true;
}

bool loom_read_dtable(struct loom_dtable_input *input, const struct loom_source *src,
                      struct loom_error *err) {
  struct loom_yaml yaml = {.src = src, .schema = &loom_dtable_schema, .err = err};
  void *raw = NULL;
  memset(input, 0, sizeof *input);
  bool ok = loom_yaml_load(&yaml, &raw) && read_input(&yaml, input, raw) && solve(&yaml, input);
  loom_yaml_free(&yaml);
  return ok;
}
