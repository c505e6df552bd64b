/* SPDX-License-Identifier: Apache-2.0 */
/* switch_parameters.h - parameters of devices by name, from their lists (csim/D/N.def;
 * docs/fabric.md) */
#ifndef LOOM_RUN_SWITCH_PARAMETERS_H
#define LOOM_RUN_SWITCH_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

struct loom_crossbar_switch_cfg;
struct loom_ib_switch_cfg;
struct loom_opa_switch_cfg;
struct loom_mport_switch_cfg;
struct loom_kns_node_cfg;
struct loom_kns_switch_cfg;
struct loom_elite5_router_cfg;

/* What a fabric's switches are. */
enum loom_device_kind {
  LOOM_DEVICE_IB,
  LOOM_DEVICE_CROSSBAR, /* its second edition */
  LOOM_DEVICE_OPA,
  LOOM_DEVICE_MPORT,        /* its second edition */
  LOOM_DEVICE_KNS,          /* kns_node and kns_switch */
  LOOM_DEVICE_KNS_CROSSBAR, /* their second edition */
  LOOM_DEVICE_ELITE5,
  LOOM_DEVICE_CROSSPOINT, /* its second edition */
  LOOM_DEVICE_KINDS
};
extern const char *const loom_device_names[LOOM_DEVICE_KINDS + 1];

struct loom_parameter {
  const char *name;
  uint32_t otherwise, min, max;
};

enum { LOOM_PARAMETERS = 48 }; /* of all kinds together, at most */

/* An InfiniBand switch: of either edition. */
bool loom_device_is_ib(enum loom_device_kind kind);
/* An Omni-Path switch: of either edition. */
bool loom_device_is_opa(enum loom_device_kind kind);
/* A device of a KNS, which goes by coordinates: of either edition. */
bool loom_device_is_kns(enum loom_device_kind kind);
/* A router of QsNetIII, in a fabric with Elan5 endpoints: of either edition. */
bool loom_device_is_elite5(enum loom_device_kind kind);
/* A crossbar_switch, whatever it goes by. */
bool loom_device_is_crossbar(enum loom_device_kind kind);
/* A switch of the second edition, around a chassis (csim/switch/chassis.h). */
bool loom_device_has_chassis(enum loom_device_kind kind);

/* All names of all kinds, each once, in `list`; how many. */
uint32_t loom_parameter_names(const char *list[LOOM_PARAMETERS]);
/* A parameter of a kind; NULL: it has none of this name. For `kns` these are those of the node. */
const struct loom_parameter *loom_parameter_find(enum loom_device_kind kind, const char *name);

/* Values that were given, by place in the list of names; to begin with loom_parameters_begin. */
struct loom_parameters {
  const char *name[LOOM_PARAMETERS]; /* as loom_parameter_names, which takes long */
  uint32_t names;
  bool given[LOOM_PARAMETERS];
  uint32_t value[LOOM_PARAMETERS];
};

/* None is given. */
void loom_parameters_begin(struct loom_parameters *p);
/* Sets what is given over what stands in `cfg` already. */
void loom_parameters_ib(const struct loom_parameters *p, struct loom_ib_switch_cfg *cfg);
void loom_parameters_crossbar(const struct loom_parameters *p,
                              struct loom_crossbar_switch_cfg *cfg);
void loom_parameters_opa(const struct loom_parameters *p, struct loom_opa_switch_cfg *cfg);
void loom_parameters_mport(const struct loom_parameters *p, struct loom_mport_switch_cfg *cfg);
void loom_parameters_kns_node(const struct loom_parameters *p, struct loom_kns_node_cfg *cfg);
void loom_parameters_kns_switch(const struct loom_parameters *p, struct loom_kns_switch_cfg *cfg);
/* Of either edition; PIPE of the second one is not in it. */
void loom_parameters_elite5(const struct loom_parameters *p, struct loom_elite5_router_cfg *cfg);

/* The value that is given, else the one of the kind's list; 0: it has none of this name. */
uint32_t loom_parameter_value(const struct loom_parameters *p, enum loom_device_kind kind,
                              const char *name);
bool loom_parameter_given(const struct loom_parameters *p, const char *name);
/* Gives a value to one that was not given. */
void loom_parameter_default(struct loom_parameters *p, const char *name, uint32_t value);

#endif
