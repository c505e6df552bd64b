/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

_Static_assert((int)LOOM_YAML_BARE == (int)YAML_PLAIN_SCALAR_STYLE &&
                   (int)LOOM_YAML_FLOW_MAP == (int)YAML_FLOW_MAPPING_STYLE,
               "styles are those of libyaml");

/* ---- nodes ----------------------------------------------------------------------------------- */

struct loom_yaml_node *loom_yaml_node(struct loom_yaml_tree *tree, enum loom_yaml_kind kind,
                                      int style, const char *text, size_t length) {
  struct loom_yaml_node *n = calloc(1, sizeof *n + length + 1);
  if (!n)
    return NULL;
  n->kind = kind;
  n->style = style;
  n->length = length;
  if (length)
    memcpy(n->text, text, length);
  n->older = tree->newest;
  tree->newest = n;
  return n;
}

void loom_yaml_append(struct loom_yaml_node *parent, struct loom_yaml_node *child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->child = child;
  parent->last = child;
}

void loom_yaml_tree_free(struct loom_yaml_tree *tree) {
  while (tree->newest) {
    struct loom_yaml_node *n = tree->newest;
    tree->newest = n->older;
    free(n);
  }
  tree->root = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A document that is being read. */
struct reading {
  struct loom_yaml_tree *tree;
  const char *text;
  size_t size;
  yaml_parser_t parser;
  struct loom_yaml_node *open[LOOM_YAML_DEPTH];
  unsigned depth;
};

static bool complain(struct reading *r, const yaml_mark_t *mark, const char *what) {
  struct loom_yaml_tree *t = r->tree;
  snprintf(t->problem, sizeof t->problem, "%s", what);
  t->line = mark->line + 1;
  t->column = mark->column + 1;
  return false;
}

static bool complain_of_memory(struct reading *r) {
  r->tree->no_memory = true;
  return complain(r, &(yaml_mark_t){0}, "out of memory");
}

/* libyaml's reader knows the offset of a bad byte, its scanner and parser know the mark. */
static bool complain_of_syntax(struct reading *r) {
  const yaml_parser_t *p = &r->parser;
  complain(r, &p->problem_mark, p->problem ? p->problem : "not YAML");
  if (p->error == YAML_MEMORY_ERROR)
    return complain_of_memory(r);
  if (p->error != YAML_READER_ERROR)
    return false;
  r->tree->line = 1;
  r->tree->column = 0;
  for (size_t i = 0; i < p->problem_offset && i < r->size; i++)
    r->tree->line += r->text[i] == '\n';
  return false;
}

static bool is_decorated(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return event->data.scalar.anchor || event->data.scalar.tag;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.anchor || event->data.sequence_start.tag;
  default:
    return event->data.mapping_start.anchor || event->data.mapping_start.tag;
  }
}

static struct loom_yaml_node *node_of(struct reading *r, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return loom_yaml_node(r->tree, LOOM_YAML_TEXT, (int)event->data.scalar.style,
                          (const char *)event->data.scalar.value, event->data.scalar.length);
  case YAML_SEQUENCE_START_EVENT:
    return loom_yaml_node(r->tree, LOOM_YAML_LIST, (int)event->data.sequence_start.style, NULL, 0);
  case YAML_MAPPING_START_EVENT:
    return loom_yaml_node(r->tree, LOOM_YAML_MAP, (int)event->data.mapping_start.style, NULL, 0);
  default:
    return loom_yaml_node(r->tree, LOOM_YAML_ALIAS, 0, NULL, 0);
  }
}

static bool add(struct reading *r, const yaml_event_t *event) {
  struct loom_yaml_node *n = node_of(r, event);
  if (!n)
    return complain_of_memory(r);
  n->line = event->start_mark.line + 1;
  n->column = event->start_mark.column + 1;
  n->decorated = n->kind != LOOM_YAML_ALIAS && is_decorated(event);
  if (r->depth)
    loom_yaml_append(r->open[r->depth - 1], n);
  else
    r->tree->root = n;
  if (n->kind == LOOM_YAML_TEXT || n->kind == LOOM_YAML_ALIAS)
    return true;
  n->open = true;
  if (r->depth == LOOM_YAML_DEPTH)
    return complain(r, &event->start_mark, "values are nested too deeply");
  r->open[r->depth++] = n;
  return true;
}

/* Takes one event; false: there is a problem. */
static bool take(struct reading *r, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (r->tree->root)
      return complain(r, &event->start_mark, "more than one document");
    r->tree->opened = !event->data.document_start.implicit;
    return true;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    r->open[--r->depth]->open = false;
    return true;
  case YAML_STREAM_END_EVENT:
    return r->tree->root ? true : complain(r, &event->start_mark, "empty file");
  case YAML_SCALAR_EVENT:
  case YAML_ALIAS_EVENT:
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    return add(r, event);
  default:
    return true;
  }
}

static bool read_events(struct reading *r) {
  for (bool end = false; !end;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event))
      return complain_of_syntax(r);
    bool ok = take(r, &event);
    end = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (!ok)
      return false;
  }
  return true;
}

bool loom_yaml_parse(struct loom_yaml_tree *tree, const char *text, size_t size) {
  struct reading r = {.tree = tree, .text = text, .size = size};
  memset(tree, 0, sizeof *tree);
  if (!yaml_parser_initialize(&r.parser))
    return complain_of_memory(&r);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
  bool ok = read_events(&r);
  yaml_parser_delete(&r.parser);
  return ok;
}

/* ---- paths ----------------------------------------------------------------------------------- */

struct loom_yaml_node **loom_yaml_entry(struct loom_yaml_node *list, size_t index) {
  if (list->kind != LOOM_YAML_LIST)
    return NULL;
  struct loom_yaml_node **at = &list->child;
  while (*at && index--)
    at = &(*at)->next;
  return *at ? at : NULL;
}

struct loom_yaml_node **loom_yaml_value(struct loom_yaml_node *map, const char *key) {
  if (map->kind != LOOM_YAML_MAP)
    return NULL;
  for (struct loom_yaml_node *k = map->child; k && k->next; k = k->next->next)
    if (k->kind == LOOM_YAML_TEXT && !strcmp(k->text, key))
      return &k->next;
  return NULL;
}

bool loom_yaml_next_step(const char **path, struct loom_yaml_step *step) {
  const char *at = *path;
  step->indexed = *at == '[';
  if (step->indexed) {
    char *end = NULL;
    if (!isdigit((unsigned char)at[1]))
      return false;
    step->index = strtoul(at + 1, &end, 10);
    if (*end != ']')
      return false;
    at = end + 1;
  } else {
    size_t length = strcspn(at, ".[");
    if (!length || length >= LOOM_YAML_KEY)
      return false;
    memcpy(step->key, at, length);
    step->key[length] = 0;
    at += length;
  }
  *path = at + (*at == '.');
  if (*at == '.')
    return at[1] && at[1] != '[' && at[1] != '.';
  return !*at || *at == '[';
}

struct loom_yaml_node **loom_yaml_step(struct loom_yaml_node *parent,
                                       const struct loom_yaml_step *step) {
  return step->indexed ? loom_yaml_entry(parent, step->index) : loom_yaml_value(parent, step->key);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_node(yaml_emitter_t *emitter, const struct loom_yaml_node *n) {
  yaml_event_t event;
  bool ok = false, list = n->kind == LOOM_YAML_LIST;
  if (n->kind == LOOM_YAML_TEXT)
    return yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)n->text,
                                        (int)n->length, 1, 1, (yaml_scalar_style_t)n->style) &&
           yaml_emitter_emit(emitter, &event);
  ok = list ? yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                                   (yaml_sequence_style_t)n->style)
            : yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                  (yaml_mapping_style_t)n->style);
  ok = ok && yaml_emitter_emit(emitter, &event);
  for (const struct loom_yaml_node *c = n->child; ok && c; c = c->next)
    ok = write_node(emitter, c);
  return ok &&
         (list ? yaml_sequence_end_event_initialize(&event)
               : yaml_mapping_end_event_initialize(&event)) &&
         yaml_emitter_emit(emitter, &event);
}

bool loom_yaml_write(const struct loom_yaml_tree *tree,
                     int (*write)(void *context, unsigned char *bytes, size_t size),
                     void *context) {
  yaml_emitter_t emitter;
  yaml_event_t event;
  if (!yaml_emitter_initialize(&emitter))
    return false;
  yaml_emitter_set_output(&emitter, write, context);
  yaml_emitter_set_width(&emitter, 100);
  bool ok = yaml_stream_start_event_initialize(&event, YAML_ANY_ENCODING) &&
            yaml_emitter_emit(&emitter, &event) &&
            yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 0) &&
            yaml_emitter_emit(&emitter, &event) && write_node(&emitter, tree->root) &&
            yaml_document_end_event_initialize(&event, 0) && yaml_emitter_emit(&emitter, &event) &&
            yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(&emitter, &event);
  yaml_emitter_delete(&emitter);
  return ok;
}
