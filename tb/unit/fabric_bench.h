/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_bench.h - small fabrics of real switches for tests: stations that send and receive packets
 * at their edge, switches that never sleep, registers (docs/fabric.md)
 */
#ifndef LOOM_TB_UNIT_FABRIC_BENCH_H
#define LOOM_TB_UNIT_FABRIC_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/switch_class.h"
#include "tb/unit/switch_bench.h"

/* ---- stations -------------------------------------------------------------------------------- */

enum { STATION_PACKETS = 4096 };

struct station_packet {
  uint64_t at; /* not sent before this cycle */
  uint32_t dest, vl, sc, len;
};

/* What the head of a packet said when it came. */
struct station_arrival {
  uint64_t cycle;
  uint32_t src, id, vl, len;
};

/* One port. Sends its packets in their order as the credits of the far end allow, takes what comes
 * and gives each unit back. Fails when flits do not belong together. */
struct station {
  uint32_t lid;
  struct loom_credit_tracker far; /* by lane */
  uint32_t vls;
  struct station_packet packet[STATION_PACKETS];
  uint32_t posted, sent; /* packets, to the end */
  uint32_t place;        /* flits of the current one that are sent */
  uint64_t first_head;   /* cycle in which the first one left */
  /* Receiving. */
  uint64_t stopped_until;       /* no credits are given before this cycle */
  struct end_receiver receiver; /* by VL */
  uint32_t left, vl;            /* of the packet that comes */
  uint32_t received;            /* packets, to the end */
  uint64_t last_tail;           /* cycle */
  struct station_arrival arrival[STATION_PACKETS];
  uint64_t trace;   /* of everything that came, and when */
  uint64_t damaged; /* flits with a wrong bit */
};

/* ---- fabrics --------------------------------------------------------------------------------- */

enum { SWITCHES_MAX = 4, STATIONS_MAX = 8 };

/* A switch that may be watched: it never sleeps, and when it first could its edge must change
 * nothing (nor can later ones, then). */
struct fabric_switch {
  enum switch_kind kind;
  struct loom_switch *core; /* first in the twin */
  size_t bytes, stored;     /* of twin, of storage */
  void *copy;
  bool asleep;    /* it could have slept in the last cycle */
  uint64_t slept; /* cycles in which it could have */
};

struct fabric_bench {
  enum switch_kind kind;
  struct loom_ib_switch_cfg ib;
  struct loom_opa_switch_cfg opa;
  bool watched, backwards; /* devices are added in reverse order */
  uint32_t latency;        /* of links, at most */
  uint32_t switches, stations;
  struct fabric_switch sw[SWITCHES_MAX];
  uint32_t device[SWITCHES_MAX];         /* in the fabric */
  uint32_t station_device[STATIONS_MAX]; /* in the fabric */
  struct station *station[STATIONS_MAX];
  struct loom_fabric *f;
};

/* Switches with these parameters (set_params) and as many stations, not joined. */
void fabric_open(struct fabric_bench *b, const char *params, uint32_t switches, uint32_t stations);
void fabric_close(struct fabric_bench *b);
/* LID n is station n. */
void fabric_lft(struct fabric_bench *b, uint32_t sw, uint32_t lid, uint32_t out);
void fabric_write(struct fabric_bench *b, uint32_t sw, uint32_t addr, uint32_t data);
/* The end of configuration: LFTs count. */
void fabric_ready(struct fabric_bench *b);
uint32_t fabric_join_station(struct fabric_bench *b, uint32_t station, uint32_t sw, uint32_t port,
                             uint32_t latency);
uint32_t fabric_join(struct fabric_bench *b, uint32_t a, uint32_t port, uint32_t c, uint32_t peer,
                     uint32_t latency);
/* A packet for a station to send. */
void fabric_post(struct fabric_bench *b, uint32_t station, uint64_t at, uint32_t dest, uint32_t vl,
                 uint32_t sc, uint32_t len);
void fabric_run(struct fabric_bench *b, uint64_t cycles);
/* Reads over the bus of a switch, whose edges count. */
uint32_t fabric_read(struct fabric_bench *b, uint32_t sw, uint32_t addr);

#endif
