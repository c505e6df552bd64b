/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml_json.h"

#include <string.h>

static json_t *json_of(const struct loom_yaml_schema *schema);

/* Words that YAML takes for other things than texts. */
static json_t *json_of_word(const char *word) {
  if (!strcmp(word, "true") || !strcmp(word, "false"))
    return json_boolean(*word == 't');
  return json_string(word);
}

static json_t *json_of_words(const char *const *words) {
  json_t *list = json_array();
  for (; *words; words++)
    json_array_append_new(list, json_of_word(*words));
  return json_pack("{s:o}", "enum", list);
}

static json_t *json_of_bound(uint64_t bound, unsigned digits) {
  double scale = 1;
  for (unsigned i = 0; i < digits; i++)
    scale *= 10;
  return digits ? json_real((double)bound / scale) : json_integer((json_int_t)bound);
}

static json_t *json_of_number(const struct loom_yaml_schema *s) {
  return json_pack("{s:s,s:o,s:o}", "type", s->digits ? "number" : "integer", "minimum",
                   json_of_bound(s->least, s->digits), "maximum",
                   json_of_bound(s->most, s->digits));
}

/* A text may look like a number or a flag: YAML then takes it for one. */
static json_t *json_of_text(const struct loom_yaml_schema *s) {
  if (s->words && s->most)
    return json_pack("{s:[o,o]}", "anyOf", json_of_words(s->words), json_of_number(s));
  if (s->words)
    return json_of_words(s->words);
  if (s->most)
    return json_of_number(s);
  return json_pack("{s:[s,s,s],s:i,s:i}", "type", "string", "number", "boolean", "minLength",
                   (int)s->min, "maxLength", (int)s->max);
}

static json_t *json_of_map(const struct loom_yaml_schema *s) {
  json_t *keys = json_object(), *needed = json_array();
  for (const struct loom_yaml_field *f = s->fields; f->key; f++) {
    json_object_set_new(keys, f->key, json_of(&f->value));
    if (f->needed)
      json_array_append_new(needed, json_string(f->key));
  }
  return json_pack("{s:s,s:b,s:o,s:o}", "type", "object", "additionalProperties", 0, "required",
                   needed, "properties", keys);
}

static json_t *json_of(const struct loom_yaml_schema *s) {
  if (s->kind == LOOM_YAML_MAP)
    return json_of_map(s);
  if (s->kind == LOOM_YAML_LIST)
    return json_pack("{s:s,s:i,s:i,s:o}", "type", "array", "minItems", (int)s->min, "maxItems",
                     (int)s->max, "items", json_of(s->entry));
  return json_of_text(s);
}

json_t *loom_yaml_json(const struct loom_yaml_schema *schema, const char *title) {
  json_t *root =
      json_pack("{s:s,s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "title", title);
  json_t *rest = json_of(schema);
  if (!root || !rest || json_object_update(root, rest)) {
    json_decref(root);
    root = NULL;
  }
  json_decref(rest);
  return root;
}
