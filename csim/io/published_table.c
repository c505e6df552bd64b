/* SPDX-License-Identifier: Apache-2.0 */
#include "io/published_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml.h"

enum { CASES_MAX = 64, GRANTS_MAX = 4096, SELECTIONS_MAX = 256 };

/* The file as it is written: every scalar is text, NULL where an optional key is missing. */
struct raw_entry {
  char *sl;
  char *vl;
  char *weight;
};

struct raw_flow {
  char *vl;
  char *size;
  char *count;
  char **sls;
  uint32_t sls_count;
};

struct raw_share {
  char *sl;
  char *vl;
  char *share;
};

struct raw_selection {
  char *entry;
  char *sl;
  char *acc;
  char *packets;
  char *deficit;
};

struct raw_case {
  char *name;
  char *mode;
  char *limit;
  char *low_grant;
  char *measure;
  char *tolerance;
  char *skip;
  struct raw_flow *traffic;
  uint32_t traffic_count;
  struct raw_share *shares;
  uint32_t shares_count;
  char **grants;
  uint32_t grants_count;
  struct raw_selection *selections;
  uint32_t selections_count;
};

struct raw_published {
  char *name;
  char *source;
  char *scheduler;
  char *key;
  struct raw_entry *table;
  uint32_t table_count;
  struct raw_entry *high;
  uint32_t high_count;
  struct raw_entry *low;
  uint32_t low_count;
  char **vl_to_sl;
  uint32_t vl_to_sl_count;
  struct raw_case *cases;
  uint32_t cases_count;
};

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

#define NUMBER(key, need, type, digits, least, most)                                               \
  LOOM_YAML_NUMBER_KEY(#key, need, type, key, digits, least, most)
#define TEXT(key, need, type, max) LOOM_YAML_TEXT_KEY(#key, need, type, key, max)
#define LIST(key, need, type, entry, max) LOOM_YAML_LIST_KEY(#key, need, type, key, entry, max)

static const char *const scheduler_names[] = {"rr", "sbt", "dtable", "ibarb", NULL};
static const char *const key_names[] = {"vl", "sl", NULL};
static const char *const measure_names[] = {"credits", "packets", NULL};
static const char *const low_grant_names[] = {"entry", "packet", NULL};

static const struct loom_yaml_schema number_schema = LOOM_YAML_NUMBER_OF(0, 0, LOOM_VLS - 1);

static const struct loom_yaml_field entry_fields[] = {
    NUMBER(sl, MAY_MISS, raw_entry, 0, 0, 31),
    NUMBER(vl, MAY_MISS, raw_entry, 0, 0, 31),
    NUMBER(weight, NEEDED, raw_entry, 0, 0, 255),
    {.key = NULL},
};
static const struct loom_yaml_schema entry_schema = LOOM_YAML_MAP_OF(raw_entry, entry_fields);

static const struct loom_yaml_field flow_fields[] = {
    NUMBER(vl, NEEDED, raw_flow, 0, 0, 31),
    NUMBER(size, NEEDED, raw_flow, 0, 1, LOOM_PUBLISHED_SIZE),
    NUMBER(count, MAY_MISS, raw_flow, 0, 1, 65535),
    LIST(sls, MAY_MISS, raw_flow, &number_schema, LOOM_PUBLISHED_SLS),
    {.key = NULL},
};
static const struct loom_yaml_schema flow_schema = LOOM_YAML_MAP_OF(raw_flow, flow_fields);

static const struct loom_yaml_field share_fields[] = {
    NUMBER(sl, MAY_MISS, raw_share, 0, 0, 31),
    NUMBER(vl, MAY_MISS, raw_share, 0, 0, 31),
    NUMBER(share, NEEDED, raw_share, 4, 0, 1000000),
    {.key = NULL},
};
static const struct loom_yaml_schema share_schema = LOOM_YAML_MAP_OF(raw_share, share_fields);

static const struct loom_yaml_field selection_fields[] = {
    NUMBER(entry, NEEDED, raw_selection, 0, 0, LOOM_PUBLISHED_TABLE - 1),
    NUMBER(sl, NEEDED, raw_selection, 0, 0, 31),
    NUMBER(acc, NEEDED, raw_selection, 0, 0, 65535),
    NUMBER(packets, NEEDED, raw_selection, 0, 0, 65535),
    NUMBER(deficit, NEEDED, raw_selection, 0, 0, 65535),
    {.key = NULL},
};
static const struct loom_yaml_schema selection_schema =
    LOOM_YAML_MAP_OF(raw_selection, selection_fields);

static const struct loom_yaml_field case_fields[] = {
    TEXT(name, NEEDED, raw_case, 40),
    TEXT(mode, MAY_MISS, raw_case, 20),
    NUMBER(limit, MAY_MISS, raw_case, 0, 0, 255),
    LOOM_YAML_WORD_KEY("low_grant", MAY_MISS, raw_case, low_grant, low_grant_names),
    LOOM_YAML_WORD_KEY("measure", MAY_MISS, raw_case, measure, measure_names),
    NUMBER(tolerance, MAY_MISS, raw_case, 4, 0, 10000),
    NUMBER(skip, MAY_MISS, raw_case, 0, 0, 65535),
    LIST(traffic, NEEDED, raw_case, &flow_schema, LOOM_VLS),
    LIST(shares, MAY_MISS, raw_case, &share_schema, LOOM_VLS),
    LIST(grants, MAY_MISS, raw_case, &number_schema, GRANTS_MAX),
    LIST(selections, MAY_MISS, raw_case, &selection_schema, SELECTIONS_MAX),
    {.key = NULL},
};
static const struct loom_yaml_schema case_schema = LOOM_YAML_MAP_OF(raw_case, case_fields);

static const struct loom_yaml_field published_fields[] = {
    TEXT(name, NEEDED, raw_published, 40),
    TEXT(source, NEEDED, raw_published, 400),
    LOOM_YAML_WORD_KEY("scheduler", NEEDED, raw_published, scheduler, scheduler_names),
    LOOM_YAML_WORD_KEY("key", MAY_MISS, raw_published, key, key_names),
    LIST(table, MAY_MISS, raw_published, &entry_schema, LOOM_PUBLISHED_TABLE),
    LIST(high, MAY_MISS, raw_published, &entry_schema, LOOM_PUBLISHED_TABLE),
    LIST(low, MAY_MISS, raw_published, &entry_schema, LOOM_PUBLISHED_TABLE),
    LIST(vl_to_sl, MAY_MISS, raw_published, &number_schema, LOOM_VLS),
    LIST(cases, NEEDED, raw_published, &case_schema, CASES_MAX),
    {.key = NULL},
};
const struct loom_yaml_schema loom_published_schema =
    LOOM_YAML_MAP_OF(raw_published, published_fields);

static const char *const mode_names[][4] = {
    [LOOM_PUBLISHED_RR] = {"", NULL},
    [LOOM_PUBLISHED_SBT] = {"text", "literal", "sumzero", NULL},
    [LOOM_PUBLISHED_DTABLE] = {"wide", "ib8", NULL},
    [LOOM_PUBLISHED_IBARB] = {"roundup", "deficit", NULL},
};

const char *loom_published_scheduler_name(enum loom_published_scheduler scheduler) {
  return scheduler_names[scheduler];
}

const char *loom_published_mode_name(enum loom_published_scheduler scheduler, unsigned mode) {
  return mode_names[scheduler][mode];
}

/* What a conversion needs to know. */
struct reader {
  struct loom_yaml yaml;
  struct loom_published *published;
  uint8_t sl_of_vl[LOOM_VLS]; /* of the VLs below vl_count */
  uint32_t vl_count;
};

static struct loom_path at(const char *base, uint32_t index, const char *key) {
  return loom_path(key ? "%s[%u].%s" : "%s[%u]", base, (unsigned)index, key);
}

static struct loom_path under(const char *base, const char *key) {
  return loom_path("%s.%s", base, key);
}

/* Zeroed storage for `count` things; count 0 needs none and gets none. */
static bool make(const struct reader *r, const char *path, void *out, uint32_t count, size_t size) {
  void *p = count ? calloc(count, size) : NULL;
  memcpy(out, &p, sizeof p);
  return p || !count || loom_yaml_no_memory(&r->yaml, path);
}

static bool copy_text(const struct reader *r, const char *path, const char *text, char **out) {
  *out = calloc(strlen(text) + 1, 1);
  if (!*out)
    return loom_yaml_no_memory(&r->yaml, path);
  memcpy(*out, text, strlen(text));
  return true;
}

/* A VL that may stand in tables and traffic. */
static bool read_vl(const struct reader *r, const char *path, const char *text, uint8_t *out) {
  uint32_t vl = 0;
  if (!loom_yaml_u32(&r->yaml, path, text, 0, LOOM_VLS - 1, &vl))
    return false;
  *out = (uint8_t)vl;
  return vl != LOOM_PUBLISHED_MGMT ||
         loom_yaml_fail(&r->yaml, path, "VL%d is management traffic", LOOM_PUBLISHED_MGMT);
}

static bool read_sl(const struct reader *r, const char *path, const char *text, uint8_t *out) {
  uint32_t sl = 0;
  if (!loom_yaml_u32(&r->yaml, path, text, 0, LOOM_VLS - 1, &sl))
    return false;
  *out = (uint8_t)sl;
  return true;
}

/* The key of entry `index` of a list, written as `sl` or `vl` as the published's key is. */
static bool read_key(const struct reader *r, const char *base, uint32_t index, const char *sl,
                     const char *vl, uint8_t *out) {
  bool by_sl = r->published->key == LOOM_PUBLISHED_KEY_SL;
  const char *wanted = by_sl ? sl : vl;
  struct loom_path p = at(base, index, by_sl ? "sl" : "vl");
  if (by_sl ? vl != NULL : sl != NULL)
    return loom_yaml_fail(&r->yaml, at(base, index, by_sl ? "vl" : "sl").text,
                          "the key of this published table is %s", by_sl ? "sl" : "vl");
  if (!wanted)
    return loom_yaml_fail(&r->yaml, p.text, "missing key");
  return by_sl ? read_sl(r, p.text, wanted, out) : read_vl(r, p.text, wanted, out);
}

static bool read_table(const struct reader *r, const char *base, const struct raw_entry *raw,
                       uint32_t count, struct loom_published_table *out) {
  uint32_t sum = 0;
  if (!make(r, base, &out->entry, count, sizeof *out->entry))
    return false;
  out->count = count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t weight = 0;
    if (!read_key(r, base, i, raw[i].sl, raw[i].vl, &out->entry[i].id) ||
        !loom_yaml_u32(&r->yaml, at(base, i, "weight").text, raw[i].weight, 0, 255, &weight))
      return false;
    out->entry[i].weight = (uint8_t)weight;
    sum += weight;
  }
  return !count || sum || loom_yaml_fail(&r->yaml, base, "no entry has a weight above 0");
}

/* The simple bandwidth table has one entry a key (SC-02). */
static bool check_sbt(const struct reader *r) {
  const struct loom_published_table *t = &r->published->table;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    if (seen >> t->entry[i].id & 1)
      return loom_yaml_fail(&r->yaml, at("table", i, key_names[r->published->key]).text,
                            "repeated: this table has one entry for each");
    seen |= UINT32_C(1) << t->entry[i].id;
  }
  return true;
}

/* Which tables a scheduler must and may have. */
static bool check_tables(const struct reader *r, const struct raw_published *raw) {
  bool one = r->published->scheduler == LOOM_PUBLISHED_SBT || //
             r->published->scheduler == LOOM_PUBLISHED_DTABLE;
  bool two = r->published->scheduler == LOOM_PUBLISHED_IBARB;
  const char *name = scheduler_names[r->published->scheduler];
  if (one != (raw->table_count > 0))
    return loom_yaml_fail(&r->yaml, "table", "scheduler %s %s", name,
                          one ? "needs it" : "does not have it");
  if (two != (raw->high_count > 0))
    return loom_yaml_fail(&r->yaml, "high", "scheduler %s %s", name,
                          two ? "needs it" : "does not have it");
  if (!two && raw->low_count)
    return loom_yaml_fail(&r->yaml, "low", "scheduler %s does not have it", name);
  return true;
}

static bool read_tables(const struct reader *r, const struct raw_published *raw) {
  struct loom_published *f = r->published;
  return check_tables(r, raw) && read_table(r, "table", raw->table, raw->table_count, &f->table) &&
         read_table(r, "high", raw->high, raw->high_count, &f->high) &&
         read_table(r, "low", raw->low, raw->low_count, &f->low) &&
         (f->scheduler != LOOM_PUBLISHED_SBT || check_sbt(r));
}

static bool read_sl_map(struct reader *r, const struct raw_published *raw) {
  for (; r->vl_count < raw->vl_to_sl_count; r->vl_count++)
    if (!read_sl(r, at("vl_to_sl", r->vl_count, NULL).text, raw->vl_to_sl[r->vl_count],
                 &r->sl_of_vl[r->vl_count]))
      return false;
  return true;
}

/* The VLs that have traffic, as a mask. */
static uint32_t active(const struct loom_published_case *c) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < c->flow_count; i++)
    mask |= UINT32_C(1) << c->flow[i].vl;
  return mask;
}

/* The SLs of a flow: its own list, else that of its VL; where the key is VL, the VL's number will
 * do. */
static bool read_flow_sls(const struct reader *r, const char *base, uint32_t i,
                          const struct raw_flow *raw, struct loom_published_flow *out) {
  struct loom_path path = at(base, i, "sls");
  out->sl_count = (uint8_t)raw->sls_count;
  for (uint32_t j = 0; j < raw->sls_count; j++)
    if (!read_sl(r, at(path.text, j, NULL).text, raw->sls[j], &out->sl[j]))
      return false;
  if (raw->sls_count)
    return true;
  out->sl_count = 1;
  out->sl[0] = out->vl < r->vl_count ? r->sl_of_vl[out->vl] : out->vl;
  return out->vl < r->vl_count || r->published->key == LOOM_PUBLISHED_KEY_VL ||
         loom_yaml_fail(&r->yaml, path.text, "VL%u is not in vl_to_sl", (unsigned)out->vl);
}

static bool read_flow(const struct reader *r, const char *base, uint32_t i,
                      const struct raw_flow *raw, struct loom_published_flow *out) {
  uint32_t size = 0;
  struct loom_path vl = at(base, i, "vl");
  if (!read_vl(r, vl.text, raw->vl, &out->vl) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "size").text, raw->size, 1, LOOM_PUBLISHED_SIZE,
                     &size) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "count").text, raw->count, 1, 65535, &out->count))
    return false;
  out->size = (uint16_t)size;
  return read_flow_sls(r, base, i, raw, out);
}

static bool read_traffic(const struct reader *r, const char *base, const struct raw_case *raw,
                         struct loom_published_case *c) {
  struct loom_path path = under(base, "traffic");
  if (!make(r, path.text, &c->flow, raw->traffic_count, sizeof *c->flow))
    return false;
  for (uint32_t i = 0; i < raw->traffic_count; i++) {
    if (!read_flow(r, path.text, i, &raw->traffic[i], &c->flow[i]))
      return false;
    if (active(c) >> c->flow[i].vl & 1)
      return loom_yaml_fail(&r->yaml, at(path.text, i, "vl").text, "repeated VL");
    c->flow_count = i + 1;
  }
  return true;
}

static bool saturated(const struct loom_published_case *c) {
  for (uint32_t i = 0; i < c->flow_count; i++)
    if (c->flow[i].count)
      return false;
  return true;
}

static bool read_share(const struct reader *r, const char *base, uint32_t i,
                       const struct raw_share *raw, struct loom_published_share *out) {
  uint64_t ppm = 0;
  if (!read_key(r, base, i, raw->sl, raw->vl, &out->id) ||
      !loom_yaml_number(&r->yaml, at(base, i, "share").text, raw->share, 4, 0, 1000000, &ppm))
    return false;
  out->ppm = (uint32_t)ppm;
  return true;
}

static bool read_shares(const struct reader *r, const char *base, const struct raw_case *raw,
                        struct loom_published_case *c) {
  struct loom_path path = under(base, "shares");
  uint32_t seen = 0;
  uint32_t sum = 0;
  if (!raw->shares_count)
    return true;
  if (!saturated(c))
    return loom_yaml_fail(&r->yaml, path.text, "shares need traffic without a count");
  if (!make(r, path.text, &c->share, raw->shares_count, sizeof *c->share))
    return false;
  c->share_count = raw->shares_count;
  for (uint32_t i = 0; i < c->share_count; i++) {
    if (!read_share(r, path.text, i, &raw->shares[i], &c->share[i]))
      return false;
    if (seen >> c->share[i].id & 1)
      return loom_yaml_fail(&r->yaml, at(path.text, i, key_names[r->published->key]).text,
                            "repeated");
    seen |= UINT32_C(1) << c->share[i].id;
    sum += c->share[i].ppm;
  }
  return sum <= 1000100 || loom_yaml_fail(&r->yaml, path.text, "shares sum to more than 100");
}

static bool read_grants(const struct reader *r, const char *base, const struct raw_case *raw,
                        struct loom_published_case *c) {
  struct loom_path path = under(base, "grants");
  if (raw->skip && !raw->grants_count)
    return loom_yaml_fail(&r->yaml, under(base, "skip").text, "there are no grants to skip to");
  if (!loom_yaml_u32(&r->yaml, under(base, "skip").text, raw->skip, 0, 65535, &c->skip) ||
      !make(r, path.text, &c->grant, raw->grants_count, sizeof *c->grant))
    return false;
  c->grant_count = raw->grants_count;
  for (uint32_t i = 0; i < c->grant_count; i++) {
    struct loom_path p = at(path.text, i, NULL);
    if (!read_vl(r, p.text, raw->grants[i], &c->grant[i]))
      return false;
    if (!(active(c) >> c->grant[i] & 1))
      return loom_yaml_fail(&r->yaml, p.text, "VL%u has no traffic", (unsigned)c->grant[i]);
  }
  return true;
}

static bool read_selection(const struct reader *r, const char *base, uint32_t i,
                           const struct raw_selection *raw, struct loom_published_selection *out) {
  const struct loom_published_table *t = &r->published->table;
  uint32_t entry = 0;
  uint32_t sl = 0;
  if (!loom_yaml_u32(&r->yaml, at(base, i, "entry").text, raw->entry, 0, t->count - 1, &entry) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "sl").text, raw->sl, 0, 31, &sl) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "acc").text, raw->acc, 0, 65535, &out->acc) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "packets").text, raw->packets, 0, 65535,
                     &out->packets) ||
      !loom_yaml_u32(&r->yaml, at(base, i, "deficit").text, raw->deficit, 0, 65535, &out->deficit))
    return false;
  out->entry = (uint8_t)entry;
  out->sl = (uint8_t)sl;
  return t->entry[entry].id == sl ||
         loom_yaml_fail(&r->yaml, at(base, i, "sl").text, "table entry %u is of SL %u",
                        (unsigned)entry, (unsigned)t->entry[entry].id);
}

static bool read_selections(const struct reader *r, const char *base, const struct raw_case *raw,
                            struct loom_published_case *c) {
  struct loom_path path = under(base, "selections");
  if (!raw->selections_count)
    return true;
  if (r->published->scheduler != LOOM_PUBLISHED_DTABLE ||
      r->published->key != LOOM_PUBLISHED_KEY_SL)
    return loom_yaml_fail(&r->yaml, path.text, "only scheduler dtable with key sl has them");
  if (!make(r, path.text, &c->selection, raw->selections_count, sizeof *c->selection))
    return false;
  c->selection_count = raw->selections_count;
  for (uint32_t i = 0; i < c->selection_count; i++)
    if (!read_selection(r, path.text, i, &raw->selections[i], &c->selection[i]))
      return false;
  return true;
}

/* Keys that only one scheduler knows. */
static bool check_case_keys(const struct reader *r, const char *base, const struct raw_case *raw) {
  const char *name = scheduler_names[r->published->scheduler];
  bool ibarb = r->published->scheduler == LOOM_PUBLISHED_IBARB;
  if (raw->mode && r->published->scheduler == LOOM_PUBLISHED_RR)
    return loom_yaml_fail(&r->yaml, under(base, "mode").text, "scheduler %s has no modes", name);
  if (raw->limit && !ibarb)
    return loom_yaml_fail(&r->yaml, under(base, "limit").text, "scheduler %s has no limit", name);
  if (raw->low_grant && !ibarb)
    return loom_yaml_fail(&r->yaml, under(base, "low_grant").text, "scheduler %s has no low table",
                          name);
  return true;
}

static bool read_options(const struct reader *r, const char *base, const struct raw_case *raw,
                         struct loom_published_case *c) {
  uint32_t limit = 1;
  uint64_t tolerance = 500; /* 0.05 points */
  unsigned mode = 0;
  unsigned low_grant = LOOM_PUBLISHED_LOW_ENTRY;
  unsigned measure = LOOM_PUBLISHED_CREDITS;
  if (!check_case_keys(r, base, raw) ||
      !loom_yaml_word(&r->yaml, under(base, "mode").text, raw->mode,
                      mode_names[r->published->scheduler], &mode) ||
      !loom_yaml_word(&r->yaml, under(base, "low_grant").text, raw->low_grant, low_grant_names,
                      &low_grant) ||
      !loom_yaml_word(&r->yaml, under(base, "measure").text, raw->measure, measure_names,
                      &measure) ||
      !loom_yaml_u32(&r->yaml, under(base, "limit").text, raw->limit, 0, 255, &limit) ||
      !loom_yaml_number(&r->yaml, under(base, "tolerance").text, raw->tolerance, 4, 0, 10000,
                        &tolerance))
    return false;
  c->mode = (uint8_t)mode;
  c->low_grant = (uint8_t)low_grant;
  c->measure = (uint8_t)measure;
  c->limit = (uint8_t)limit;
  c->tolerance_ppm = (uint32_t)tolerance;
  return true;
}

static bool read_case(const struct reader *r, const char *base, const struct raw_case *raw,
                      struct loom_published_case *c) {
  if (!raw->shares_count && !raw->grants_count && !raw->selections_count)
    return loom_yaml_fail(&r->yaml, base, "nothing is expected: give shares, grants or selections");
  return copy_text(r, base, raw->name, &c->name) && read_options(r, base, raw, c) &&
         read_traffic(r, base, raw, c) && read_shares(r, base, raw, c) &&
         read_grants(r, base, raw, c) && read_selections(r, base, raw, c);
}

static bool read_cases(const struct reader *r, const struct raw_published *raw) {
  struct loom_published *f = r->published;
  if (!make(r, "cases", &f->cases, raw->cases_count, sizeof *f->cases))
    return false;
  f->case_count = raw->cases_count;
  for (uint32_t i = 0; i < f->case_count; i++) {
    for (uint32_t j = 0; j < i; j++)
      if (!strcmp(raw->cases[i].name, raw->cases[j].name))
        return loom_yaml_fail(&r->yaml, at("cases", i, "name").text, "repeated name");
    if (!read_case(r, at("cases", i, NULL).text, &raw->cases[i], &f->cases[i]))
      return false;
  }
  return true;
}

static uint32_t count_vls(const struct reader *r) {
  uint32_t count = r->vl_count;
  for (uint32_t i = 0; i < r->published->case_count; i++)
    for (uint32_t j = 0; j < r->published->cases[i].flow_count; j++)
      if (r->published->cases[i].flow[j].vl >= count)
        count = (uint32_t)r->published->cases[i].flow[j].vl + 1;
  return count;
}

static bool read_published(struct reader *r, const struct raw_published *raw) {
  struct loom_published *f = r->published;
  unsigned scheduler = 0;
  if (!loom_yaml_word(&r->yaml, "scheduler", raw->scheduler, scheduler_names, &scheduler))
    return false;
  f->scheduler = (enum loom_published_scheduler)scheduler;
  unsigned key =
      f->scheduler == LOOM_PUBLISHED_IBARB ? LOOM_PUBLISHED_KEY_VL : LOOM_PUBLISHED_KEY_SL;
  if (!loom_yaml_word(&r->yaml, "key", raw->key, key_names, &key))
    return false;
  f->key = (enum loom_published_key)key;
  if (!copy_text(r, "name", raw->name, &f->name) ||
      !copy_text(r, "source", raw->source, &f->source) || !read_tables(r, raw) ||
      !read_sl_map(r, raw) || !read_cases(r, raw))
    return false;
  f->vl_count = count_vls(r);
  return true;
}

bool loom_published_parse(struct loom_published *published, const struct loom_source *src,
                          struct loom_error *err) {
  struct reader r = {
      .yaml = {.src = src, .schema = &loom_published_schema, .err = err, .end_needed = true},
      .published = published};
  void *raw = NULL;
  memset(published, 0, sizeof *published);
  bool ok = loom_yaml_load(&r.yaml, &raw) && read_published(&r, raw);
  loom_yaml_free(&r.yaml);
  if (!ok)
    loom_published_free(published);
  return ok;
}

bool loom_published_load(struct loom_published *published, const char *file,
                         struct loom_error *err) {
  struct loom_source src;
  memset(published, 0, sizeof *published);
  if (!loom_source_read(&src, file, err))
    return false;
  bool ok = loom_published_parse(published, &src, err);
  loom_source_free(&src);
  return ok;
}

void loom_published_free(struct loom_published *published) {
  for (uint32_t i = 0; i < published->case_count; i++) {
    free(published->cases[i].name);
    free(published->cases[i].flow);
    free(published->cases[i].share);
    free(published->cases[i].grant);
    free(published->cases[i].selection);
  }
  free(published->cases);
  free(published->table.entry);
  free(published->high.entry);
  free(published->low.entry);
  free(published->name);
  free(published->source);
  memset(published, 0, sizeof *published);
}
