/* shadow.h - circuits beside the twins of some switches in the middle of a running fabric
 *
 * Page: docs/cosim.md. The library build/libloom_shadow.so, which `loom run` loads for a fabric
 * file with `shadow:`. Each shadowed switch takes the place of its twin in the fabric: it turns
 * what the links bring into the inputs of the device's list, steps the twin, shows its outputs to
 * the fabric, and lets the circuit follow in the lock-step of the bench (tb/cosim/lockstep.h). A
 * twin that sleeps makes up for the cycles that it has left out, so all are compared.
 */
#ifndef LOOM_TB_SHADOW_H
#define LOOM_TB_SHADOW_H

#include "cli/circuits.h"
#include "tb/cosim/lockstep.h"

enum { SHADOW_NAME = 64, SHADOW_FOLDER = 400 };

/* The fields of a switch's list that its links and its bus are. */
enum shadow_field {
  SHADOW_IN_VALID,
  SHADOW_IN_HEAD,
  SHADOW_IN_TAIL,
  SHADOW_IN_VL,
  SHADOW_IN_DATA,
  SHADOW_OUT_CR_VALID,
  SHADOW_OUT_CR_VL,
  SHADOW_REG_WE,
  SHADOW_REG_ADDR,
  SHADOW_REG_WDATA,
  SHADOW_INPUTS, /* the outputs come now */
  SHADOW_OUT_VALID = SHADOW_INPUTS,
  SHADOW_OUT_HEAD,
  SHADOW_OUT_TAIL,
  SHADOW_OUT_VL,
  SHADOW_OUT_DATA,
  SHADOW_IN_CR_VALID,
  SHADOW_IN_CR_VL,
  SHADOW_FIELDS
};

struct shadows;

/* One switch. */
struct shadow {
  struct shadows *all;
  struct shadow *other; /* the next one */
  char name[SHADOW_NAME];
  struct loom_fabric *fabric;
  const struct loom_fabric_class *class; /* of the twin */
  void *twin;
  const struct dut *dut;
  const struct field *field[SHADOW_FIELDS];
  uint32_t ports;
  struct circuit circuit;
  struct lockstep lock;
  struct plant plant;
  struct stats stats; /* packets that came, as far as compared */
  bool running;       /* the fabric's first cycle has been; before it there are register writes */
  uint64_t writes;    /* edges before that cycle */
  uint64_t next;      /* cycle of the fabric; before the first, writes so far */
  size_t filled;      /* cycles in the chunk, the last is that before `next` */
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
  bool running;    /* the difference came after the register writes */
  char text[1600]; /* what is said of it */
};

extern const struct loom_shadow_library loom_shadow_library;

#endif
