/* SPDX-License-Identifier: Apache-2.0 */
#include "run/read_fabric.h"

#include <stdlib.h>
#include <string.h>

#include "run/spec_schema.h"

/* The part of a path up to its last slash. */
static char *folder_of(const char *name) {
  const char *slash = strrchr(name, '/');
  size_t length = slash ? (size_t)(slash - name) + 1 : 0;
  char *folder = calloc(length + 1, 1);
  if (folder)
    memcpy(folder, name, length);
  return folder;
}

/* Whoever can do without what is wrong is asked, too, so that all of it is told in one go. */
static bool convert(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  struct loom_spec *s = r->spec;
  s->folder = folder_of(r->yaml.src->name);
  if (!s->folder)
    return loom_yaml_no_memory(&r->yaml, "name");
  bool name = loom_spec_text(r, "name", raw->name, s->name, sizeof s->name);
  bool shape = loom_spec_read_shape(r, raw);
  bool devices = loom_spec_read_devices(r, raw);
  bool traffic = loom_spec_read_traffic(r, raw) && loom_spec_read_faults(r, raw);
  return name && shape && devices && traffic;
}

bool loom_read_fabric(struct loom_spec *spec, const struct loom_source *src,
                      struct loom_error *err) {
  struct loom_spec_schema schema;
  void *raw = NULL;
  memset(spec, 0, sizeof *spec);
  loom_spec_schema(&schema);
  struct loom_spec_reader r = {.yaml = {.src = src, .schema = &schema.value, .err = err},
                               .spec = spec};
  bool ok = loom_yaml_load(&r.yaml, &raw) && convert(&r, raw);
  loom_yaml_free(&r.yaml);
  if (!ok)
    loom_spec_free(spec);
  return ok;
}

bool loom_spec_refuse(const struct loom_source *src, const char *key, const char *text,
                      struct loom_error *err) {
  struct loom_spec_schema schema;
  loom_spec_schema(&schema);
  loom_error_clear(err);
  const struct loom_yaml yaml = {.src = src, .schema = &schema.value, .err = err};
  return loom_yaml_fail(&yaml, key, "%s", text);
}
