/* SPDX-License-Identifier: Apache-2.0 */
/* circuits.h - circuits beside the twins of a fabric: which ones a file needs, and the library that
 * runs them (docs/fabric.md)
 *
 * The command knows no circuit. A library beside it does, which is loaded only for a file that asks
 * for shadows.
 */
#ifndef LOOM_RUN_CIRCUITS_H
#define LOOM_RUN_CIRCUITS_H

#include <stdio.h>

#include "run/build.h"

/* What the library has to know. */
struct loom_shadow_cfg {
  const char *folder; /* of the command: circuits are below rtl/, waves go below waves/ */
  const char *fabric; /* its name */
  const char *config; /* the circuit of device N is that of <N>-<config> */
  const char *plant;  /* SWITCH:CYCLE:OUTPUT:BIT, a bit of a circuit that is flipped; NULL: none */
};

/* What the library exports as `loom_shadow_library`. */
struct loom_shadow_library {
  /* False: it cannot, *why says so. */
  bool (*open)(struct loom_shadow *shadow, const struct loom_shadow_cfg *cfg, char *why,
               size_t size);
  void (*close)(struct loom_shadow *shadow);
};

struct loom_circuits {
  struct loom_shadow shadow;
  void *library;
  const struct loom_shadow_library *api;
};

/* Loads the library; false: *err says why. */
bool loom_circuits_open(struct loom_circuits *c, const struct loom_spec *spec, const char *plant,
                        struct loom_plan_error *err);
void loom_circuits_close(struct loom_circuits *c);

/* Prints the circuits that the file's `shadow` needs, each once, as lines of a list of
 * configurations (docs/cosim.md). False: *err says why. */
bool loom_circuits_print(const struct loom_plan *plan, FILE *out, struct loom_plan_error *err);

#endif
