/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - messages of Protocol Buffers, field by field, as their encoding is published */
#ifndef LOOM_IO_WIRE_H
#define LOOM_IO_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* Forms of a field; groups (3, 4) are refused. */
enum loom_wire_form {
  LOOM_WIRE_VARINT = 0,
  LOOM_WIRE_FIXED64 = 1,
  LOOM_WIRE_BYTES = 2,
  LOOM_WIRE_FIXED32 = 5
};

/* What is left of a message. */
struct loom_wire {
  const char *at, *end;
};

struct loom_wire_field {
  uint64_t number;
  enum loom_wire_form form;
  uint64_t value;         /* but of BYTES */
  struct loom_wire bytes; /* of BYTES: text, a message, or packed numbers */
};

/* Each of these takes what comes next. False: it is cut short, or none; nothing is taken. */
bool loom_wire_varint(struct loom_wire *wire, uint64_t *value);
bool loom_wire_bytes(struct loom_wire *wire, struct loom_wire *bytes); /* after their length */
bool loom_wire_field(struct loom_wire *wire, struct loom_wire_field *field);

/* Whether bytes are these. */
bool loom_wire_is(const struct loom_wire *bytes, const char *text);

#endif
