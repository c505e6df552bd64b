/* SPDX-License-Identifier: Apache-2.0 */
/* switch_bench.h - a bench for the twins of both switches: senders and receivers with credits on
 * every link, a register bus, and the rules of routing of docs/ib.md and docs/opa.md
 *
 * Tests post packets; the senders put them on the links flit by flit as credits allow. Every packet
 * that comes out is checked: link, VL, SC, each flit, order inside its flow, credits of the far
 * end.
 */
#ifndef LOOM_TB_UNIT_SWITCH_BENCH_H
#define LOOM_TB_UNIT_SWITCH_BENCH_H

#include <loom/random.h>
#include <stdbool.h>
#include <stdint.h>

#include "switch/ib_switch.h"
#include "switch/opa_switch.h"
#include "tb/ends/credits.h"
#include "tb/ends/switch_ports.h"
#include <loom/switch_registers.h>

enum switch_kind { IB = 1, OPA = 2 }; /* as the register says */

enum {
  PORTS_MAX = 48,
  LANES_MAX = 32,
  UNIT = LOOM_UNIT_FLITS,
  LIDS_MAX = 65536,
  FLOWS = 128 /* destinations that are told apart when the order of a flow is looked at */
};

/* 8 ports, 4 lanes (VL 0, 1, 2, 15), 64 units in every buffer, packets of at most 8 units. */
#define SMALL                                                                                      \
  "PORTS=8 MPORTS=2 VLS=4 SCHED=0 LIDS=128 MTU_UNITS=8 CELLS_IN=64 CELLS_CENTRAL=64 CELLS_OUT=64 " \
  "REMOTE_UNITS=64 RESERVED_IN=8 RESERVED_CENTRAL=8 RESERVED_OUT=8 REMOTE_RESERVED=8"
/* The same with room for 32 lanes. */
#define MANY_LANES SMALL " CELLS_IN=512 CELLS_CENTRAL=512 CELLS_OUT=512 REMOTE_UNITS=512"
/* Two lanes (VL 0, 15) without a reserve; room for a packet of 8 units is asked for. */
#define NO_RESERVE                                                                                 \
  SMALL " VLS=2 CELLS_IN=16 CELLS_CENTRAL=16 CELLS_OUT=16 RESERVED_IN=0 RESERVED_CENTRAL=0 "       \
        "RESERVED_OUT=0"

/* Of the register map (loom/switch_registers.h). */
enum {
  R_ALL = LOOM_SWITCH_EVERY * LOOM_REG_WINDOW, /* beside a first window: all of them */
  W_CAUSE = LOOM_SWITCH_WIN_LINK_ERRORS        /* + cause 1..5 */
};

/* Why a packet does not go on. */
enum cause { GOES = 0, BAD_HEAD = 1, OVERRUN = 2, UNKNOWN = 3, NO_VL = 4, TOO_LONG = 5 };

/* What becomes of a packet. */
struct fate {
  uint32_t cause, out, vl, sc, sl;
};

struct packet {
  uint64_t at;               /* not sent before this cycle */
  uint64_t sent, head, tail; /* cycles: head on the link in; head, tail on the link out */
  uint32_t port, vl, sc, dest, len;
  uint32_t seen;        /* flits that came out */
  uint32_t out, out_vl; /* where they did */
  uint32_t next;        /* packet that the same sender has next, 0 none */
  struct fate fate;
};

struct source {
  uint32_t first, last;    /* packets that wait, 0 none */
  uint32_t current, place; /* the one on the link, 0 none */
  uint64_t seed;
  struct loom_credit_tracker in; /* the sender's account of the input buffer, by lane */
};

struct sink {
  uint32_t current, left;
  uint64_t seed;
  struct end_receiver receiver;
  struct loom_credit_tracker in; /* its buffer */
};

struct switch_bench {
  enum switch_kind kind;
  uint32_t ports, vls, centrals;
  struct loom_ib_switch_cfg ib_cfg;
  struct loom_opa_switch_cfg opa_cfg;
  struct loom_ib_switch *ib;
  struct loom_opa_switch *opa;
  void *storage;
  /* Ports of the next cycle, of the last one, and the registers in the last one. Both switches have
   * the same ports. */
  struct loom_ib_switch_in in;
  struct loom_ib_switch_out out;
  struct loom_opa_switch_probe probe;
  uint64_t cycle;        /* from 1 on */
  uint64_t central_seen; /* central buffers that had a grant so far */
  /* Moods. */
  uint64_t stopped;   /* receivers that give no credits back, a bit a port */
  uint32_t credits;   /* percent of the cycles in which a receiver gives one back */
  uint32_t pause;     /* percent of the cycles in which a sender waits */
  uint64_t careless;  /* senders that do not count credits: packets may be refused; a bit a port */
  bool unordered;     /* order of a flow is not promised */
  bool tables_change; /* fates are not known */
  struct source source[PORTS_MAX];
  struct sink sink[PORTS_MAX];
  struct packet *packet; /* from 1 on */
  uint32_t packets, room, delivered;
  uint32_t (*flow)[FLOWS][32]; /* last packet of (port, dest, sc) */
  uint64_t trace[PORTS_MAX];   /* of all outputs of a port in all cycles */
  /* The tables, as written. */
  uint32_t control, lft_count, lft[LIDS_MAX], mtu[LANES_MAX];
  uint8_t (*map)[PORTS_MAX][32]; /* [in][out][sc] */
  uint32_t sc2vl[32], sc2sl[32], sl2sc[32];
};

/* ---- opening --------------------------------------------------------------------------------- */

/* A switch with its defaults but for the parameters in `params`, "NAME=value NAME=value ...". Names
 * that only the other switch knows are left out, so a string can serve both. After reset. */
struct switch_bench *new_bench(enum switch_kind kind, const char *params);
/* The same, and its tables filled so that everything goes: LID p leads to port p; every key has its
 * entry in the schedulers. */
struct switch_bench *open_bench(enum switch_kind kind, const char *params);
void close_bench(struct switch_bench *b);
/* The value of a parameter. */
uint32_t param(const struct switch_bench *b, const char *name);
/* Sets parameters in a configuration of both kinds; fails on a name that neither has. */
void set_params(struct loom_ib_switch_cfg *ib, struct loom_opa_switch_cfg *opa, const char *params);

/* ---- latencies (docs/switch.md) -------------------------------------------------------------- */

bool crosses(const struct switch_bench *b, uint32_t in, uint32_t out);
/* Header latency of a packet alone in the switch. */
uint32_t latency(const struct switch_bench *b, uint32_t in, uint32_t out);

/* ---- running --------------------------------------------------------------------------------- */

void cycle(struct switch_bench *b);
/* What senders and receivers do in the next cycle stands in b->in already, and may be changed. */
void feed(struct switch_bench *b);
void cycles(struct switch_bench *b, uint32_t n);
void cycle_until(struct switch_bench *b, uint64_t when);
/* A packet for the sender of this port; its number. */
uint32_t post(struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc, uint32_t dest,
              uint32_t len);
uint32_t post_at(struct switch_bench *b, uint64_t when, uint32_t port, uint32_t vl, uint32_t sc,
                 uint32_t dest, uint32_t len);
/* Until this packet is out; fails if it does not come. */
const struct packet *await(struct switch_bench *b, uint32_t number);
/* Any flit, in the next cycle. */
void raw_flit(struct switch_bench *b, uint32_t port, uint32_t vl, bool head, bool tail,
              uint64_t data);
uint64_t raw_head(uint32_t sc, uint32_t len, uint32_t dest);
/* Until nothing is under way any more; then everything must be empty and each credit be back. */
void drain(struct switch_bench *b);
/* What the page says becomes of a packet with the tables as they are. */
struct fate fate_of(const struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc,
                    uint32_t dest, uint32_t len);

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t port_reg(uint32_t port, uint32_t a);
uint32_t central_reg(uint32_t buffer, uint32_t a);
void write_reg(struct switch_bench *b, uint32_t addr, uint32_t data);
uint32_t read_reg(struct switch_bench *b, uint32_t addr);
/* One read a cycle. */
void read_regs(struct switch_bench *b, const uint32_t *addr, uint32_t n, uint32_t *data);
uint32_t read_port(struct switch_bench *b, uint32_t port, uint32_t a);
void set_lft(struct switch_bench *b, uint32_t lid, uint32_t out);
void set_lft_count(struct switch_bench *b, uint32_t n);
void set_control(struct switch_bench *b, uint32_t control);
void set_map(struct switch_bench *b, uint32_t in, uint32_t out, uint32_t sc, uint32_t value);
void set_sc2vl(struct switch_bench *b, uint32_t sc, uint32_t vl);
void set_sc2sl(struct switch_bench *b, uint32_t sc, uint32_t sl);
void set_sl2sc(struct switch_bench *b, uint32_t sl, uint32_t sc);
void set_mtu(struct switch_bench *b, uint32_t lane, uint32_t units);
/* After drain(): every counter that the packets so far determine. */
void check_counters(struct switch_bench *b);

/* ---- steps that many tests have in common ---------------------------------------------------- */

/* The hold bit of a port's output. */
void hold(struct switch_bench *b, uint32_t port, bool on);
/* The record of a trap. */
uint32_t trap_word(uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest);
/* A packet on VL 0, SC 0, alone: its header takes this long, and its flits follow without a gap. */
void expect_latency(struct switch_bench *b, uint32_t in, uint32_t out, uint32_t len,
                    uint64_t expected);
/* Sends a packet alone; gives 0 if it came out (as the bench's rules say), else the trap. */
uint32_t send_alone(struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc, uint32_t dest,
                    uint32_t len);

#endif
