/* SPDX-License-Identifier: Apache-2.0 */
#include "run/saturation.h"

#include <stdio.h>
#include <string.h>

#include "run/report.h"

enum { ENOUGH = 95 }; /* percent of a class */

struct loom_saturation loom_saturation_begin(uint32_t loads) {
  return (struct loom_saturation){.carried = 0, .refused = loads};
}

bool loom_saturation_next(const struct loom_saturation *s, uint32_t *load) {
  *load = s->carried + (s->refused - s->carried) / 2;
  return s->carried < s->refused;
}

void loom_saturation_tell(struct loom_saturation *s, uint32_t load, bool carried) {
  if (carried)
    s->carried = load + 1;
  else
    s->refused = load;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "?";
}

static bool ran_to_its_end(const json_t *summary, char why[LOOM_SATURATION_WHY]) {
  const char *outcome = text_of(summary, "outcome");
  snprintf(why, LOOM_SATURATION_WHY, "%.40s", outcome);
  return !strcmp(outcome, loom_outcome_names[LOOM_OUTCOME_DONE]) ||
         !strcmp(outcome, loom_outcome_names[LOOM_OUTCOME_BUSY]);
}

/* A class that was offered nothing has no percentage. */
static bool is_accepted(const json_t *class, char why[LOOM_SATURATION_WHY]) {
  const json_t *percent = json_object_get(class, "percent");
  double mean = json_number_value(json_object_get(percent, "mean"));
  snprintf(why, LOOM_SATURATION_WHY, "%.1f %% of %.80s accepted", mean, text_of(class, "name"));
  return json_integer_value(json_object_get(percent, "seeds")) == 0 || mean >= ENOUGH;
}

static bool is_calm(const json_t *all, char why[LOOM_SATURATION_WHY]) {
  const json_t *total =
      json_object_get(json_object_get(all, "settled"), loom_report_settled[LOOM_SETTLE_TOTAL]);
  double drift = json_number_value(json_object_get(total, "drift"));
  snprintf(why, LOOM_SATURATION_WHY, "latency not stationary, %+.1f %%", 100 * drift);
  return !json_is_false(json_object_get(total, "stationary")) || drift <= 0;
}

bool loom_saturation_carries(const json_t *summary, char why[LOOM_SATURATION_WHY]) {
  const json_t *classes = json_object_get(summary, "classes");
  bool ok = ran_to_its_end(summary, why);
  for (size_t c = 0; ok && c < json_array_size(classes); c++)
    ok = is_accepted(json_array_get(classes, c), why);
  ok = ok && is_calm(json_object_get(summary, "all"), why);
  if (ok)
    why[0] = 0;
  return ok;
}
