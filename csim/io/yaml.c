/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml_tree.h"

enum { FIELDS_MAX = 96 };

/* What a load has taken, until it is given back. */
struct loaded {
  struct loom_yaml_tree tree;
  struct room *rooms;
};

/* Zeroed memory for structures, behind its header. */
struct room {
  struct room *older;
  max_align_t bytes[];
};

/* One walk of a schema over a document. */
struct walk {
  const struct loom_source *src;
  struct loom_error *err;
  struct loaded *loaded;
  char path[LOOM_PATH_CHARS];
};

static bool refuse_place(struct walk *w, size_t line, size_t column, const char *message) {
  return loom_fail_at(w->err, w->src, line, column, w->path[0] ? w->path : "document", message);
}

static bool refuse(struct walk *w, const struct loom_yaml_node *n, const char *message) {
  return refuse_place(w, n->line, n->column, message);
}

/* Stands alone, and for no place: the file is right. */
static bool fail_memory(struct loom_error *err, const struct loom_source *src, size_t line,
                        const char *path) {
  loom_error_clear(err);
  loom_fail_at(err, src, line, 0, path, "out of memory");
  err->count = LOOM_ERRORS + 1;
  return false;
}

static bool no_memory(struct walk *w, const struct loom_yaml_node *n) {
  return fail_memory(w->err, w->src, n->line, w->path[0] ? w->path : "document");
}

static void *make(struct walk *w, size_t count, size_t size) {
  struct room *room =
      count && size > (SIZE_MAX / 2) / count ? NULL : calloc(1, sizeof *room + count * size);
  if (!room)
    return NULL;
  room->older = w->loaded->rooms;
  w->loaded->rooms = room;
  return room->bytes;
}

const char *const loom_yaml_flags[] = {"false", "true", NULL};

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

enum { SAID = 300 };

/* What is wrong with a number; false: nothing, and *value is it. */
static bool find_wrong_number(char said[SAID], const char *text, unsigned digits, uint64_t min,
                              uint64_t max, uint64_t *value) {
  char low[40], high[40];
  uint64_t number = 0;
  enum loom_decimal found = loom_decimal(text, digits, max, &number);
  if (found == LOOM_DECIMAL_OK && number >= min) {
    *value = number;
    return false;
  }
  if (found == LOOM_DECIMAL_FINE && digits)
    snprintf(said, SAID, "%.40s has more than %u decimal%s", text, digits, digits > 1 ? "s" : "");
  else if (found == LOOM_DECIMAL_BAD || found == LOOM_DECIMAL_FINE)
    snprintf(said, SAID, "`%.40s` is not a %s number", text, digits ? "plain decimal" : "whole");
  else
    snprintf(said, SAID, "%.40s is outside %s..%s", text, show(low, min, digits),
             show(high, max, digits));
  return true;
}

/* The same of a word. */
static bool find_wrong_word(char said[SAID], const char *text, const char *const names[],
                            unsigned *value) {
  char all[240] = "";
  size_t used = 0;
  for (unsigned i = 0; names[i]; i++) {
    if (!strcmp(names[i], text)) {
      *value = i;
      return false;
    }
    int more = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    used += (size_t)more < sizeof all - used ? (size_t)more : 0;
  }
  snprintf(said, SAID, "`%.40s` is none of %s", text, all);
  return true;
}

static bool walk_value(struct walk *w, const struct loom_yaml_schema *schema,
                       struct loom_yaml_node *n, void *out);

static bool is_plain(struct walk *w, const struct loom_yaml_node *n) {
  return !n->decorated || refuse(w, n, "anchors and tags are not supported");
}

/* A word or a number as the schema says; where it may be either, what is no number is told. */
static bool find_wrong_text(char said[SAID], const struct loom_yaml_schema *schema,
                            const char *text) {
  unsigned word = 0;
  uint64_t number = 0;
  if (schema->words && !find_wrong_word(said, text, schema->words, &word))
    return false;
  if (schema->most)
    return find_wrong_number(said, text, schema->digits, schema->least, schema->most, &number);
  return schema->words != NULL;
}

static bool walk_text(struct walk *w, const struct loom_yaml_schema *schema,
                      struct loom_yaml_node *n, void *out) {
  char *text = n->text, said[SAID];
  if (strlen(text) != n->length)
    return refuse(w, n, "NUL character");
  if (n->length < schema->min)
    return refuse(w, n, "has no value");
  if (n->length > schema->max)
    return refuse(w, n, "value is too long");
  memcpy(out, &text, sizeof text);
  return !find_wrong_text(said, schema, text) || refuse(w, n, said);
}

/* Pointers to texts, or structures, one after the other. */
static bool walk_list(struct walk *w, const struct loom_yaml_schema *schema,
                      const struct loom_yaml_node *n, void *out, uint32_t *entries) {
  size_t length = strlen(w->path), size = schema->entry->size;
  bool ok = true;
  uint32_t count = 0;
  if (schema->entry->kind == LOOM_YAML_TEXT)
    size = sizeof(char *);
  for (const struct loom_yaml_node *c = n->child; c && count <= schema->max; c = c->next)
    count++;
  char *array = make(w, count, size);
  if (!array)
    return no_memory(w, n);
  memcpy(out, &array, sizeof array);
  *entries = count;
  uint32_t i = 0;
  for (struct loom_yaml_node *c = n->child; c && i < count; c = c->next, i++) {
    snprintf(w->path + length, sizeof w->path - length, "[%u]", (unsigned)i);
    if (i == schema->max)
      ok = refuse(w, c, "too many entries");
    else
      ok = walk_value(w, schema->entry, c, array + i * size) && ok;
    w->path[length] = 0;
  }
  return (count >= schema->min || n->open || refuse(w, n, "too few entries")) && ok;
}

static bool walk_field(struct walk *w, const struct loom_yaml_field *field,
                       struct loom_yaml_node *n, char *out) {
  uint32_t entries = 0;
  if (field->value.kind == LOOM_YAML_TEXT)
    return walk_value(w, &field->value, n, out + field->offset);
  if (field->value.kind == LOOM_YAML_MAP) {
    void *made = make(w, 1, field->value.size);
    memcpy(out + field->offset, &made, sizeof made);
    return made ? walk_value(w, &field->value, n, made) : no_memory(w, n);
  }
  if (n->kind != LOOM_YAML_LIST)
    return refuse(w, n,
                  n->kind == LOOM_YAML_ALIAS ? "aliases are not supported" : "must be a list");
  bool ok = is_plain(w, n) && walk_list(w, &field->value, n, out + field->offset, &entries);
  memcpy(out + field->entries, &entries, sizeof entries);
  return ok;
}

static const struct loom_yaml_field *find_field(const struct loom_yaml_field *fields,
                                                const struct loom_yaml_node *key) {
  for (; fields->key; fields++)
    if (!strcmp(fields->key, key->text) && strlen(key->text) == key->length)
      return fields;
  return NULL;
}

/* A key and its value, which is NULL where the text ends between them. */
static bool walk_pair(struct walk *w, const struct loom_yaml_field *fields,
                      struct loom_yaml_node *key, bool seen[FIELDS_MAX], char *out) {
  size_t length = strlen(w->path);
  if (key->kind != LOOM_YAML_TEXT)
    return refuse(w, key, "a key must be a word");
  snprintf(w->path + length, sizeof w->path - length, "%s%.40s", length ? "." : "", key->text);
  const struct loom_yaml_field *field = find_field(fields, key);
  bool ok = is_plain(w, key);
  if (ok && !field)
    ok = refuse(w, key, "unknown key");
  else if (ok && seen[field - fields])
    ok = refuse(w, key, "repeated key");
  else if (ok && key->next)
    ok = walk_field(w, field, key->next, out);
  if (field)
    seen[field - fields] = true;
  w->path[length] = 0;
  return ok;
}

static bool find_missing(struct walk *w, const struct loom_yaml_field *fields,
                         const bool seen[FIELDS_MAX], const struct loom_yaml_node *n) {
  size_t length = strlen(w->path);
  bool ok = true;
  for (unsigned i = 0; fields[i].key; i++) {
    if (seen[i] || !fields[i].needed)
      continue;
    snprintf(w->path + length, sizeof w->path - length, "%s%s", length ? "." : "", fields[i].key);
    ok = refuse(w, n, "missing key");
    w->path[length] = 0;
  }
  return ok;
}

static bool walk_map(struct walk *w, const struct loom_yaml_field *fields,
                     const struct loom_yaml_node *n, void *out) {
  bool seen[FIELDS_MAX] = {false};
  bool ok = true;
  for (struct loom_yaml_node *k = n->child; k && w->err->count <= LOOM_ERRORS;
       k = k->next ? k->next->next : NULL)
    ok = walk_pair(w, fields, k, seen, out) && ok;
  return (n->open || find_missing(w, fields, seen, n)) && ok;
}

/* A text or a mapping; fields alone may be lists. */
static bool walk_value(struct walk *w, const struct loom_yaml_schema *schema,
                       struct loom_yaml_node *n, void *out) {
  bool text = schema->kind == LOOM_YAML_TEXT;
  if (n->kind == LOOM_YAML_ALIAS)
    return refuse(w, n, "aliases are not supported");
  if (n->kind != schema->kind)
    return refuse(w, n, text ? "must be a single value" : "must be a mapping of keys to values");
  return is_plain(w, n) &&
         (text ? walk_text(w, schema, n, out) : walk_map(w, schema->fields, n, out));
}

/* The path to where the text ceases to be YAML. */
static void find_open(struct walk *w, const struct loom_yaml_node *n) {
  size_t used = 0;
  while (n && n->open) {
    const struct loom_yaml_node *key = NULL, *c = n->child;
    unsigned index = 0;
    if (n->kind == LOOM_YAML_LIST) {
      for (; c && c->next; c = c->next)
        index++;
      if (c && c->open)
        used += (size_t)snprintf(w->path + used, sizeof w->path - used, "[%u]", index);
      n = c;
    } else {
      for (; c && c->next && c->next->next; c = c->next->next)
        ;
      key = c && (!c->next || c->next->open) && c->kind == LOOM_YAML_TEXT ? c : NULL;
      if (key)
        used += (size_t)snprintf(w->path + used, sizeof w->path - used, "%s%.40s", used ? "." : "",
                                 key->text);
      n = key ? key->next : NULL;
    }
    if (used >= sizeof w->path)
      return;
  }
}

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
  char message[100];
  size_t line = 1;
  if ((!opened && !yaml->end_needed) || is_ended(yaml->src))
    return true;
  for (size_t i = 0; i < yaml->src->size; i++)
    line += yaml->src->text[i] == '\n';
  snprintf(message, sizeof message, "the file is cut short: %s",
           yaml->end_needed ? "it must end with a line \"...\""
                            : "it starts with \"---\" and must end with a line \"...\"");
  return loom_fail_at(yaml->err, yaml->src, line, 0, "end", message);
}

static bool walk_document(const struct loom_yaml *yaml, struct loaded *loaded, void **data) {
  struct walk w = {.src = yaml->src, .err = yaml->err, .loaded = loaded};
  struct loom_yaml_tree *tree = &loaded->tree;
  bool whole = loom_yaml_parse(tree, yaml->src->text, yaml->src->size), ok = true;
  *data = make(&w, 1, yaml->schema->size);
  if (!*data)
    return fail_memory(yaml->err, yaml->src, 0, "document");
  if (tree->root)
    ok = walk_value(&w, yaml->schema, tree->root, *data);
  if (whole)
    return check_end(yaml, tree->opened) && ok;
  if (tree->no_memory)
    return fail_memory(yaml->err, yaml->src, 0, "document");
  find_open(&w, tree->root);
  return refuse_place(&w, tree->line, tree->column, tree->problem);
}

bool loom_yaml_load(struct loom_yaml *yaml, void **data) {
  struct loaded *loaded = calloc(1, sizeof *loaded);
  *data = NULL;
  loom_error_clear(yaml->err);
  yaml->loaded = loaded;
  if (!loaded)
    return fail_memory(yaml->err, yaml->src, 0, "document");
  bool ok = walk_document(yaml, loaded, data);
  if (!ok) {
    loom_yaml_free(yaml);
    *data = NULL;
  }
  return ok;
}

void loom_yaml_free(struct loom_yaml *yaml) {
  struct loaded *loaded = yaml->loaded;
  if (!loaded)
    return;
  while (loaded->rooms) {
    struct room *room = loaded->rooms;
    loaded->rooms = room->older;
    free(room);
  }
  loom_yaml_tree_free(&loaded->tree);
  free(loaded);
  yaml->loaded = NULL;
}

struct loom_path loom_path(const char *format, ...) {
  struct loom_path p;
  va_list args;
  va_start(args, format);
  vsnprintf(p.text, sizeof p.text, format, args);
  va_end(args);
  return p;
}

/* The value of a path, or of the innermost part of it that is there; the root: column 0. */
static void find_place(const struct loom_yaml *yaml, const char *path, size_t *line,
                       size_t *column) {
  struct loom_yaml_tree own = {.root = NULL};
  struct loaded *loaded = yaml->loaded;
  struct loom_yaml_tree *tree = loaded ? &loaded->tree : &own;
  struct loom_yaml_step step;
  *line = 1;
  *column = 0;
  if (!loaded)
    loom_yaml_parse(&own, yaml->src->text, yaml->src->size);
  struct loom_yaml_node *n = tree->root;
  while (n && *path && loom_yaml_next_step(&path, &step)) {
    struct loom_yaml_node **at = loom_yaml_step(n, &step);
    n = at ? *at : NULL;
    if (n) {
      *line = n->line;
      *column = n->column;
    }
  }
  if (!loaded)
    loom_yaml_tree_free(&own);
}

size_t loom_yaml_line(const struct loom_yaml *yaml, const char *path) {
  size_t line = 0, column = 0;
  find_place(yaml, path, &line, &column);
  return line;
}

bool loom_yaml_fail(const struct loom_yaml *yaml, const char *path, const char *format, ...) {
  char message[LOOM_ERROR_LINE];
  size_t line = 0, column = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  find_place(yaml, path, &line, &column);
  return loom_fail_at(yaml->err, yaml->src, line, column, path, message);
}

bool loom_yaml_no_memory(const struct loom_yaml *yaml, const char *path) {
  return fail_memory(yaml->err, yaml->src, loom_yaml_line(yaml, path), path);
}

bool loom_yaml_number(const struct loom_yaml *yaml, const char *path, const char *text,
                      unsigned digits, uint64_t min, uint64_t max, uint64_t *value) {
  char said[SAID];
  return !text || !find_wrong_number(said, text, digits, min, max, value) ||
         loom_yaml_fail(yaml, path, "%s", said);
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
  char said[SAID];
  return !text || !find_wrong_word(said, text, names, value) ||
         loom_yaml_fail(yaml, path, "%s", said);
}
