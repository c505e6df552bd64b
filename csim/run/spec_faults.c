/* SPDX-License-Identifier: Apache-2.0 */
/* spec_faults.c - what fails in an Elite5 fabric, and what is done about it (docs/fabric.md; E5-24,
 * E5-26, E5-37) */
#include <stdlib.h>
#include <string.h>

#include "run/spec_schema.h"

enum { CHANCE_DIGITS = 12, DELAY = 1000, PORT_MAX = 255 };

const char *const loom_fault_names[LOOM_FAULT_ERRORS + 2] = {"cut", "join", "errors", NULL};
const char *const loom_cure_names[LOOM_CURE_TABLES + 2] = {"none", "links", "tables", NULL};

/* NAME/PORT. */
static bool read_link(const struct loom_spec_reader *r, const char *path, const char *text,
                      struct loom_spec_fault *f) {
  const char *slash = strrchr(text, '/');
  char name[LOOM_TOPO_NAME];
  if (!slash || slash == text || (size_t)(slash - text) >= sizeof name)
    return loom_yaml_fail(&r->yaml, path, "`%.40s` is not NAME/PORT", text);
  memcpy(name, text, (size_t)(slash - text));
  name[slash - text] = 0;
  return loom_spec_text(r, path, name, f->device, sizeof f->device) &&
         loom_yaml_u32(&r->yaml, path, slash + 1, 1, PORT_MAX, &f->port);
}

static bool read_place(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_fault *raw, struct loom_spec_fault *f) {
  if (!raw->link == !raw->device)
    return loom_yaml_fail(&r->yaml, loom_spec_at("faults", i, NULL).text, "give link or switch");
  struct loom_path path = loom_spec_at("faults", i, raw->link ? "link" : "switch");
  return raw->link ? read_link(r, path.text, raw->link, f)
                   : loom_spec_text(r, path.text, raw->device, f->device, sizeof f->device);
}

static bool read_chance(const struct loom_spec_reader *r, uint32_t i,
                        const struct loom_raw_fault *raw, struct loom_spec_fault *f) {
  struct loom_path path = loom_spec_at("faults", i, "chance");
  if (!raw->chance != (f->kind != LOOM_FAULT_ERRORS))
    return loom_yaml_fail(&r->yaml, path.text, raw->chance ? "only errors have it" : "missing key");
  return loom_yaml_number(&r->yaml, path.text, raw->chance, CHANCE_DIGITS, 0,
                          UINT64_C(1000000000000), &f->chance);
}

static bool read_fault(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_fault *raw) {
  struct loom_spec *s = r->spec;
  struct loom_spec_fault *f = &s->fault[i];
  unsigned kind = 0;
  if (!loom_yaml_number(&r->yaml, loom_spec_at("faults", i, "at").text, raw->at, 0, 0,
                        s->run.warmup + s->run.measure - 1, &f->at) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("faults", i, "what").text, raw->what, loom_fault_names,
                      &kind))
    return false;
  f->kind = kind;
  return read_place(r, i, raw, f) && read_chance(r, i, raw, f);
}

/* In order of their cycles; those of the same cycle stay in theirs. */
static void sort_faults(struct loom_spec *s) {
  for (uint32_t i = 1; i < s->faults; i++) {
    const struct loom_spec_fault f = s->fault[i];
    uint32_t j = i;
    for (; j && s->fault[j - 1].at > f.at; j--)
      s->fault[j] = s->fault[j - 1];
    s->fault[j] = f;
  }
}

static bool read_management(const struct loom_spec_reader *r,
                            const struct loom_raw_management *raw) {
  struct loom_spec *s = r->spec;
  unsigned cure = LOOM_CURE_NONE;
  s->cure_delay = DELAY;
  if (!raw)
    return true;
  if (!loom_yaml_word(&r->yaml, "management.cure", raw->cure, loom_cure_names, &cure) ||
      !loom_yaml_number(&r->yaml, "management.delay", raw->delay, 0, 0, LOOM_SPEC_DELAY,
                        &s->cure_delay))
    return false;
  s->cure = cure;
  return true;
}

bool loom_spec_read_faults(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  struct loom_spec *s = r->spec;
  const char *key = raw->faults_count ? "faults" : raw->management ? "management" : NULL;
  if (key && !loom_device_is_elite5(s->kind))
    return loom_yaml_fail(&r->yaml, key, "only elite5 and crosspoint have it");
  s->fault = calloc((size_t)raw->faults_count + 1, sizeof *s->fault);
  if (!s->fault)
    return loom_yaml_no_memory(&r->yaml, "faults");
  bool good = true;
  for (; s->faults < raw->faults_count; s->faults++)
    good = read_fault(r, s->faults, &raw->faults[s->faults]) && good;
  sort_faults(s);
  return read_management(r, raw->management) && good;
}
