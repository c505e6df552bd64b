/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_header.h - the words on an Elite5 link: packing and unpacking of their fields, CRC-16
 * (docs/elite5.md; E5-04, E5-06, E5-07)
 *
 * Inside: elite5_router, and the endpoint.
 */
#ifndef LOOM_ELITE5_ELITE5_HEADER_H
#define LOOM_ELITE5_ELITE5_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include <loom/bits.h>

#define LOOM_NAMES "elite5/elite5_header.fields"
#include <loom/names.h>

/* What a word with head is, in its three highest bits (E5-06). */
enum loom_elite5_type {
  LOOM_ELITE5_UNICAST = LOOM_ELITE5_TYPE_UNICAST,
  LOOM_ELITE5_BROADCAST = LOOM_ELITE5_TYPE_BROADCAST,
  LOOM_ELITE5_CONDITIONAL = LOOM_ELITE5_TYPE_CONDITIONAL,
  LOOM_ELITE5_CONTINUATION = LOOM_ELITE5_TYPE_CONTINUATION,
  LOOM_ELITE5_LAST_CONTINUATION = LOOM_ELITE5_TYPE_LAST_CONTINUATION,
  LOOM_ELITE5_ACK = LOOM_ELITE5_TYPE_ACK, /* illegal on the forward channel */
  LOOM_ELITE5_VOID =
      LOOM_ELITE5_TYPE_VOID, /* a continuation that was discarded; NACK on the backward channel */
  LOOM_ELITE5_CONTROL = LOOM_ELITE5_TYPE_CONTROL,
};

/* Sub of a link control word (E5-35, E5-36). */
enum loom_elite5_sub {
  LOOM_ELITE5_NEGOTIATE = LOOM_ELITE5_SUB_NEGOTIATE, /* info {protocol 8, 0} */
  LOOM_ELITE5_IDENTIFY = LOOM_ELITE5_SUB_IDENTIFY,   /* info {chip 16, link 8, 0} */
  LOOM_ELITE5_READY = LOOM_ELITE5_SUB_READY,         /* info 0 */
};

enum {
  LOOM_ELITE5_SEGMENT_WORDS = 32,
  LOOM_ELITE5_FIRST_BYTES = 248,        /* most payload of a first segment */
  LOOM_ELITE5_CONTINUATION_BYTES = 252, /* and of another one */
  LOOM_ELITE5_GROUP_BIT = 0x8000,       /* of dest in a conditional: it goes to a group */
  LOOM_ELITE5_DEST_MASK = 0x7FFF,       /* dest of a conditional without that bit */
  LOOM_ELITE5_TS_MASK = (1 << LOOM_ELITE5_FIRST_TS_BITS) - 1,
};

/* The first word of a packet: type 0..2. */
struct loom_elite5_first {
  uint8_t type;  /* enum loom_elite5_type */
  uint8_t prio;  /* 0..3 */
  uint8_t vc;    /* 0..31 */
  uint8_t len;   /* bytes of payload in this segment, 0..248 */
  uint16_t dest; /* node or group */
  uint16_t ts;   /* time of sending, 14 bits */
};

/* The first word of another segment: type 3, 4 or 6. */
struct loom_elite5_continuation {
  uint8_t type;     /* enum loom_elite5_type */
  uint8_t vc;       /* 0..31 */
  uint8_t len;      /* bytes of payload in this segment, 0..252 */
  uint32_t payload; /* the first 4 of them */
};

static inline enum loom_elite5_type loom_elite5_type_of(uint64_t word) {
  return (enum loom_elite5_type)LOOM_GET(LOOM_ELITE5_FIRST_TYPE, word);
}

/* dest of a first word. */
static inline uint32_t loom_elite5_dest_of(uint64_t word) {
  return LOOM_GET(LOOM_ELITE5_FIRST_DEST, word);
}

/* The word has the layout of a continuation: type 3, 4 or 6. */
static inline bool loom_elite5_is_continuation(uint64_t word) {
  const uint32_t types =
      1u << LOOM_ELITE5_CONTINUATION | 1u << LOOM_ELITE5_LAST_CONTINUATION | 1u << LOOM_ELITE5_VOID;
  return types >> LOOM_GET(LOOM_ELITE5_NEXT_TYPE, word) & 1;
}

/* The words, with their CRC; fields beyond their width are cut. */
uint64_t loom_elite5_pack_first(const struct loom_elite5_first *h);
uint64_t loom_elite5_pack_continuation(const struct loom_elite5_continuation *h);
/* VOID(vc): stands for a segment that was discarded. */
uint64_t loom_elite5_void(uint32_t vc);
/* Link control; info has 40 bits. */
uint64_t loom_elite5_control(enum loom_elite5_sub sub, uint64_t info);

/* What link control says: the protocol of this end; who it is, {chip, link}. */
static inline uint64_t loom_elite5_negotiate_info(uint32_t protocol) {
  return LOOM_PUT64(LOOM_ELITE5_NEGOTIATE_PROTOCOL, protocol);
}
static inline uint64_t loom_elite5_identify_info(uint32_t chip, uint32_t link) {
  return LOOM_PUT64(LOOM_ELITE5_IDENTIFY_CHIP, chip) | LOOM_PUT64(LOOM_ELITE5_IDENTIFY_LINK, link);
}
static inline uint32_t loom_elite5_identity(uint64_t info) {
  return LOOM_GET(LOOM_ELITE5_IDENTIFY_CHIP, info) << LOOM_ELITE5_IDENTIFY_LINK_BITS |
         LOOM_GET(LOOM_ELITE5_IDENTIFY_LINK, info);
}

/* The CRC of the word is right, as its type says; of type 5 as that of a first word. */
bool loom_elite5_crc_ok(uint64_t word);
/* The fields of a word, read as the layout says whatever its type is; true if the CRC of that
 * layout is right. */
bool loom_elite5_unpack_first(struct loom_elite5_first *h, uint64_t word);
/* The same for a word whose CRC is known to be right. */
struct loom_elite5_first loom_elite5_first_fields(uint64_t word);
bool loom_elite5_unpack_continuation(struct loom_elite5_continuation *h, uint64_t word);
/* The same for link control; gives sub and info (40 bits). */
bool loom_elite5_unpack_control(uint32_t *sub, uint64_t *info, uint64_t word);

/* A word with head and right CRC, of any type but link control, put on another VC: field and CRC
 * follow (E5-07). */
uint64_t loom_elite5_rewrite_vc(uint64_t word, uint32_t vc);

#endif
