#include "cli/read_vef.h"

#include <inttypes.h>

static bool refuse(const struct loom_source *src, const struct loom_vef_error *e,
                   struct loom_error *err) {
  if (!e->key)
    return loom_fail(err, src->name, 0, "file", "%s", e->message);
  if (e->message)
    return loom_fail(err, src->name, e->line, e->key, "%s", e->message);
  if (e->min == e->max)
    return loom_fail(err, src->name, e->line, e->key, "is not %" PRIu64, e->min);
  return loom_fail(err, src->name, e->line, e->key, "is outside %" PRIu64 "..%" PRIu64, e->min,
                   e->max);
}

void loom_vef_input_free(struct loom_vef_input *input) {
  if (input->expanded != input->trace)
    loom_vef_destroy(input->expanded);
  loom_vef_destroy(input->trace);
  *input = (struct loom_vef_input){.trace = NULL};
}

/* Expands the trace and follows its dependencies. */
static bool prepare(struct loom_vef_input *input, const char *name,
                    enum loom_vef_algorithm algorithm, struct loom_error *err) {
  input->expanded = input->trace->parts ? loom_vef_expand(input->trace, algorithm) : input->trace;
  if (!input->expanded)
    return loom_fail(err, name, 0, "nLocalCollComm",
                     "the collectives do not fit: too many or too long messages");
  if (!loom_vef_follow(input->expanded, &input->chain))
    return loom_fail(err, name, 0, "file", "out of memory");
  if (input->chain.stuck == LOOM_VEF_NONE)
    return true;
  uint32_t origin = input->expanded->record[input->chain.stuck].origin;
  return loom_fail(err, name, loom_vef_line(input->trace, origin), "IDdep",
                   "can never come about: tasks wait for each other");
}

bool loom_read_vef(struct loom_vef_input *input, const struct loom_source *src,
                   enum loom_vef_algorithm algorithm, const char *const ops[LOOM_VEF_OPS],
                   struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  *input = (struct loom_vef_input){.trace = loom_vef_parse(src->text, src->size, ops, &e)};
  if (!input->trace)
    return refuse(src, &e, err);
  if (prepare(input, src->name, algorithm, err))
    return true;
  loom_vef_input_free(input);
  return false;
}

struct loom_vef_names *loom_read_vef_names(const struct loom_source *src, struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = loom_vef_names_parse(src->text, src->size, &e);
  if (!names)
    refuse(src, &e, err);
  return names;
}
