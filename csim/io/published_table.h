/* SPDX-License-Identifier: Apache-2.0 */
/* published_table.h - published tables, traffic and what must come out, from one YAML
 * file
 *
 * The format stands in docs/formats.md, files in vectors/papers. The loader checks everything, so
 * that whoever runs a published needs no checks of its own.
 */
#ifndef LOOM_IO_PUBLISHED_TABLE_H
#define LOOM_IO_PUBLISHED_TABLE_H

#include "io/source.h"
#include "io/yaml_schema.h"

/* What the file may say. */
extern const struct loom_yaml_schema loom_published_schema;
#include <loom/limits.h>

enum {
  LOOM_PUBLISHED_TABLE = 128, /* entries of a table */
  LOOM_PUBLISHED_SIZE = 1023, /* credits of a packet */
  LOOM_PUBLISHED_SLS = 8,     /* SLs that may share a VL */
  LOOM_PUBLISHED_MGMT = 15,   /* the management VL, never in tables or traffic */
};

enum loom_published_scheduler {
  LOOM_PUBLISHED_RR,
  LOOM_PUBLISHED_SBT,
  LOOM_PUBLISHED_DTABLE,
  LOOM_PUBLISHED_IBARB,
};

/* Key of the scheduler (OP-19); the values are those of the circuit's ARB_KEY. */
enum loom_published_key { LOOM_PUBLISHED_KEY_VL = 0, LOOM_PUBLISHED_KEY_SL = 1 };

/* Variant of the scheduler. The values of SBT and of the two-table arbiter are those of their mode
 * registers, WIDE and IB_WEIGHTS those of the parameter IB_WEIGHTS. */
enum {
  LOOM_PUBLISHED_SBT_TEXT = 0,
  LOOM_PUBLISHED_SBT_LITERAL = 1,
  LOOM_PUBLISHED_SBT_SUMZERO = 2,
  LOOM_PUBLISHED_DTABLE_WIDE = 0,
  LOOM_PUBLISHED_DTABLE_IB8 = 1,
  LOOM_PUBLISHED_IBARB_ROUNDUP = 0,
  LOOM_PUBLISHED_IBARB_DEFICIT = 1,
};

enum loom_published_low_grant { LOOM_PUBLISHED_LOW_ENTRY = 0, LOOM_PUBLISHED_LOW_PACKET = 1 };

enum loom_published_measure { LOOM_PUBLISHED_CREDITS, LOOM_PUBLISHED_PACKETS };

struct loom_published_entry {
  uint8_t id; /* the key: SL or VL */
  uint8_t weight;
};

struct loom_published_table {
  struct loom_published_entry *entry;
  uint32_t count;
};

struct loom_published_flow {
  uint8_t vl;
  uint16_t size;                  /* credits of each packet, 1.. */
  uint8_t sl[LOOM_PUBLISHED_SLS]; /* SLs of successive packets, over and over: packet i has sl[i %
                                   sl_count] */
  uint8_t sl_count;               /* 1.. */
  uint32_t count;                 /* packets that wait at the start; 0: there is always one more */
};

struct loom_published_share {
  uint8_t id;   /* the key */
  uint32_t ppm; /* parts per million of all */
};

/* One selection of a table entry by DTable. */
struct loom_published_selection {
  uint8_t entry;
  uint8_t sl;
  uint32_t acc;     /* accumulator when selected */
  uint32_t packets; /* sent before the selection is dropped */
  uint32_t deficit; /* what is left then */
};

struct loom_published_case {
  char *name;
  uint8_t mode;
  uint8_t limit;     /* ibarb: LimitOfHighPriority */
  uint8_t low_grant; /* ibarb: enum loom_published_low_grant */
  uint8_t measure;   /* enum loom_published_measure: what shares count */
  uint32_t tolerance_ppm;
  struct loom_published_flow *flow;
  uint32_t flow_count;
  struct loom_published_share *share; /* expected long-run shares, by key; none: NULL */
  uint32_t share_count;
  uint8_t *grant; /* expected VLs of the grants after the first `skip`; none: NULL */
  uint32_t grant_count;
  uint32_t skip;
  struct loom_published_selection *selection; /* dtable, from the first selection on; none: NULL */
  uint32_t selection_count;
};

struct loom_published {
  char *name;
  char *source; /* where the numbers come from */
  enum loom_published_scheduler scheduler;
  enum loom_published_key key;
  struct loom_published_table table; /* sbt, dtable */
  struct loom_published_table high;  /* ibarb */
  struct loom_published_table low;   /* ibarb, may be empty */
  uint8_t sl_of_vl[LOOM_VLS];
  uint32_t
      vl_count; /* length of vl_to_sl; without that key one more than the largest VL in traffic */
  struct loom_published_case *cases;
  uint32_t case_count;
};

/* Reads a published table from memory. False: *err says why and *published is empty. */
bool loom_published_parse(struct loom_published *published, const struct loom_source *src,
                          struct loom_error *err);

/* Reads the file of a published table. False: *err says why and *published is empty. */
bool loom_published_load(struct loom_published *published, const char *file,
                         struct loom_error *err);

void loom_published_free(struct loom_published *published);

/* `text`, `ib8`, `deficit` ...; empty for round robin, which has no variants. */
const char *loom_published_mode_name(enum loom_published_scheduler scheduler, unsigned mode);

/* `rr`, `sbt`, `dtable`, `ibarb`. */
const char *loom_published_scheduler_name(enum loom_published_scheduler scheduler);

#endif
