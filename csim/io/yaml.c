/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { FIELDS_MAX = 64 };

/* One walk of a schema over a document. */
struct walk {
  yaml_parser_t parser;
  const struct loom_source *src;
  struct loom_error *err; /* NULL: look for `want`, complain about nothing */
  const char *want;       /* path to find, NULL: none */
  size_t found;           /* its line, 0: not seen */
  bool opened;            /* the document starts with `---` */
  char path[LOOM_PATH_CHARS];
};

static size_t line_of(const yaml_event_t *event) { return event->start_mark.line + 1; }

static bool refuse(const struct walk *w, size_t line, const char *message) {
  if (w->err)
    loom_fail(w->err, w->src->name, line, w->path[0] ? w->path : "document", "%s", message);
  return false;
}

/* libyaml's reader knows the offset of a bad byte, its scanner and parser know the mark. */
static bool refuse_syntax(const struct walk *w) {
  size_t line = w->parser.problem_mark.line + 1;
  if (w->parser.error == YAML_READER_ERROR) {
    line = 1;
    for (size_t i = 0; i < w->parser.problem_offset && i < w->src->size; i++)
      line += w->src->text[i] == '\n';
  }
  return refuse(w, line, w->parser.problem ? w->parser.problem : "not YAML");
}

static bool next_event(struct walk *w, yaml_event_t *event) {
  if (yaml_parser_parse(&w->parser, event))
    return true;
  return refuse_syntax(w);
}

static void note(struct walk *w, size_t line) {
  if (w->want && !w->found && !strcmp(w->want, w->path))
    w->found = line;
}

static bool walk_value(struct walk *w, const cyaml_schema_value_t *schema, yaml_event_t *event);

static bool plain(const struct walk *w, const yaml_event_t *event, const yaml_char_t *anchor,
                  const yaml_char_t *tag) {
  return !anchor && !tag ? true : refuse(w, line_of(event), "anchors and tags are not supported");
}

static bool walk_string(struct walk *w, const cyaml_schema_value_t *schema,
                        const yaml_event_t *event) {
  size_t length = event->data.scalar.length;
  if (strlen((const char *)event->data.scalar.value) != length)
    return refuse(w, line_of(event), "NUL character");
  if (length < schema->string.min)
    return refuse(w, line_of(event), "has no value");
  if (length > schema->string.max)
    return refuse(w, line_of(event), "value is too long");
  return true;
}

static bool walk_sequence(struct walk *w, const cyaml_schema_value_t *schema, size_t line) {
  size_t length = strlen(w->path);
  for (uint32_t count = 0;; count++) {
    yaml_event_t event;
    if (!next_event(w, &event))
      return false;
    bool end = event.type == YAML_SEQUENCE_END_EVENT;
    bool ok = true;
    if (!end) {
      snprintf(w->path + length, sizeof w->path - length, "[%u]", (unsigned)count);
      ok = count < schema->sequence.max || refuse(w, line_of(&event), "too many entries");
      ok = ok && walk_value(w, schema->sequence.entry, &event);
    }
    yaml_event_delete(&event);
    if (!ok)
      return false;
    w->path[length] = 0;
    if (end)
      return count >= schema->sequence.min || refuse(w, line, "too few entries");
  }
}

static bool walk_key(struct walk *w, const cyaml_schema_field_t *fields, const yaml_event_t *event,
                     bool seen[FIELDS_MAX], unsigned *index) {
  size_t line = line_of(event);
  size_t length = strlen(w->path);
  if (event->type != YAML_SCALAR_EVENT)
    return refuse(w, line, "a key must be a word");
  const char *key = (const char *)event->data.scalar.value;
  snprintf(w->path + length, sizeof w->path - length, "%s%.40s", length ? "." : "", key);
  if (!plain(w, event, event->data.scalar.anchor, event->data.scalar.tag))
    return false;
  for (*index = 0; fields[*index].key; ++*index)
    if (!strcmp(fields[*index].key, key) && strlen(key) == event->data.scalar.length)
      break;
  if (!fields[*index].key)
    return refuse(w, line, "unknown key");
  if (seen[*index])
    return refuse(w, line, "repeated key");
  seen[*index] = true;
  return true;
}

static bool walk_field(struct walk *w, const cyaml_schema_value_t *schema) {
  yaml_event_t event;
  if (!next_event(w, &event))
    return false;
  bool ok = walk_value(w, schema, &event);
  yaml_event_delete(&event);
  return ok;
}

static bool missing_field(struct walk *w, const cyaml_schema_field_t *fields,
                          const bool seen[FIELDS_MAX], size_t line) {
  for (unsigned i = 0; fields[i].key; i++) {
    if (seen[i] || (fields[i].value.flags & CYAML_FLAG_OPTIONAL))
      continue;
    size_t length = strlen(w->path);
    snprintf(w->path + length, sizeof w->path - length, "%s%s", length ? "." : "", fields[i].key);
    refuse(w, line, "missing key");
    return true;
  }
  return false;
}

static bool walk_mapping(struct walk *w, const cyaml_schema_field_t *fields, size_t line) {
  bool seen[FIELDS_MAX] = {false};
  size_t length = strlen(w->path);
  for (;;) {
    yaml_event_t event;
    unsigned index = 0;
    if (!next_event(w, &event))
      return false;
    bool end = event.type == YAML_MAPPING_END_EVENT;
    bool ok = end || walk_key(w, fields, &event, seen, &index);
    yaml_event_delete(&event);
    if (end)
      return !missing_field(w, fields, seen, line);
    if (!ok || !walk_field(w, &fields[index].value))
      return false;
    w->path[length] = 0;
  }
}

static bool walk_value(struct walk *w, const cyaml_schema_value_t *schema, yaml_event_t *event) {
  size_t line = line_of(event);
  note(w, line);
  if (event->type == YAML_ALIAS_EVENT)
    return refuse(w, line, "aliases are not supported");
  if (schema->type == CYAML_STRING)
    return event->type != YAML_SCALAR_EVENT
               ? refuse(w, line, "must be a single value")
               : plain(w, event, event->data.scalar.anchor, event->data.scalar.tag) &&
                     walk_string(w, schema, event);
  if (schema->type == CYAML_SEQUENCE)
    return event->type != YAML_SEQUENCE_START_EVENT
               ? refuse(w, line, "must be a list")
               : plain(w, event, event->data.sequence_start.anchor,
                       event->data.sequence_start.tag) &&
                     walk_sequence(w, schema, line);
  return event->type != YAML_MAPPING_START_EVENT
             ? refuse(w, line, "must be a mapping of keys to values")
             : plain(w, event, event->data.mapping_start.anchor, event->data.mapping_start.tag) &&
                   walk_mapping(w, schema->mapping.fields, line);
}

/* Events of a whole document: the walk proper stands between the start and the end of it. */
static bool walk_document(struct walk *w, const cyaml_schema_value_t *schema) {
  static const yaml_event_type_t frame[] = {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                            YAML_NO_EVENT, YAML_DOCUMENT_END_EVENT,
                                            YAML_STREAM_END_EVENT};
  for (unsigned i = 0; i < sizeof frame / sizeof frame[0]; i++) {
    yaml_event_t event;
    if (!next_event(w, &event))
      return false;
    bool ok = true;
    if (frame[i] == YAML_NO_EVENT)
      ok = walk_value(w, schema, &event);
    else if (event.type != frame[i])
      ok = refuse(w, line_of(&event), i < 2 ? "empty file" : "more than one document");
    if (event.type == YAML_DOCUMENT_START_EVENT)
      w->opened = !event.data.document_start.implicit;
    yaml_event_delete(&event);
    if (!ok)
      return false;
  }
  return true;
}

static bool walk(struct walk *w, const cyaml_schema_value_t *schema) {
  if (!yaml_parser_initialize(&w->parser))
    return refuse(w, 0, "out of memory");
  yaml_parser_set_input_string(&w->parser, (const unsigned char *)w->src->text, w->src->size);
  bool ok = walk_document(w, schema);
  yaml_parser_delete(&w->parser);
  return ok;
}

static const cyaml_config_t config = {
    .log_level = CYAML_LOG_ERROR,
    .log_fn = NULL,
    .mem_fn = cyaml_mem,
    .flags = CYAML_CFG_NO_ALIAS,
};

/* The last line is `...` and has its newline: at column 0 nothing but the end of the document is
 * written so. */
static bool is_ended(const struct loom_source *src) {
  static const char *const ends[] = {"\n...\n", "\n...\r\n"};
  for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    size_t length = strlen(ends[i]);
    if (src->size >= length && !memcmp(src->text + src->size - length, ends[i], length))
      return true;
  }
  return false;
}

static bool check_end(const struct loom_yaml *yaml, bool opened) {
  size_t line = 1;
  if ((!opened && !yaml->end_needed) || is_ended(yaml->src))
    return true;
  for (size_t i = 0; i < yaml->src->size; i++)
    line += yaml->src->text[i] == '\n';
  return loom_fail(yaml->err, yaml->src->name, line, "end", "the file is cut short: %s",
                   yaml->end_needed ? "it must end with a line \"...\""
                                    : "it starts with \"---\" and must end with a line \"...\"");
}

bool loom_yaml_load(const struct loom_yaml *yaml, void **data) {
  struct walk w = {.src = yaml->src, .err = yaml->err};
  *data = NULL;
  if (!walk(&w, yaml->schema) || !check_end(yaml, w.opened))
    return false;
  cyaml_err_t bad = cyaml_load_data((const uint8_t *)yaml->src->text, yaml->src->size, &config,
                                    yaml->schema, data, NULL);
  if (bad == CYAML_OK)
    return true;
  *data = NULL;
  return loom_fail(yaml->err, yaml->src->name, 1, "document", "%s", cyaml_strerror(bad));
}

void loom_yaml_free(const struct loom_yaml *yaml, void *data) {
  if (data)
    cyaml_free(&config, yaml->schema, data, 0);
}

struct loom_path loom_path(const char *format, ...) {
  struct loom_path p;
  va_list args;
  va_start(args, format);
  vsnprintf(p.text, sizeof p.text, format, args);
  va_end(args);
  return p;
}

size_t loom_yaml_line(const struct loom_yaml *yaml, const char *path) {
  char part[LOOM_PATH_CHARS];
  snprintf(part, sizeof part, "%s", path);
  for (size_t length = strlen(part); length; length--) {
    if (part[length] && part[length] != '.' && part[length] != '[')
      continue;
    part[length] = 0;
    struct walk w = {.src = yaml->src, .want = part};
    walk(&w, yaml->schema);
    if (w.found)
      return w.found;
  }
  return 1;
}

bool loom_yaml_fail(const struct loom_yaml *yaml, const char *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  loom_fail_with(yaml->err, yaml->src->name, loom_yaml_line(yaml, path), path, format, args);
  va_end(args);
  return false;
}

/* A number of `digits` decimals as text, `12` or `0.5`. */
static const char *show(char out[40], uint64_t value, unsigned digits) {
  uint64_t scale = 1;
  for (unsigned i = 0; i < digits; i++)
    scale *= 10;
  int used = snprintf(out, 40, "%llu", (unsigned long long)(value / scale));
  if (value % scale) {
    used += snprintf(out + used, 40 - (size_t)used, ".%0*llu", (int)digits,
                     (unsigned long long)(value % scale));
    while (out[used - 1] == '0')
      out[--used] = 0;
  }
  return out;
}

bool loom_yaml_number(const struct loom_yaml *yaml, const char *path, const char *text,
                      unsigned digits, uint64_t min, uint64_t max, uint64_t *value) {
  char low[40];
  char high[40];
  uint64_t number = 0;
  if (!text)
    return true;
  switch (loom_decimal(text, digits, max, &number)) {
  case LOOM_DECIMAL_BAD:
    return loom_yaml_fail(yaml, path, "`%.40s` is not a %s number", text,
                          digits ? "plain decimal" : "whole");
  case LOOM_DECIMAL_FINE:
    if (digits)
      return loom_yaml_fail(yaml, path, "%.40s has more than %u decimal%s", text, digits,
                            digits > 1 ? "s" : "");
    return loom_yaml_fail(yaml, path, "`%.40s` is not a whole number", text);
  case LOOM_DECIMAL_OK:
    if (number >= min) {
      *value = number;
      return true;
    }
    break;
  case LOOM_DECIMAL_LARGE:
    break;
  }
  return loom_yaml_fail(yaml, path, "%.40s is outside %s..%s", text, show(low, min, digits),
                        show(high, max, digits));
}

bool loom_yaml_u32(const struct loom_yaml *yaml, const char *path, const char *text, uint32_t min,
                   uint32_t max, uint32_t *value) {
  uint64_t number = *value;
  if (!loom_yaml_number(yaml, path, text, 0, min, max, &number))
    return false;
  *value = (uint32_t)number;
  return true;
}

bool loom_yaml_word(const struct loom_yaml *yaml, const char *path, const char *text,
                    const char *const names[], unsigned *value) {
  char all[160] = "";
  size_t used = 0;
  if (!text)
    return true;
  for (unsigned i = 0; names[i]; i++) {
    if (!strcmp(names[i], text)) {
      *value = i;
      return true;
    }
    int more = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    used += (size_t)more < sizeof all - used ? (size_t)more : 0;
  }
  return loom_yaml_fail(yaml, path, "`%.40s` is none of %s", text, all);
}
