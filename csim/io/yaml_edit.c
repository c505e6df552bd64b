/* SPDX-License-Identifier: Apache-2.0 */

#include "io/yaml_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text_stream.h"
#include "io/yaml_tree.h"

enum { DIGITS = 9, LOAD_MAX = 4 /* links of a node */ };
static const uint64_t ONE = 1000000000;

struct editor {
  struct loom_yaml_tree tree;
  const struct loom_source *src;
  struct loom_error *err;
  const char *path; /* of the change at hand */
};

static bool refuse(const struct editor *e, const char *what) {
  return loom_fail(e->err, e->src->name, 0, e->path, "%s", what);
}

/* ---- documents ------------------------------------------------------------------------------- */

/* All of a tree is plain: no anchors, aliases and tags. */
static bool is_plain(const struct loom_yaml_tree *tree) {
  const struct loom_yaml_node *n = tree->newest;
  while (n && !n->decorated && n->kind != LOOM_YAML_ALIAS)
    n = n->older;
  return !n;
}

/* Takes the nodes of another tree. */
static struct loom_yaml_node *graft(struct loom_yaml_tree *to, struct loom_yaml_tree *from) {
  struct loom_yaml_node *oldest = from->newest;
  while (oldest->older)
    oldest = oldest->older;
  oldest->older = to->newest;
  to->newest = from->newest;
  from->newest = NULL;
  return from->root;
}

static struct loom_yaml_node *graft_text(struct editor *e, const char *text) {
  struct loom_yaml_tree value;
  if (!loom_yaml_parse(&value, text, strlen(text)))
    refuse(e, "the value is not YAML");
  else if (!is_plain(&value))
    refuse(e, "anchors and tags are not supported");
  else
    return graft(&e->tree, &value);
  loom_yaml_tree_free(&value);
  return NULL;
}

/* A new value takes the place of an old one. */
static void replace(struct loom_yaml_node *parent, struct loom_yaml_node **place,
                    struct loom_yaml_node *value) {
  value->next = (*place)->next;
  if (parent->last == *place)
    parent->last = value;
  *place = value;
}

/* Takes an entry of a list off, or a key with its value. */
static void cut(struct loom_yaml_node *parent, struct loom_yaml_node *value) {
  struct loom_yaml_node **at = &parent->child, *before = NULL;
  bool pair = parent->kind == LOOM_YAML_MAP;
  while ((pair ? (*at)->next : *at) != value) {
    before = *at;
    at = &(*at)->next;
  }
  *at = value->next;
  if (parent->last == value)
    parent->last = before;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static struct loom_yaml_node *add_step(struct editor *e, struct loom_yaml_node *parent,
                                       const struct loom_yaml_step *s,
                                       struct loom_yaml_node *value) {
  size_t count = 0;
  for (const struct loom_yaml_node *c = parent->child; c; c = c->next)
    count++;
  if (parent->kind != (s->indexed ? LOOM_YAML_LIST : LOOM_YAML_MAP) ||
      (s->indexed && s->index != count)) {
    refuse(e, "there is no such place in the file");
    return NULL;
  }
  if (!s->indexed) {
    struct loom_yaml_node *key =
        loom_yaml_node(&e->tree, LOOM_YAML_TEXT, LOOM_YAML_BARE, s->key, strlen(s->key));
    if (!key) {
      refuse(e, "out of memory");
      return NULL;
    }
    loom_yaml_append(parent, key);
  }
  loom_yaml_append(parent, value);
  return value;
}

/* A mapping for a key that is not there, because a key inside it is set. */
static struct loom_yaml_node *add_mapping(struct editor *e, struct loom_yaml_node *parent,
                                          const struct loom_yaml_step *s) {
  if (s->indexed) {
    refuse(e, "there is no such place in the file");
    return NULL;
  }
  struct loom_yaml_node *made =
      loom_yaml_node(&e->tree, LOOM_YAML_MAP, LOOM_YAML_FLOW_MAP, NULL, 0);
  if (!made)
    refuse(e, "out of memory");
  return made ? add_step(e, parent, s, made) : NULL;
}

/* The last step of a path. */
static bool set_step(struct editor *e, struct loom_yaml_node *parent,
                     const struct loom_yaml_step *s, const char *value) {
  struct loom_yaml_node **place = loom_yaml_step(parent, s);
  if (!value) {
    if (place)
      cut(parent, *place);
    return true;
  }
  struct loom_yaml_node *made = graft_text(e, value);
  if (made && place)
    replace(parent, place, made);
  return made && (place || add_step(e, parent, s, made));
}

static bool set(struct editor *e, const char *value) {
  const char *at = e->path;
  struct loom_yaml_node *n = e->tree.root;
  struct loom_yaml_step s;
  while (n) {
    if (!loom_yaml_next_step(&at, &s))
      return refuse(e, "is no path of a key");
    if (!*at)
      return set_step(e, n, &s, value);
    struct loom_yaml_node **place = loom_yaml_step(n, &s);
    if (!place && !value)
      return true;
    n = place ? *place : add_mapping(e, n, &s);
  }
  return false;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static const char *text_of(struct loom_yaml_node *n, const char *key) {
  struct loom_yaml_node **v = loom_yaml_value(n, key);
  return v && (*v)->kind == LOOM_YAML_TEXT ? (*v)->text : NULL;
}

static bool scale_offer(struct editor *e, struct loom_yaml_node *offer, uint64_t factor) {
  const char *text = text_of(offer, "load");
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
  struct loom_yaml_node *made = graft_text(e, out);
  if (made)
    replace(offer, loom_yaml_value(offer, "load"), made);
  return made != NULL;
}

static bool scale(struct editor *e, const char *class, const char *value) {
  uint64_t factor = 0;
  bool found = false;
  if (!value || loom_decimal(value, DIGITS, 1000 * ONE, &factor) != LOOM_DECIMAL_OK)
    return refuse(e, "must be a number from 0 to 1000");
  struct loom_yaml_node **traffic = loom_yaml_value(e->tree.root, "traffic");
  bool list = traffic && (*traffic)->kind == LOOM_YAML_LIST;
  for (struct loom_yaml_node *offer = list ? (*traffic)->child : NULL; offer; offer = offer->next) {
    const char *name = text_of(offer, "class");
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

static bool emit(struct editor *e, struct loom_source *out) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = loom_text_open(&text, &size);
  bool ok = file && loom_yaml_write(&e->tree, collect, file);
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
  if (!loom_yaml_parse(&e.tree, src->text, src->size))
    ok = refuse(&e, "not YAML");
  else if (!is_plain(&e.tree))
    ok = refuse(&e, "anchors and tags are not supported");
  for (size_t i = 0; ok && i < edits; i++)
    ok = change(&e, &edit[i]);
  ok = ok && emit(&e, out);
  if (ok)
    out->changed = src->changed || edits;
  loom_yaml_tree_free(&e.tree);
  return ok;
}
