/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.h - one circuit beside a twin in the middle of a running fabric
 *
 * Page: docs/cosim.md. Inside the library (library.h). Whatever stands beside a twin hands in the
 * inputs of its cycles, and the circuit follows in the lock-step of the bench
 * (tb/cosim/lockstep.h).
 */
#ifndef LOOM_TB_SHADOW_H
#define LOOM_TB_SHADOW_H

#include "run/circuits.h"
#include "tb/cosim/lockstep.h"

enum { SHADOW_NAME = 64, SHADOW_FOLDER = 400 };

struct shadow;
struct shadows;

/* How a kind of twin is shadowed. */
struct shadow_kind {
  size_t size;  /* of its struct, which begins with struct shadow */
  size_t chunk; /* cycles that the circuit may be behind */
  /* To the present cycle of the fabric. */
  void (*catch_up)(struct shadow *s);
  /* Notes the packets that come with these inputs. */
  void (*note)(struct shadow *s, uint64_t cycle, const void *in);
};

/* One switch. */
struct shadow {
  const struct shadow_kind *kind;
  struct shadows *all;
  struct shadow *other; /* the next one */
  char name[SHADOW_NAME];
  const struct dut *dut;
  void *twin;
  uint32_t ports; /* lanes that are ports of the topology, which counts them from 1; 0: none */
  struct circuit circuit;
  struct lockstep lock;
  struct plant plant;
  struct stats stats;  /* packets that came, as far as compared */
  bool running;        /* the fabric's first cycle has been */
  uint64_t next;       /* cycle of the fabric; before the first, those of the switch so far */
  uint64_t own;        /* cycles of the switch so far */
  uint64_t own_differ; /* that of the difference */
  size_t filled;       /* cycles in the chunk, the last is that before `next` */
  uint64_t compared;
};

/* All of a run. */
struct shadows {
  char folder[SHADOW_FOLDER], fabric[SHADOW_NAME], config[2 * SHADOW_NAME];
  char plant_switch[SHADOW_NAME], plant[100]; /* what is left of it: CYCLE:OUTPUT:BIT */
  struct shadow *first;
  bool over; /* there is a difference, and nothing more to dump */
  /* The run is the second one: the switch that differed is dumped around this cycle. */
  bool dumping;
  char name[SHADOW_NAME];
  char waves[SHADOW_FOLDER + 2 * SHADOW_NAME + 16];
  struct window window;
  bool running;    /* the difference came in a cycle of the fabric */
  char text[1600]; /* what is said of it */
};

/* What is to be shadowed. */
struct shadow_cfg {
  const struct shadow_kind *kind;
  const char *name;
  const struct dut *dut;
  const void *cfg; /* parameters of the twin */
  uint64_t random; /* what the registers of the circuit start with */
};

/* A circuit beside a twin; *made is NULL if the run is for the waves of another one. False: it
 * cannot, *why says so. */
bool shadow_add(struct shadows *all, const struct shadow_cfg *cfg, struct shadow **made, char *why,
                size_t size);

/* Zeroed room for the inputs of a cycle. */
void *shadow_begin_cycle(struct shadow *s);
/* The cycle, and the edge after it; the outputs stay until the next cycle begins. */
const void *shadow_end_cycle(struct shadow *s);
/* From here on cycles are those of the fabric, the next one is 0. */
void shadow_begin_running(struct shadow *s);
/* switch_shadow.c: for struct loom_shadow. */
bool switch_shadow_attach(void *context, const struct loom_shadow_switch *from, char *why,
                          size_t size);

#endif
