/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto.c - traces that ui.perfetto.dev opens (docs/trace.md)
 *
 * Numbers of fields are those of Perfetto's published trace_packet.proto, track_descriptor.proto
 * and track_event.proto. */
#include "io/perfetto.h"

#include <string.h>

/* Of messages of Protocol Buffers. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, WIRE_BITS = 3 };
enum { ROOM = 2048 }; /* of a record: its names and less than 300 bytes besides */
enum { SEQUENCE = 1, SLICE_BEGIN = 1, SLICE_END = 2 };
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_TRACK = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
  EVENT_NOTE = 4,
  EVENT_TYPE = 9,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_FLOW = 47,
  EVENT_LAST_OF_FLOW = 48
};
enum { NOTE_UINT = 3, NOTE_NAME = 10 };

_Static_assert(ROOM > (2 + LOOM_PERFETTO_NOTES) * (LOOM_PERFETTO_NAME + 4) + 300, "of a record");

/* A message that is being made. */
struct message {
  size_t size;
  unsigned char byte[ROOM];
};

static void put(struct message *m, uint64_t value) {
  for (; value > 127; value >>= 7)
    m->byte[m->size++] = (unsigned char)(value | 128);
  m->byte[m->size++] = (unsigned char)value;
}

static void put_number(struct message *m, uint32_t field, uint64_t value) {
  put(m, (uint64_t)field << WIRE_BITS | VARINT);
  put(m, value);
}

static void put_fixed(struct message *m, uint32_t field, uint64_t value) {
  put(m, (uint64_t)field << WIRE_BITS | FIXED64);
  for (unsigned i = 0; i < 8; i++)
    m->byte[m->size++] = (unsigned char)(value >> 8 * i);
}

static void put_bytes(struct message *m, uint32_t field, const void *bytes, size_t size) {
  put(m, (uint64_t)field << WIRE_BITS | BYTES);
  put(m, size);
  memcpy(m->byte + m->size, bytes, size);
  m->size += size;
}

static void put_message(struct message *m, uint32_t field, const struct message *inner) {
  put_bytes(m, field, inner->byte, inner->size);
}

/* A text ends between characters of UTF-8, where it is cut, too. */
static void put_text(struct message *m, uint32_t field, const char *text) {
  size_t size = strlen(text);
  if (size > LOOM_PERFETTO_NAME) {
    size = LOOM_PERFETTO_NAME;
    while (size && ((unsigned char)text[size] & 0xc0) == 0x80)
      size--;
  }
  put_bytes(m, field, text, size);
}

static void write_packet(FILE *out, const struct message *packet) {
  struct message head = {.size = 0};
  put(&head, TRACE_PACKET << WIRE_BITS | BYTES);
  put(&head, packet->size);
  fwrite(head.byte, 1, head.size, out);
  fwrite(packet->byte, 1, packet->size, out);
}

static void write_track(FILE *out, const struct message *track) {
  struct message packet = {.size = 0};
  put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
  put_message(&packet, PACKET_TRACK, track);
  write_packet(out, &packet);
}

void loom_perfetto_group(FILE *out, uint64_t number, uint32_t process, const char *name) {
  struct message track = {.size = 0}, inner = {.size = 0};
  put_number(&inner, PROCESS_PID, process);
  put_text(&inner, PROCESS_NAME, name);
  put_number(&track, TRACK_UUID, number);
  put_message(&track, TRACK_PROCESS, &inner);
  write_track(out, &track);
}

void loom_perfetto_track(FILE *out, uint64_t number, uint64_t group, const char *name) {
  struct message track = {.size = 0};
  put_number(&track, TRACK_UUID, number);
  put_number(&track, TRACK_PARENT, group);
  put_text(&track, TRACK_NAME, name);
  write_track(out, &track);
}

static void write_event(FILE *out, uint64_t time, const struct message *event) {
  struct message packet = {.size = 0};
  put_number(&packet, PACKET_TIMESTAMP, time);
  put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
  put_message(&packet, PACKET_EVENT, event);
  write_packet(out, &packet);
}

static void put_note(struct message *event, const struct loom_perfetto_note *note) {
  struct message inner = {.size = 0};
  put_text(&inner, NOTE_NAME, note->name);
  put_number(&inner, NOTE_UINT, note->value);
  put_message(event, EVENT_NOTE, &inner);
}

void loom_perfetto_slice(FILE *out, const struct loom_perfetto_slice *s) {
  struct message begin = {.size = 0}, end = {.size = 0};
  put_number(&begin, EVENT_TYPE, SLICE_BEGIN);
  put_number(&begin, EVENT_TRACK, s->track);
  put_text(&begin, EVENT_CATEGORY, s->category);
  put_text(&begin, EVENT_NAME, s->name);
  for (unsigned i = 0; i < LOOM_PERFETTO_NOTES && s->note[i].name; i++)
    put_note(&begin, &s->note[i]);
  put_fixed(&begin, s->last ? EVENT_LAST_OF_FLOW : EVENT_FLOW, s->flow);
  write_event(out, s->begin, &begin);
  put_number(&end, EVENT_TYPE, SLICE_END);
  put_number(&end, EVENT_TRACK, s->track);
  write_event(out, s->end, &end);
}
