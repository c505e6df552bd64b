/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_port.h - one link end of an endpoint: its bring-up (docs/elan5.md, docs/elite5.md; E5-35)
 */
#ifndef LOOM_ELAN5_ELAN5_PORT_H
#define LOOM_ELAN5_ELAN5_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "elan5/flow.h"
#include "elite5/elite5_link_state.h"
#include "parts/prbs31_check.h"
#include "parts/prbs31_gen.h"

struct loom_elan5_port_cfg {
  bool enable;
  bool quick;        /* no negotiation, no identity, no test */
  bool check;        /* the far end must be `expected` */
  uint32_t expected; /* {chip 16, link 8} */
  uint32_t chip_id;  /* 16 bits */
  uint32_t link;     /* own number, 8 bits */
  uint32_t protocol; /* 8 bits */
  uint32_t prbs_words;
  uint32_t prbs_limit; /* most bit errors in the test */
  uint32_t timeout;    /* cycles in a state; 0: for ever */
};

struct loom_elan5_port {
  struct loom_elan5_port_cfg cfg;
  enum loom_elite5_link_state state;
  uint32_t timer; /* cycles in this state */
  uint32_t off;   /* cycles for which the end plays dead */
  bool seen, told;
  uint32_t sent;         /* PRBS words */
  uint32_t checked;      /* words of the last test */
  uint32_t bit_errors;   /* and wrong bits in it */
  uint32_t far;          /* {chip 16, link 8} of the other end */
  struct loom_flow last; /* the word of the last cycle */
  struct loom_prbs31_gen generator;
  struct loom_prbs31_check checker;
};

/* Enabled and quick, link 0 of chip 0, the numbers of a router after reset. */
void loom_elan5_port_defaults(struct loom_elan5_port_cfg *cfg);
void loom_elan5_port_init(struct loom_elan5_port *s, const struct loom_elan5_port_cfg *cfg);

/* Whether what arrives in this cycle is traffic; a first word of traffic ends READY. */
bool loom_elan5_port_takes(struct loom_elan5_port *s, const struct loom_flow *in);

/* One cycle: the state, and in *out the signal and the words of the bring-up. */
void loom_elan5_port_step(struct loom_elan5_port *s, const struct loom_flow *in,
                          struct loom_flow *out);

#endif
