/* SPDX-License-Identifier: Apache-2.0 */
#include "io/wire.h"

#include <stddef.h>
#include <string.h>

enum { FORM_BITS = 3, GROUP = 7, VARINT_BYTES = 10 };

static size_t left(const struct loom_wire *wire) { return (size_t)(wire->end - wire->at); }

bool loom_wire_varint(struct loom_wire *wire, uint64_t *value) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < VARINT_BYTES && i < left(wire); i++) {
    uint64_t byte = (unsigned char)wire->at[i];
    if (i == VARINT_BYTES - 1 && byte > 1)
      return false; /* more than 64 bits */
    sum |= (byte & 127) << GROUP * i;
    if (byte < 128) {
      wire->at += i + 1;
      *value = sum;
      return true;
    }
  }
  return false;
}

bool loom_wire_bytes(struct loom_wire *wire, struct loom_wire *bytes) {
  struct loom_wire next = *wire;
  uint64_t size = 0;
  if (!loom_wire_varint(&next, &size) || size > left(&next))
    return false;
  *bytes = (struct loom_wire){next.at, next.at + size};
  wire->at = bytes->end;
  return true;
}

static bool take_fixed(struct loom_wire *wire, unsigned bytes, uint64_t *value) {
  if (left(wire) < bytes)
    return false;
  *value = 0;
  for (unsigned i = 0; i < bytes; i++)
    *value |= (uint64_t)(unsigned char)*wire->at++ << 8 * i;
  return true;
}

static bool take_value(struct loom_wire *wire, struct loom_wire_field *field) {
  switch (field->form) {
  case LOOM_WIRE_VARINT:
    return loom_wire_varint(wire, &field->value);
  case LOOM_WIRE_FIXED64:
    return take_fixed(wire, 8, &field->value);
  case LOOM_WIRE_BYTES:
    return loom_wire_bytes(wire, &field->bytes);
  case LOOM_WIRE_FIXED32:
    return take_fixed(wire, 4, &field->value);
  default:
    return false;
  }
}

bool loom_wire_field(struct loom_wire *wire, struct loom_wire_field *field) {
  struct loom_wire next = *wire;
  uint64_t tag = 0;
  if (!loom_wire_varint(&next, &tag) || !(tag >> FORM_BITS))
    return false;
  *field = (struct loom_wire_field){.number = tag >> FORM_BITS,
                                    .form = (enum loom_wire_form)(tag & ((1U << FORM_BITS) - 1))};
  if (!take_value(&next, field))
    return false;
  *wire = next;
  return true;
}

bool loom_wire_is(const struct loom_wire *bytes, const char *text) {
  return left(bytes) == strlen(text) && !memcmp(bytes->at, text, left(bytes));
}
