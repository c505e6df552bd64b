/* SPDX-License-Identifier: Apache-2.0 */
/* shim.h - a Verilated circuit seen from C: what every shim.so exports as `loom_shim` */
#ifndef LOOM_TB_SHIM_H
#define LOOM_TB_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shim_api {
  const char *dut, *config;
  const void *cfg; /* struct loom_N_cfg: the parameters that the circuit was built with */
  /* `random`: 0 = registers start as 0, else they start with random values drawn from it. */
  void *(*open)(uint64_t random);
  void (*close)(void *h);
  /* Holds rst_i for two cycles with the inputs `in`. */
  void (*reset)(void *h, const void *in);
  /* n cycles: outputs and probes of each, then its edge. Returns n, or the cycle of them at whose
   * edge an assertion of the circuit failed; the circuit has then said a line on stderr, and
   * nothing is run after it. */
  size_t (*run)(void *h, const void *in, void *out, void *probe, size_t n);
  /* FST of everything in the circuit from now on; time 10 a cycle, `cycle` is the next one.
   * NULL: it was made without waves. */
  void (*wave_open)(void *h, const char *path, uint64_t cycle);
  void (*wave_close)(void *h);
  /* The whole state as bytes, independent of the inputs applied last. */
  size_t (*state_size)(const void *h);
  void (*state_save)(void *h, void *to);
  void (*state_load)(void *h, const void *from);
};

#ifdef __cplusplus
}
#endif
#endif
