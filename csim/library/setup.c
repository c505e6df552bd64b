/* SPDX-License-Identifier: Apache-2.0 */
/* setup.c - a fabric file, read and planned, for programs */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "library/setup.h"

#include <loom/routing.h>
#include <stdlib.h>
#include <string.h>

#include "io/streams.h"
#include "io/text_stream.h"

/* ---- refusals -------------------------------------------------------------------------------- */

bool loom_library_refuse(struct loom_refusal *why, int status, const char *text) {
  if (why) {
    why->status = status;
    snprintf(why->text, sizeof why->text, "%.*s", (int)strcspn(text, "\n"), text);
  }
  return false;
}

bool loom_library_refuse_plan(struct loom_refusal *why, const struct loom_setup *setup,
                              const struct loom_plan_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = loom_text_open(&text, &size);
  if (file) {
    loom_edited_spec_refuse(setup->file, err, setup->name, file);
    fclose(file);
  }
  loom_library_refuse(why, err->status, text ? text : "out of memory");
  free(text);
  return false;
}

/* ---- making one ------------------------------------------------------------------------------ */

static bool no_memory(struct loom_refusal *why) {
  return loom_library_refuse(why, LOOM_EXIT_FAILED, "out of memory");
}

/* The changes as the editor has them: the caller's. */
static struct loom_edit *edits_of(const struct loom_change *change, size_t changes) {
  struct loom_edit *edit = calloc(changes + 1, sizeof *edit);
  for (size_t i = 0; edit && i < changes; i++)
    edit[i] = (struct loom_edit){.path = change[i].key, .value = change[i].value};
  return edit;
}

static bool plan(struct loom_setup *setup, struct loom_refusal *why) {
  struct loom_plan_error err = {.status = LOOM_EXIT_DONE};
  setup->plan = loom_plan_create(&setup->file->spec, &err);
  return setup->plan || loom_library_refuse_plan(why, setup, &err);
}

/* Fills a setup from a text, or from the file `name` if that is NULL. */
static bool fill(struct loom_setup *setup, const char *text, const struct loom_edit *edit,
                 size_t edits, struct loom_refusal *why) {
  struct loom_error err = {.line = ""};
  struct loom_source src;
  if (text && !loom_source_copy(&src, setup->name, text, strlen(text)))
    return no_memory(why);
  setup->file = text ? loom_edited_spec_take(&src, edit, edits, &err)
                     : loom_edited_spec_read(setup->name, edit, edits, &err);
  if (!setup->file)
    return loom_library_refuse(why, LOOM_EXIT_BAD_INPUT, err.line);
  return plan(setup, why);
}

static struct loom_setup *make(const char *name, const char *text, const struct loom_change *change,
                               size_t changes, struct loom_refusal *why) {
  struct loom_setup *setup = calloc(1, sizeof *setup);
  struct loom_edit *edit = edits_of(change, changes);
  if (setup)
    setup->name = strdup(name);
  bool ok = setup && setup->name && edit ? fill(setup, text, edit, changes, why) : no_memory(why);
  free(edit);
  if (ok)
    return setup;
  loom_setup_free(setup);
  return NULL;
}

struct loom_setup *loom_setup_read(const char *file, const struct loom_change *change,
                                   size_t changes, struct loom_refusal *why) {
  return make(file, NULL, change, changes, why);
}

struct loom_setup *loom_setup_parse(const char *name, const char *text,
                                    const struct loom_change *change, size_t changes,
                                    struct loom_refusal *why) {
  return make(name, text, change, changes, why);
}

bool loom_setup_engine(struct loom_setup *setup, const char *engine, struct loom_refusal *why) {
  struct loom_plan_error err = {.status = LOOM_EXIT_DONE};
  enum loom_engine named = LOOM_ENGINE_STEP;
  while (named != LOOM_ENGINE_BOTH && strcmp(engine, loom_engine_names[named]) != 0)
    named++;
  if (named == LOOM_ENGINE_BOTH)
    return loom_library_refuse(why, LOOM_EXIT_BAD_INPUT, "engine: it is none of step, packet");
  return loom_plan_engine(setup->plan, named, &err) || loom_library_refuse_plan(why, setup, &err);
}

void loom_setup_free(struct loom_setup *setup) {
  if (!setup)
    return;
  loom_plan_destroy(setup->plan);
  loom_edited_spec_free(setup->file);
  free(setup->name);
  free(setup);
}

/* ---- looking at it --------------------------------------------------------------------------- */

const char *loom_setup_name(const struct loom_setup *setup) { return setup->file->spec.name; }

uint32_t loom_setup_hosts(const struct loom_setup *setup) { return setup->plan->hosts; }

uint32_t loom_setup_switches(const struct loom_setup *setup) { return setup->plan->switches; }

uint32_t loom_setup_seeds(const struct loom_setup *setup) { return setup->file->spec.run.seeds; }

uint32_t loom_setup_classes(const struct loom_setup *setup) { return setup->file->spec.classes; }

const char *loom_setup_class_name(const struct loom_setup *setup, uint32_t traffic_class) {
  const struct loom_spec *spec = &setup->file->spec;
  return traffic_class < spec->classes ? spec->traffic_class[traffic_class].name : NULL;
}

const struct loom_topo *loom_setup_topo(const struct loom_setup *setup) {
  return setup->plan->topo;
}

const struct loom_routing *loom_setup_routing(const struct loom_setup *setup) {
  return setup->plan->routing;
}
