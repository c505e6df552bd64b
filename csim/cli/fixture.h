/* fixture.h - scheduler fixtures: tables, traffic and what must come out, from one YAML file
 *
 * The format stands in docs/formats.md, files in vectors/papers. The loader checks everything, so
 * that whoever runs a fixture needs no checks of its own.
 */
#ifndef LOOM_CLI_FIXTURE_H
#define LOOM_CLI_FIXTURE_H

#include "cli/source.h"

enum {
  LOOM_FIXTURE_VLS = 32,    /* VL and SL numbers are 0..31 */
  LOOM_FIXTURE_TABLE = 128, /* entries of a table */
  LOOM_FIXTURE_SIZE = 1023, /* credits of a packet */
  LOOM_FIXTURE_SLS = 8,     /* SLs that may share a VL */
  LOOM_FIXTURE_MGMT = 15,   /* the management VL, never in tables or traffic */
};

enum loom_fixture_scheduler {
  LOOM_FIXTURE_RR,
  LOOM_FIXTURE_SBT,
  LOOM_FIXTURE_DTABLE,
  LOOM_FIXTURE_IBARB,
};

/* Key of the scheduler (OP-19); the values are those of the circuit's ARB_KEY. */
enum loom_fixture_key { LOOM_FIXTURE_KEY_VL = 0, LOOM_FIXTURE_KEY_SL = 1 };

/* Variant of the scheduler. The values of SBT and of the two-table arbiter are those of their mode
 * registers, WIDE and IB8 those of the parameter IB8. */
enum {
  LOOM_FIXTURE_SBT_TEXT = 0,
  LOOM_FIXTURE_SBT_LITERAL = 1,
  LOOM_FIXTURE_SBT_SUMZERO = 2,
  LOOM_FIXTURE_DTABLE_WIDE = 0,
  LOOM_FIXTURE_DTABLE_IB8 = 1,
  LOOM_FIXTURE_IBARB_ROUNDUP = 0,
  LOOM_FIXTURE_IBARB_DEFICIT = 1,
};

enum loom_fixture_low_grant { LOOM_FIXTURE_LOW_ENTRY = 0, LOOM_FIXTURE_LOW_PACKET = 1 };

enum loom_fixture_measure { LOOM_FIXTURE_CREDITS, LOOM_FIXTURE_PACKETS };

struct loom_fixture_entry {
  uint8_t id; /* the key: SL or VL */
  uint8_t weight;
};

struct loom_fixture_table {
  struct loom_fixture_entry *entry;
  uint32_t count;
};

struct loom_fixture_flow {
  uint8_t vl;
  uint16_t size;                /* credits of each packet, 1.. */
  uint8_t sl[LOOM_FIXTURE_SLS]; /* SLs of successive packets, over and over: packet i has sl[i %
                                   sl_count] */
  uint8_t sl_count;             /* 1.. */
  uint32_t count;               /* packets that wait at the start; 0: there is always one more */
};

struct loom_fixture_share {
  uint8_t id;   /* the key */
  uint32_t ppm; /* parts per million of all */
};

/* One selection of a table entry by DTable. */
struct loom_fixture_selection {
  uint8_t entry;
  uint8_t sl;
  uint32_t acc;     /* accumulator when selected */
  uint32_t packets; /* sent before the selection is dropped */
  uint32_t deficit; /* what is left then */
};

struct loom_fixture_case {
  char *name;
  uint8_t mode;
  uint8_t limit;     /* ibarb: LimitOfHighPriority */
  uint8_t low_grant; /* ibarb: enum loom_fixture_low_grant */
  uint8_t measure;   /* enum loom_fixture_measure: what shares count */
  uint32_t tolerance_ppm;
  struct loom_fixture_flow *flow;
  uint32_t flow_count;
  struct loom_fixture_share *share; /* expected long-run shares, by key; none: NULL */
  uint32_t share_count;
  uint8_t *grant; /* expected VLs of the grants after the first `skip`; none: NULL */
  uint32_t grant_count;
  uint32_t skip;
  struct loom_fixture_selection *selection; /* dtable, from the first selection on; none: NULL */
  uint32_t selection_count;
};

struct loom_fixture {
  char *name;
  char *source; /* where the numbers come from */
  enum loom_fixture_scheduler scheduler;
  enum loom_fixture_key key;
  struct loom_fixture_table table; /* sbt, dtable */
  struct loom_fixture_table high;  /* ibarb */
  struct loom_fixture_table low;   /* ibarb, may be empty */
  uint8_t sl_of_vl[LOOM_FIXTURE_VLS];
  uint32_t
      vl_count; /* length of vl_to_sl; without that key one more than the largest VL in traffic */
  struct loom_fixture_case *cases;
  uint32_t case_count;
};

/* Reads a fixture from memory. False: *err says why and *fixture is empty. */
bool loom_fixture_parse(struct loom_fixture *fixture, const struct loom_source *src,
                        struct loom_error *err);

/* Reads a fixture file. False: *err says why and *fixture is empty. */
bool loom_fixture_load(struct loom_fixture *fixture, const char *file, struct loom_error *err);

void loom_fixture_free(struct loom_fixture *fixture);

/* `text`, `ib8`, `deficit` ...; empty for round robin, which has no variants. */
const char *loom_fixture_mode_name(enum loom_fixture_scheduler scheduler, unsigned mode);

/* `rr`, `sbt`, `dtable`, `ibarb`. */
const char *loom_fixture_scheduler_name(enum loom_fixture_scheduler scheduler);

#endif
