/* SPDX-License-Identifier: Apache-2.0 */
/* chakra_node.c - one node of an execution trace of MLCommons Chakra (docs/formats.md)
 *
 * Numbers of fields are those of Chakra's published et_def.proto. */
#include "io/chakra_node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

const char *const loom_chakra_number_names[LOOM_CHAKRA_NUMBERS] = {
    "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag"};

enum {
  NODE_ID = 1,
  NODE_TYPE = 3,
  NODE_CTRL_DEPS = 4,
  NODE_DATA_DEPS = 5,
  NODE_DURATION = 7,
  NODE_ATTRIBUTE = 10
};
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_VALUE = 3 /* of this number and above */ };
/* Kinds of values of an attribute. */
enum {
  INT32 = 7,
  INT64 = 9,
  UINT32 = 11,
  UINT64 = 13,
  SINT32 = 15,
  SINT64 = 17,
  FIXED32 = 19,
  FIXED64 = 21,
  SFIXED32 = 23,
  SFIXED64 = 25,
  BOOL = 27,
  BOOL_LIST = 28,
  STRING = 29
};
enum { LIST_VALUES = 1 };

struct reader {
  struct loom_chakra_node *node;
  const struct loom_source *src;
  struct loom_error *err;
};

bool loom_chakra_fail(const char *name, uint64_t id, const char *key, struct loom_error *err,
                      const char *format, ...) {
  char message[200];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  char place[40];
  snprintf(place, sizeof place, "node %" PRIu64, id);
  return loom_fail(err, name, 0, place, "%s %s", key, message);
}

bool loom_chakra_fail_at(const struct loom_source *src, const char *at, const char *message,
                         struct loom_error *err) {
  char place[40];
  snprintf(place, sizeof place, "byte %zu", (size_t)(at - src->text));
  return loom_fail(err, src->name, 0, place, "%s", message);
}

static bool refuse(const struct reader *r, const char *key, const char *message) {
  return loom_chakra_fail(r->src->name, r->node->id, key, r->err, "%s", message);
}

static bool no_field(const struct reader *r, const struct loom_wire *at) {
  return loom_chakra_fail_at(r->src, at->at, "begins no field of a node", r->err);
}

/* ---- dependencies ---------------------------------------------------------------------------- */

static bool add_dep(const struct reader *r, uint64_t id) {
  struct loom_chakra_node *n = r->node;
  if (n->deps == n->dep_room) {
    size_t room = n->dep_room ? 2 * n->dep_room : 16;
    uint64_t *more = realloc(n->dep, room * sizeof *more);
    if (!more)
      return loom_fail(r->err, r->src->name, 0, "file", "out of memory");
    n->dep = more;
    n->dep_room = room;
  }
  n->dep[n->deps++] = id;
  return true;
}

/* One number, or many that are packed. */
static bool take_deps(const struct reader *r, const struct loom_wire_field *field) {
  struct loom_wire list = field->bytes;
  uint64_t id = 0;
  if (field->form == LOOM_WIRE_VARINT)
    return add_dep(r, field->value);
  while (list.at < list.end) {
    if (!loom_wire_varint(&list, &id))
      return no_field(r, &list);
    if (!add_dep(r, id))
      return false;
  }
  return true;
}

static int by_number(const void *a, const void *b) {
  uint64_t p = *(const uint64_t *)a;
  uint64_t q = *(const uint64_t *)b;
  return p < q ? -1 : p > q;
}

/* A node may name another one in both lists. */
static void sort_deps(struct loom_chakra_node *n) {
  size_t used = 0;
  if (n->deps)
    qsort(n->dep, n->deps, sizeof *n->dep, by_number);
  for (size_t i = 0; i < n->deps; i++)
    if (!used || n->dep[used - 1] != n->dep[i])
      n->dep[used++] = n->dep[i];
  n->deps = used;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool take_field(const struct reader *r, const struct loom_wire_field *field, bool *known) {
  struct loom_chakra_node *n = r->node;
  bool number = field->form == LOOM_WIRE_VARINT;
  bool bytes = field->form == LOOM_WIRE_BYTES;
  *known = true;
  switch (field->number) {
  case NODE_ID:
    n->id = field->value;
    return number;
  case NODE_TYPE:
    n->type =
        field->value < LOOM_CHAKRA_TYPES ? (enum loom_chakra_type)field->value : LOOM_CHAKRA_TYPES;
    return number;
  case NODE_DURATION:
    n->micros = field->value;
    return number;
  case NODE_CTRL_DEPS:
  case NODE_DATA_DEPS:
    *known = !number && !bytes;
    return (number || bytes) && take_deps(r, field);
  case NODE_ATTRIBUTE:
    return bytes;
  default:
    return true;
  }
}

/* All but the attributes, which come once the node's number is known. */
static bool take_fields(const struct reader *r, struct loom_wire message) {
  struct loom_wire_field field = {.number = 0};
  while (message.at < message.end) {
    struct loom_wire at = message;
    bool known = true;
    if (!loom_wire_field(&message, &field))
      return no_field(r, &at);
    if (!take_field(r, &field, &known))
      return known ? no_field(r, &at) : false;
  }
  return true;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A value that is a whole number. False: it is none, or below 0. */
static bool number_of(const struct loom_wire_field *value, uint64_t *number) {
  static const struct {
    uint8_t number, form, bits;
  } kinds[] = {
      {UINT32, LOOM_WIRE_VARINT, 0},     {UINT64, LOOM_WIRE_VARINT, 0},
      {BOOL, LOOM_WIRE_VARINT, 0},       {FIXED32, LOOM_WIRE_FIXED32, 0},
      {FIXED64, LOOM_WIRE_FIXED64, 0},   {INT32, LOOM_WIRE_VARINT, 64},
      {INT64, LOOM_WIRE_VARINT, 64},     {SFIXED32, LOOM_WIRE_FIXED32, 32},
      {SFIXED64, LOOM_WIRE_FIXED64, 64}, {SINT32, LOOM_WIRE_VARINT, 1},
      {SINT64, LOOM_WIRE_VARINT, 1}}; /* bits: the sign is bit `bits - 1`; 0: there is none */
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    unsigned bits = kinds[i].bits;
    if (value->number != kinds[i].number || value->form != (enum loom_wire_form)kinds[i].form)
      continue;
    *number = bits == 1 ? value->value >> 1 : value->value;
    return !bits || !(value->value >> (bits - 1) & 1);
  }
  return false;
}

static bool add_dimension(const struct reader *r, uint64_t value) {
  struct loom_chakra_node *n = r->node;
  if (n->dimensions == LOOM_CHAKRA_DIMENSIONS)
    return refuse(r, "involved_dim", "has more than 16 dimensions");
  n->involved |= (uint32_t)(value != 0) << n->dimensions++;
  return true;
}

/* Bits of a field of a list: one, or many that are packed. */
static bool take_bits(const struct reader *r, const struct loom_wire_field *field) {
  struct loom_wire list = field->bytes;
  uint64_t bit = 0;
  if (field->form == LOOM_WIRE_VARINT)
    return add_dimension(r, field->value);
  while (list.at < list.end) {
    if (!loom_wire_varint(&list, &bit))
      return no_field(r, &list);
    if (!add_dimension(r, bit))
      return false;
  }
  return true;
}

static bool take_dimensions(const struct reader *r, const struct loom_wire_field *value) {
  struct loom_wire list = value->bytes;
  struct loom_wire_field field = {.number = 0};
  if (value->number != BOOL_LIST || value->form != LOOM_WIRE_BYTES)
    return refuse(r, "involved_dim", "is no list of truths");
  while (list.at < list.end) {
    struct loom_wire at = list;
    if (!loom_wire_field(&list, &field) || field.number != LIST_VALUES ||
        (field.form != LOOM_WIRE_VARINT && field.form != LOOM_WIRE_BYTES))
      return no_field(r, &at);
    if (!take_bits(r, &field))
      return false;
  }
  return true;
}

static bool take_group(const struct reader *r, const struct loom_wire_field *value) {
  if (value->number != STRING || value->form != LOOM_WIRE_BYTES)
    return refuse(r, "pg_name", "is no text");
  r->node->group = value->bytes;
  return true;
}

static bool take_value(const struct reader *r, const struct loom_wire *name,
                       const struct loom_wire_field *value) {
  struct loom_chakra_node *n = r->node;
  for (unsigned i = 0; i < LOOM_CHAKRA_NUMBERS; i++) {
    const char *key = loom_chakra_number_names[i];
    if (!loom_wire_is(name, key))
      continue;
    if (n->number[i].given)
      return refuse(r, key, "stands twice");
    n->number[i].given = true;
    return number_of(value, &n->number[i].value) || refuse(r, key, "is no whole number from 0 on");
  }
  if (loom_wire_is(name, "involved_dim"))
    return n->dimensions ? refuse(r, "involved_dim", "stands twice") : take_dimensions(r, value);
  if (loom_wire_is(name, "pg_name"))
    return n->group.at ? refuse(r, "pg_name", "stands twice") : take_group(r, value);
  return true;
}

static bool take_attribute(const struct reader *r, struct loom_wire attribute) {
  struct loom_wire_field field = {.number = 0};
  struct loom_wire_field value = {.number = 0};
  struct loom_wire name = {attribute.at, attribute.at};
  while (attribute.at < attribute.end) {
    struct loom_wire at = attribute;
    if (!loom_wire_field(&attribute, &field) ||
        (field.number == ATTRIBUTE_NAME && field.form != LOOM_WIRE_BYTES))
      return no_field(r, &at);
    if (field.number == ATTRIBUTE_NAME)
      name = field.bytes;
    if (field.number >= ATTRIBUTE_VALUE)
      value = field;
  }
  return take_value(r, &name, &value);
}

/* Its fields were all looked at before. */
static bool take_attributes(const struct reader *r, struct loom_wire message) {
  struct loom_wire_field field = {.number = 0};
  while (loom_wire_field(&message, &field))
    if (field.number == NODE_ATTRIBUTE && !take_attribute(r, field.bytes))
      return false;
  return true;
}

bool loom_chakra_node_read(struct loom_chakra_node *node, const struct loom_source *src,
                           struct loom_wire message, struct loom_error *err) {
  const struct reader r = {.node = node, .src = src, .err = err};
  *node = (struct loom_chakra_node){.dep = node->dep, .dep_room = node->dep_room};
  if (!take_fields(&r, message) || !take_attributes(&r, message))
    return false;
  sort_deps(node);
  return node->type < LOOM_CHAKRA_TYPES || refuse(&r, "type", "is none of the schema");
}

void loom_chakra_node_free(struct loom_chakra_node *node) {
  free(node->dep);
  *node = (struct loom_chakra_node){.id = 0};
}
