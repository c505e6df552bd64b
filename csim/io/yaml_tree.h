/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_tree.h - a YAML document in memory, each value with its place in the file
 *
 * The one place where libyaml reads. What Loom's files must not have, anchors, aliases and tags, is
 * marked and never followed, so a tree takes no more memory than its text can name. Where the text
 * is no YAML, the tree has what stands before that. */
#ifndef LOOM_IO_YAML_TREE_H
#define LOOM_IO_YAML_TREE_H

#include "io/source.h"

enum { LOOM_YAML_DEPTH = 32 };                       /* of values inside values */
enum { LOOM_YAML_BARE = 1, LOOM_YAML_FLOW_MAP = 2 }; /* styles: `word`, `{key: value}` */

enum loom_yaml_kind {
  LOOM_YAML_TEXT,
  LOOM_YAML_LIST,
  LOOM_YAML_MAP,   /* keys and values take turns as children */
  LOOM_YAML_ALIAS, /* of another value, which is not looked for */
};

struct loom_yaml_node {
  enum loom_yaml_kind kind;
  int style;           /* of libyaml: how it is written */
  bool decorated;      /* has an anchor or a tag */
  bool open;           /* the text is no YAML inside it */
  size_t line, column; /* where it starts, from 1 */
  size_t length;       /* of `text` */
  struct loom_yaml_node *child, *last, *next;
  struct loom_yaml_node *older; /* all nodes, for giving them back */
  char text[];                  /* of a text; with a NUL */
};

struct loom_yaml_tree {
  struct loom_yaml_node *root; /* NULL: none was read */
  struct loom_yaml_node *newest;
  bool opened;         /* the document starts with `---` */
  char problem[100];   /* what is no YAML, or too much of it; empty: all is read */
  bool no_memory;      /* the problem is one of the machine */
  size_t line, column; /* of the problem; column 0: not known */
};

/* Reads `size` bytes. False: there is a problem. Give the tree back either way. */
bool loom_yaml_parse(struct loom_yaml_tree *tree, const char *text, size_t size);

void loom_yaml_tree_free(struct loom_yaml_tree *tree);

/* A node that is not in a document yet. NULL: out of memory. */
struct loom_yaml_node *loom_yaml_node(struct loom_yaml_tree *tree, enum loom_yaml_kind kind,
                                      int style, const char *text, size_t length);

/* Becomes the last child. */
void loom_yaml_append(struct loom_yaml_node *parent, struct loom_yaml_node *child);

/* The place where the pointer to entry `index` of a list, or to the value of `key` of a mapping,
 * stands; NULL: there is none, or the node is of another kind. */
struct loom_yaml_node **loom_yaml_entry(struct loom_yaml_node *list, size_t index);
struct loom_yaml_node **loom_yaml_value(struct loom_yaml_node *map, const char *key);

/* One step of a path such as `traffic[0].load`: a key, or an index. */
enum { LOOM_YAML_KEY = 80 };
struct loom_yaml_step {
  char key[LOOM_YAML_KEY];
  size_t index;
  bool indexed;
};

/* Takes the next step off the path; false: it is no path. */
bool loom_yaml_next_step(const char **path, struct loom_yaml_step *step);

/* The place where the step's node stands in `parent`; NULL: it is not there. */
struct loom_yaml_node **loom_yaml_step(struct loom_yaml_node *parent,
                                       const struct loom_yaml_step *step);

/* The document as text, from `---` to `...`; `write` is libyaml's. False: out of memory. */
bool loom_yaml_write(const struct loom_yaml_tree *tree,
                     int (*write)(void *context, unsigned char *bytes, size_t size), void *context);

#endif
