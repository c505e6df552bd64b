/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_vef.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vef/vef_text.h"

bool loom_vef_fail(const char *name, const struct loom_vef_error *e, struct loom_error *err) {
  if (!e->key)
    return loom_fail(err, name, 0, "file", "%s", e->message);
  if (e->message)
    return loom_fail(err, name, e->line, e->key, "%s", e->message);
  if (e->min == e->max)
    return loom_fail(err, name, e->line, e->key, "is not %" PRIu64, e->min);
  return loom_fail(err, name, e->line, e->key, "is outside %" PRIu64 "..%" PRIu64, e->min, e->max);
}

static bool refuse(const struct loom_source *src, const struct loom_vef_error *e,
                   struct loom_error *err) {
  return loom_vef_fail(src->name, e, err);
}

bool loom_vef_cut_ops(char *list, const char *ops[LOOM_VEF_OPS], const char **twice) {
  *twice = NULL;
  for (unsigned count = 0; count < LOOM_VEF_OPS; count++) {
    size_t length = strcspn(list, ",");
    bool last = count + 1 == LOOM_VEF_OPS;
    if (!length || last != !list[length])
      return false;
    list[length] = 0;
    ops[count] = list;
    for (unsigned i = 0; i < count && !*twice; i++)
      if (!strcmp(ops[i], list))
        *twice = list;
    if (*twice)
      return false;
    list += length + 1;
  }
  return true;
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

bool loom_make_vef(struct loom_vef_input *input, const struct loom_vef_generate_cfg *cfg,
                   enum loom_vef_algorithm algorithm, const char *name, struct loom_error *err) {
  *input = (struct loom_vef_input){.trace = loom_vef_generate(cfg)};
  if (!input->trace)
    return loom_fail(err, name, 0, "rounds", "too many records, or out of memory");
  if (prepare(input, name, algorithm, err))
    return true;
  loom_vef_input_free(input);
  return false;
}

struct loom_vef_names *loom_read_vef_names(const struct loom_source *src, uint32_t tasks,
                                           struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = loom_vef_names_parse(src->text, src->size, &e);
  if (!names)
    refuse(src, &e, err);
  if (!names || names->count == tasks)
    return names;
  loom_vef_names_destroy(names);
  loom_fail(err, src->name, 1, "n", "is not %" PRIu32 ", the tasks of the trace", tasks);
  return NULL;
}

/* A line for each task, a number for each task it sends to. */
static bool take_latencies(struct loom_vef_text *t, uint32_t tasks, uint32_t *table) {
  for (uint32_t src = 0; src < tasks; src++) {
    if (t->next == t->stop) {
      t->line++;
      return loom_vef_refuse(t, "file", "has fewer lines than the trace has tasks");
    }
    if (!loom_vef_take_line(t))
      return false;
    for (uint32_t dst = 0; dst < tasks; dst++) {
      uint64_t cycles = 0;
      if (!loom_vef_take_number(t, "latency", 0, LOOM_VEF_NAMES_LATENCY, &cycles))
        return false;
      *table++ = (uint32_t)cycles;
    }
    if (!loom_vef_end_line(t, "latency"))
      return false;
  }
  t->line++;
  return t->next == t->stop ||
         loom_vef_refuse(t, "file", "has more lines than the trace has tasks");
}

uint32_t *loom_read_vef_latencies(const struct loom_source *src, uint32_t tasks,
                                  struct loom_error *err) {
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_text t = {.next = src->text, .stop = src->text + src->size, .error = &e};
  /* A number and what ends it are two bytes: the file says how much room it can need. */
  size_t room = (size_t)tasks * tasks;
  uint32_t *table = calloc(room < src->size / 2 ? room : src->size / 2 + 1, sizeof *table);
  if (!table) {
    loom_fail(err, src->name, 0, "file", "out of memory");
    return NULL;
  }
  if (take_latencies(&t, tasks, table))
    return table;
  refuse(src, &e, err);
  free(table);
  return NULL;
}
