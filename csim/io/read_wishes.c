/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_wishes.h"

#include <stdio.h>
#include <string.h>

#include "io/yaml.h"

enum { MTU = 4096, MTU_MAX = 65472, TOLERANCE = 5000, GAP_MAX = 1 << 30, NO_SL = 255 };

/* The file as it is written: every scalar is text, NULL where an optional key is missing. */
struct raw_vl {
  char *vl;
  char *name;
  char *share;
  char *gap;
  char *distance;
  char *table;
  char **sls;
  uint32_t sls_count;
};

struct raw_wishes {
  char *mtu;
  char *high;
  char *low;
  char *limit;
  char *tolerance;
  struct raw_vl *vls;
  uint32_t vls_count;
};

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

#define NUMBER(key, need, type, digits, least, most)                                               \
  LOOM_YAML_NUMBER_KEY(#key, need, type, key, digits, least, most)
#define TEXT(key, need, type, max) LOOM_YAML_TEXT_KEY(#key, need, type, key, max)

static const char *const tables[] = {"either", "high", "low", NULL};
static const struct loom_yaml_schema sl_schema = LOOM_YAML_NUMBER_OF(0, 0, LOOM_OPENSM_SLS - 1);

static const struct loom_yaml_field vl_fields[] = {
    NUMBER(vl, NEEDED, raw_vl, 0, 0, LOOM_WISH_VLS - 1),
    TEXT(name, MAY_MISS, raw_vl, LOOM_WISH_NAME),
    NUMBER(share, NEEDED, raw_vl, 4, 1, LOOM_WISH_WHOLE),
    NUMBER(gap, MAY_MISS, raw_vl, 0, 0, GAP_MAX),
    NUMBER(distance, MAY_MISS, raw_vl, 0, 1, GAP_MAX),
    LOOM_YAML_WORD_KEY("table", MAY_MISS, raw_vl, table, tables),
    LOOM_YAML_LIST_KEY("sls", MAY_MISS, raw_vl, sls, &sl_schema, LOOM_OPENSM_SLS),
    {.key = NULL},
};
static const struct loom_yaml_schema vl_schema = LOOM_YAML_MAP_OF(raw_vl, vl_fields);

static const struct loom_yaml_field wishes_fields[] = {
    NUMBER(mtu, MAY_MISS, raw_wishes, 0, LOOM_UNIT_BYTES, MTU_MAX),
    NUMBER(high, MAY_MISS, raw_wishes, 0, 1, LOOM_WISH_ENTRIES),
    NUMBER(low, MAY_MISS, raw_wishes, 0, 0, LOOM_WISH_ENTRIES),
    NUMBER(limit, MAY_MISS, raw_wishes, 0, 0, LOOM_VLARB_NO_LIMIT),
    NUMBER(tolerance, MAY_MISS, raw_wishes, 4, 0, LOOM_WISH_WHOLE),
    LOOM_YAML_LIST_KEY("vls", NEEDED, raw_wishes, vls, &vl_schema, LOOM_WISH_VLS),
    {.key = NULL},
};
const struct loom_yaml_schema loom_wishes_schema = LOOM_YAML_MAP_OF(raw_wishes, wishes_fields);

static struct loom_path of_vl(uint32_t i, const char *key) {
  return loom_path("vls[%u].%s", (unsigned)i, key);
}

/* Percent with four decimals are parts per million. */
static bool read_share(const struct loom_yaml *yaml, const char *path, const char *text,
                       uint32_t min, uint32_t *value) {
  uint64_t number = *value;
  if (!loom_yaml_number(yaml, path, text, 4, min, LOOM_WISH_WHOLE, &number))
    return false;
  *value = (uint32_t)number;
  return true;
}

static bool read_sls(const struct loom_yaml *yaml, struct loom_wishes *w, uint32_t i,
                     const struct raw_vl *raw) {
  uint8_t vl = w->wish.vl[i].vl;
  w->sl[i] = vl;
  for (uint32_t n = 0; n < raw->sls_count; n++) {
    struct loom_path path = loom_path("vls[%u].sls[%u]", (unsigned)i, (unsigned)n);
    uint32_t sl = 0;
    if (!loom_yaml_u32(yaml, path.text, raw->sls[n], 0, LOOM_OPENSM_SLS - 1, &sl))
      return false;
    if (w->vl_of_sl[sl] != NO_SL)
      return loom_yaml_fail(yaml, path.text, "SL %u has VL %u already", (unsigned)sl,
                            (unsigned)w->vl_of_sl[sl]);
    w->vl_of_sl[sl] = vl;
    if (!n)
      w->sl[i] = (uint8_t)sl;
  }
  return true;
}

static bool read_vl(const struct loom_yaml *yaml, struct loom_wishes *w, uint32_t i,
                    const struct raw_vl *raw) {
  struct loom_wish_vl *v = &w->wish.vl[i];
  uint32_t vl = 0;
  unsigned table = LOOM_WISH_EITHER;
  v->gap = v->distance = LOOM_WISH_ANY;
  if (!loom_yaml_u32(yaml, of_vl(i, "vl").text, raw->vl, 0, LOOM_WISH_VLS - 1, &vl) ||
      !read_share(yaml, of_vl(i, "share").text, raw->share, 1, &v->share) ||
      !loom_yaml_u32(yaml, of_vl(i, "gap").text, raw->gap, 0, GAP_MAX, &v->gap) ||
      !loom_yaml_u32(yaml, of_vl(i, "distance").text, raw->distance, 1, GAP_MAX, &v->distance) ||
      !loom_yaml_word(yaml, of_vl(i, "table").text, raw->table, tables, &table))
    return false;
  for (uint32_t j = 0; j < i; j++)
    if (w->wish.vl[j].vl == vl)
      return loom_yaml_fail(yaml, of_vl(i, "vl").text, "VL %u is already that of vls[%u]",
                            (unsigned)vl, (unsigned)j);
  v->vl = (uint8_t)vl;
  v->table = (enum loom_wish_table)table;
  if (raw->name)
    snprintf(w->name[i], sizeof w->name[i], "%s", raw->name);
  return read_sls(yaml, w, i, raw);
}

/* A VL without `sls` has the SL of its number, if no other took that; all other SLs go to the VL
 * with the largest share, so that they are served. */
static bool fill_sls(const struct loom_yaml *yaml, struct loom_wishes *w,
                     const struct raw_wishes *raw) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < w->wish.count; i++) {
    uint8_t vl = w->wish.vl[i].vl;
    if (w->wish.vl[i].share > w->wish.vl[most].share)
      most = i;
    if (raw->vls[i].sls_count)
      continue;
    if (w->vl_of_sl[vl] != NO_SL)
      return loom_yaml_fail(yaml, of_vl(i, "vl").text, "SL %u has VL %u already: give it `sls`",
                            (unsigned)vl, (unsigned)w->vl_of_sl[vl]);
    w->vl_of_sl[vl] = vl;
  }
  for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++)
    if (w->vl_of_sl[sl] == NO_SL)
      w->vl_of_sl[sl] = w->wish.vl[most].vl;
  return true;
}

static bool read_input(const struct loom_yaml *yaml, struct loom_wishes *w,
                       const struct raw_wishes *raw) {
  struct loom_wish *wish = &w->wish;
  wish->packet_bytes = MTU;
  wish->high = wish->low = LOOM_WISH_ENTRIES;
  wish->tolerance = TOLERANCE;
  wish->limit_given = raw->limit != NULL;
  memset(w->vl_of_sl, NO_SL, sizeof w->vl_of_sl);
  if (!loom_yaml_u32(yaml, "mtu", raw->mtu, LOOM_UNIT_BYTES, MTU_MAX, &wish->packet_bytes) ||
      !loom_yaml_u32(yaml, "high", raw->high, 1, LOOM_WISH_ENTRIES, &wish->high) ||
      !loom_yaml_u32(yaml, "low", raw->low, 0, LOOM_WISH_ENTRIES, &wish->low) ||
      !loom_yaml_u32(yaml, "limit", raw->limit, 0, LOOM_VLARB_NO_LIMIT, &wish->limit) ||
      !read_share(yaml, "tolerance", raw->tolerance, 0, &wish->tolerance))
    return false;
  if (wish->packet_bytes % LOOM_UNIT_BYTES)
    return loom_yaml_fail(yaml, "mtu", "%s is not a multiple of 64", raw->mtu);
  for (; wish->count < raw->vls_count; wish->count++)
    if (!read_vl(yaml, w, wish->count, &raw->vls[wish->count]))
      return false;
  return fill_sls(yaml, w, raw);
}

bool loom_read_wishes(struct loom_wishes *wishes, const struct loom_source *src,
                      struct loom_error *err) {
  struct loom_yaml yaml = {.src = src, .schema = &loom_wishes_schema, .err = err};
  void *raw = NULL;
  memset(wishes, 0, sizeof *wishes);
  bool ok = loom_yaml_load(&yaml, &raw) && read_input(&yaml, wishes, raw);
  loom_yaml_free(&yaml);
  return ok;
}

bool loom_load_wishes(struct loom_wishes *wishes, const char *file, struct loom_error *err) {
  struct loom_source src;
  if (!loom_source_read(&src, file, err))
    return false;
  bool ok = loom_read_wishes(wishes, &src, err);
  loom_source_free(&src);
  return ok;
}
