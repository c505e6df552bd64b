/* SPDX-License-Identifier: Apache-2.0 */

#include "io/yaml_edit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "io/text_stream.h"

enum { KEY_MAX = 80, DIGITS = 9, DEPTH_MAX = 32, LOAD_MAX = 4 /* links of a node */ };
static const uint64_t ONE = 1000000000;

struct editor {
  yaml_document_t doc;
  const struct loom_source *src;
  struct loom_error *err;
  const char *path; /* of the change at hand */
};

static bool refuse(const struct editor *e, const char *what) {
  return loom_fail(e->err, e->src->name, 0, e->path, "%s", what);
}

/* ---- documents ------------------------------------------------------------------------------- */

static bool load(yaml_document_t *doc, const char *text, size_t size) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    return false;
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  bool ok = yaml_parser_load(&parser, doc);
  yaml_parser_delete(&parser);
  if (!ok || yaml_document_get_root_node(doc))
    return ok;
  yaml_document_delete(doc);
  return false;
}

/* Copies a node of another document; 0: out of memory, or too deep. */
static int graft(yaml_document_t *to, yaml_document_t *from, int id, int depth) {
  const yaml_node_t *n = yaml_document_get_node(from, id);
  if (!n || depth == DEPTH_MAX)
    return 0;
  if (n->type == YAML_SCALAR_NODE)
    return yaml_document_add_scalar(to, NULL, n->data.scalar.value, (int)n->data.scalar.length,
                                    n->data.scalar.style);
  if (n->type == YAML_SEQUENCE_NODE) {
    int made = yaml_document_add_sequence(to, NULL, n->data.sequence.style);
    for (const yaml_node_item_t *i = n->data.sequence.items.start;
         made && i < n->data.sequence.items.top; i++) {
      int item = graft(to, from, *i, depth + 1);
      if (!item || !yaml_document_append_sequence_item(to, made, item))
        return 0;
    }
    return made;
  }
  int made = yaml_document_add_mapping(to, NULL, n->data.mapping.style);
  for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
       made && p < n->data.mapping.pairs.top; p++) {
    int key = graft(to, from, p->key, depth + 1);
    int value = graft(to, from, p->value, depth + 1);
    if (!key || !value || !yaml_document_append_mapping_pair(to, made, key, value))
      return 0;
  }
  return made;
}

static int graft_text(struct editor *e, const char *text) {
  yaml_document_t value;
  if (!load(&value, text, strlen(text))) {
    refuse(e, "the value is not YAML");
    return 0;
  }
  int made = graft(&e->doc, &value, 1, 0);
  yaml_document_delete(&value);
  if (!made)
    refuse(e, "out of memory");
  return made;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* One step of a path: a key, or an index. */
struct step {
  char key[KEY_MAX];
  size_t index;
  bool indexed;
};

/* Takes the next step off the path; false: it is no path. */
static bool next_step(const char **at, struct step *s) {
  s->indexed = **at == '[';
  if (s->indexed) {
    char *end = NULL;
    if (!isdigit((unsigned char)(*at)[1]))
      return false;
    s->index = strtoul(*at + 1, &end, 10);
    *at = end + 1;
    if (*end != ']')
      return false;
  } else {
    size_t length = strcspn(*at, ".[");
    if (!length || length >= KEY_MAX)
      return false;
    memcpy(s->key, *at, length);
    s->key[length] = 0;
    *at += length;
  }
  if (**at == '.')
    return *++*at && **at != '[' && **at != '.';
  return !**at || **at == '[';
}

static yaml_node_pair_t *find_pair(struct editor *e, const yaml_node_t *map, const char *key) {
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
    const yaml_node_t *k = yaml_document_get_node(&e->doc, p->key);
    if (k->type == YAML_SCALAR_NODE && !strcmp((const char *)k->data.scalar.value, key))
      return p;
  }
  return NULL;
}

/* The place where the number of a step's node stands; NULL: it is not there. */
static int *find_step(struct editor *e, int node, const struct step *s) {
  yaml_node_t *n = yaml_document_get_node(&e->doc, node);
  if (s->indexed && n->type == YAML_SEQUENCE_NODE) {
    size_t count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
    return s->index < count ? n->data.sequence.items.start + s->index : NULL;
  }
  if (!s->indexed && n->type == YAML_MAPPING_NODE) {
    yaml_node_pair_t *p = find_pair(e, n, s->key);
    return p ? &p->value : NULL;
  }
  return NULL;
}

static void remove_step(struct editor *e, int node, const struct step *s) {
  yaml_node_t *n = yaml_document_get_node(&e->doc, node);
  if (s->indexed) {
    yaml_node_item_t *i = n->data.sequence.items.start + s->index;
    memmove(i, i + 1, (size_t)(--n->data.sequence.items.top - i) * sizeof *i);
  } else {
    yaml_node_pair_t *p = find_pair(e, n, s->key);
    memmove(p, p + 1, (size_t)(--n->data.mapping.pairs.top - p) * sizeof *p);
  }
}

static bool add_step(struct editor *e, int node, const struct step *s, int value) {
  const yaml_node_t *n = yaml_document_get_node(&e->doc, node);
  if (s->indexed && n->type == YAML_SEQUENCE_NODE &&
      s->index == (size_t)(n->data.sequence.items.top - n->data.sequence.items.start))
    return yaml_document_append_sequence_item(&e->doc, node, value) || refuse(e, "out of memory");
  if (s->indexed || n->type != YAML_MAPPING_NODE)
    return refuse(e, "there is no such place in the file");
  int key = yaml_document_add_scalar(&e->doc, NULL, (const yaml_char_t *)s->key, -1,
                                     YAML_PLAIN_SCALAR_STYLE);
  return (key && yaml_document_append_mapping_pair(&e->doc, node, key, value)) ||
         refuse(e, "out of memory");
}

/* A mapping for a key that is not there, because a key inside it is set. */
static int add_mapping(struct editor *e, int node, const struct step *s) {
  if (s->indexed) {
    refuse(e, "there is no such place in the file");
    return 0;
  }
  int made = yaml_document_add_mapping(&e->doc, NULL, YAML_FLOW_MAPPING_STYLE);
  if (!made)
    refuse(e, "out of memory");
  return made && add_step(e, node, s, made) ? made : 0;
}

static bool set(struct editor *e, const char *value) {
  const char *at = e->path;
  struct step s;
  for (int node = 1;;) {
    if (!next_step(&at, &s))
      return refuse(e, "is no path of a key");
    int *place = find_step(e, node, &s);
    if (*at) {
      if (!place && !value)
        return true;
      node = place ? *place : add_mapping(e, node, &s);
      if (!node)
        return false;
      continue;
    }
    if (!value) {
      if (place)
        remove_step(e, node, &s);
      return true;
    }
    int made = graft_text(e, value); /* moves the nodes */
    place = made ? find_step(e, node, &s) : NULL;
    if (place)
      *place = made;
    return made && (place || add_step(e, node, &s, made));
  }
}

/* ---- loads ----------------------------------------------------------------------------------- */

static const char *text_of(struct editor *e, int node, const char *key) {
  const yaml_node_t *n = yaml_document_get_node(&e->doc, node);
  const yaml_node_pair_t *p = n->type == YAML_MAPPING_NODE ? find_pair(e, n, key) : NULL;
  const yaml_node_t *v = p ? yaml_document_get_node(&e->doc, p->value) : NULL;
  return v && v->type == YAML_SCALAR_NODE ? (const char *)v->data.scalar.value : NULL;
}

static bool scale_offer(struct editor *e, int node, uint64_t factor) {
  const struct step step = {.key = "load"};
  const char *text = text_of(e, node, step.key);
  uint64_t load = 0;
  char out[40];
  if (!text)
    return true;
  if (loom_decimal(text, DIGITS, LOAD_MAX * ONE, &load) != LOOM_DECIMAL_OK)
    return refuse(e, "an offer's load is no number from 0 to 4");
  uint64_t high = load / 1000 * factor, low = load % 1000 * factor; /* load is up to 4 * 10^9 */
  uint64_t product = high / (ONE / 1000) + (high % (ONE / 1000) * 1000 + low + ONE / 2) / ONE;
  snprintf(out, sizeof out, "%llu.%09llu", (unsigned long long)(product / ONE),
           (unsigned long long)(product % ONE));
  for (size_t end = strlen(out); out[end - 1] == '0' && out[end - 2] != '.'; end--)
    out[end - 1] = 0;
  int made = graft_text(e, out);
  int *place = made ? find_step(e, node, &step) : NULL;
  if (place)
    *place = made;
  return place != NULL;
}

static bool scale(struct editor *e, const char *class, const char *value) {
  const struct step traffic = {.key = "traffic"};
  uint64_t factor = 0;
  bool found = false;
  if (!value || loom_decimal(value, DIGITS, 1000 * ONE, &factor) != LOOM_DECIMAL_OK)
    return refuse(e, "must be a number from 0 to 1000");
  const int *place = find_step(e, 1, &traffic);
  int list = place ? *place : 0;
  for (size_t i = 0; list; i++) {
    const int *item = find_step(e, list, &(struct step){.index = i, .indexed = true});
    if (!item)
      break;
    int offer = *item;
    const char *name = text_of(e, offer, "class");
    if (class && (!name || strcmp(name, class) != 0))
      continue;
    found = true;
    if (!scale_offer(e, offer, factor))
      return false;
  }
  return found || refuse(e, "there is no such traffic");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int collect(void *context, unsigned char *bytes, size_t size) {
  return fwrite(bytes, 1, size, context) == size;
}

/* Writes the document, which is gone then. */
static bool emit(struct editor *e, struct loom_source *out) {
  yaml_emitter_t emitter;
  char *text = NULL;
  size_t size = 0;
  FILE *file = loom_text_open(&text, &size);
  bool ok = file && yaml_emitter_initialize(&emitter);
  if (ok) {
    yaml_emitter_set_output(&emitter, collect, file);
    yaml_emitter_set_width(&emitter, 100);
    e->doc.start_implicit = e->doc.end_implicit = 0;
    ok = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, &e->doc) &&
         yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
  }
  if (file)
    ok = !fclose(file) && ok;
  ok = ok && loom_source_copy(out, e->src->name, text, size);
  free(text);
  return ok || refuse(e, "out of memory");
}

static bool change(struct editor *e, const struct loom_edit *edit) {
  const char *value = edit->value && edit->value[0] ? edit->value : NULL;
  e->path = edit->path;
  if (!strcmp(edit->path, "load"))
    return scale(e, NULL, value);
  if (!strncmp(edit->path, "load.", 5))
    return scale(e, edit->path + 5, value);
  return set(e, value);
}

bool loom_yaml_edit(const struct loom_source *src, const struct loom_edit *edit, size_t edits,
                    struct loom_source *out, struct loom_error *err) {
  struct editor e = {.src = src, .err = err, .path = "document"};
  bool ok = true;
  if (!load(&e.doc, src->text, src->size))
    return refuse(&e, "not YAML");
  for (size_t i = 0; ok && i < edits; i++)
    ok = change(&e, &edit[i]);
  if (ok)
    return emit(&e, out);
  yaml_document_delete(&e.doc);
  return false;
}
