/* SPDX-License-Identifier: Apache-2.0 */
/* read_opensm_conf.h - the QoS options of opensm.conf (docs/formats.md; IB-05..07) */
#ifndef LOOM_IO_READ_OPENSM_CONF_H
#define LOOM_IO_READ_OPENSM_CONF_H

#include "io/read_vlarb.h"

enum { LOOM_OPENSM_SLS = 16, LOOM_OPENSM_DROP = 15 /* a VL that means: drop */ };

/* Ports that options are for: `qos_`, `qos_ca_`, `qos_sw0_`, `qos_swe_`, `qos_rtr_`. */
enum loom_opensm_ports {
  LOOM_OPENSM_ALL, /* where nothing else is said */
  LOOM_OPENSM_CA,
  LOOM_OPENSM_SW0, /* port 0 of switches */
  LOOM_OPENSM_SWE, /* their other ports */
  LOOM_OPENSM_RTR,
  LOOM_OPENSM_PORTS
};

/* An option of such ports, as a bit of a mask. */
enum loom_opensm_option {
  LOOM_OPENSM_MAX_VLS = 1,
  LOOM_OPENSM_HIGH_LIMIT = 2,
  LOOM_OPENSM_VLARB_HIGH = 4,
  LOOM_OPENSM_VLARB_LOW = 8,
  LOOM_OPENSM_SL2VL = 16
};

struct loom_opensm_qos {
  bool max_vls_given;
  uint8_t max_vls; /* 1..15 */
  bool high_limit_given;
  uint8_t high_limit;           /* in units of 4096 bytes; 255: no limit */
  struct loom_vlarb_table high; /* no entries: not given */
  struct loom_vlarb_table low;
  bool sl2vl_given;
  uint8_t sl2vl[LOOM_OPENSM_SLS]; /* VL of an SL */
  unsigned defaults;              /* mask of the options that are OpenSM's own defaults */
};

struct loom_opensm_conf {
  bool qos; /* `qos TRUE` */
  struct loom_opensm_qos ports[LOOM_OPENSM_PORTS];
};

/* What holds for ports of a kind: its own options, else those of all, else OpenSM's documented
 * defaults (opensm(8)), so that everything has a value. The `given` say what the file has. */
struct loom_opensm_qos loom_opensm_of(const struct loom_opensm_conf *conf,
                                      enum loom_opensm_ports ports);

/* `qos_swe_` and the like: what the names of the options of these ports begin with. */
extern const char *const loom_opensm_prefix[LOOM_OPENSM_PORTS];

/* Other options are passed over. False: refused, *err says why. */
bool loom_read_opensm_conf(struct loom_opensm_conf *conf, const struct loom_source *src,
                           struct loom_error *err);
/* The same of a file. */
bool loom_load_opensm_conf(struct loom_opensm_conf *conf, const char *file, struct loom_error *err);

#endif
