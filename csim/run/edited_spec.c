/* SPDX-License-Identifier: Apache-2.0 */
#include "run/edited_spec.h"

#include <stdlib.h>

#include "io/streams.h"
#include "run/read_fabric.h"

static bool read_source(struct loom_edited_spec *c, struct loom_source *plain,
                        const struct loom_edit *edit, size_t edits, struct loom_error *err) {
  bool ok = loom_read_fabric(&c->spec, plain, err);
  if (!ok || !edits) {
    c->src = *plain;
    return ok;
  }
  loom_spec_free(&c->spec);
  ok = loom_yaml_edit(plain, edit, edits, &c->src, err);
  loom_source_free(plain);
  if (!ok)
    return false;
  return loom_read_fabric(&c->spec, &c->src, err);
}

struct loom_edited_spec *loom_edited_spec_read(const char *file, const struct loom_edit *edit,
                                               size_t edits, struct loom_error *err) {
  struct loom_source plain;
  return loom_source_read(&plain, file, err) ? loom_edited_spec_take(&plain, edit, edits, err)
                                             : NULL;
}

struct loom_edited_spec *loom_edited_spec_take(struct loom_source *plain,
                                               const struct loom_edit *edit, size_t edits,
                                               struct loom_error *err) {
  struct loom_edited_spec *c = calloc(1, sizeof *c);
  if (!c) {
    loom_fail(err, plain->name, 0, "file", "out of memory");
    loom_source_free(plain);
    return NULL;
  }
  if (read_source(c, plain, edit, edits, err) && loom_spec_load(&c->spec, err) &&
      loom_keep(&c->kept, &c->src, &c->spec, err))
    return c;
  loom_edited_spec_free(c);
  return NULL;
}

void loom_edited_spec_free(struct loom_edited_spec *c) {
  if (!c)
    return;
  loom_kept_free(&c->kept);
  loom_spec_free(&c->spec);
  loom_source_free(&c->src);
  free(c);
}

int loom_edited_spec_refuse(const struct loom_edited_spec *c, const struct loom_plan_error *why,
                            const char *command, FILE *out) {
  struct loom_error err = {.line = ""};
  if (why->file.line[0]) {
    loom_error_print(out, &why->file);
  } else if (why->status == LOOM_EXIT_BAD_INPUT) {
    loom_spec_refuse(&c->src, why->key, why->text, &err);
    loom_error_print(out, &err);
  } else {
    fprintf(out, "%s: %s: %s\n", command, why->key, why->text);
  }
  return why->status;
}
