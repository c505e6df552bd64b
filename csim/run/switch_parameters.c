/* SPDX-License-Identifier: Apache-2.0 */
#include "run/switch_parameters.h"

#include <string.h>

#include "elite5/elite5_router.h"
#include "switch/crossbar_switch.h"
#include "switch/ib_switch.h"
#include "switch/kns_node.h"
#include "switch/kns_switch.h"
#include "switch/mport_switch.h"
#include "switch/opa_switch.h"

const char *const loom_device_names[LOOM_DEVICE_KINDS + 1] = {
    "ib", "crossbar", "opa", "mport", "kns", "kns_crossbar", "elite5", "crosspoint", NULL};

/* Their lists, a NULL name at the end. */
#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter ib_list[] = {
#include <loom/def_rest.h>

#include "switch/ib_switch.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter crossbar_list[] = {
#include <loom/def_rest.h>

#include "switch/crossbar_switch.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter opa_list[] = {
#include <loom/def_rest.h>

#include "switch/opa_switch.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter mport_list[] = {
#include <loom/def_rest.h>

#include "switch/mport_switch.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter kns_list[] = {
#include <loom/def_rest.h>

#include "switch/kns_node.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter elite5_list[] = {
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

#define LOOM_PARAM(NAME, dflt, min, max) {#NAME, dflt, min, max},
static const struct loom_parameter crosspoint_list[] = {
#include <loom/def_rest.h>

#include "elite5/crosspoint_router.def"
#include <loom/def_undef.h>
    {NULL, 0, 0, 0}};

static const struct loom_parameter *const lists[LOOM_DEVICE_KINDS] = {
    ib_list,  crossbar_list, opa_list,    mport_list,
    kns_list, crossbar_list, elite5_list, crosspoint_list};

bool loom_device_is_ib(enum loom_device_kind kind) {
  return kind == LOOM_DEVICE_IB || kind == LOOM_DEVICE_CROSSBAR;
}

bool loom_device_is_opa(enum loom_device_kind kind) {
  return kind == LOOM_DEVICE_OPA || kind == LOOM_DEVICE_MPORT;
}

bool loom_device_is_kns(enum loom_device_kind kind) {
  return kind == LOOM_DEVICE_KNS || kind == LOOM_DEVICE_KNS_CROSSBAR;
}

bool loom_device_is_elite5(enum loom_device_kind kind) {
  return kind == LOOM_DEVICE_ELITE5 || kind == LOOM_DEVICE_CROSSPOINT;
}

bool loom_device_is_crossbar(enum loom_device_kind kind) {
  return kind == LOOM_DEVICE_CROSSBAR || kind == LOOM_DEVICE_KNS_CROSSBAR;
}

bool loom_device_has_chassis(enum loom_device_kind kind) {
  return loom_device_is_crossbar(kind) || kind == LOOM_DEVICE_MPORT;
}

static uint32_t place_of(const char *const *list, uint32_t count, const char *name) {
  uint32_t i = 0;
  while (i < count && strcmp(list[i], name) != 0)
    i++;
  return i;
}

uint32_t loom_parameter_names(const char *list[LOOM_PARAMETERS]) {
  uint32_t count = 0;
  for (unsigned k = 0; k < LOOM_DEVICE_KINDS; k++)
    for (const struct loom_parameter *p = lists[k]; p->name && count < LOOM_PARAMETERS; p++)
      if (place_of(list, count, p->name) == count)
        list[count++] = p->name;
  return count;
}

const struct loom_parameter *loom_parameter_find(enum loom_device_kind kind, const char *name) {
  for (const struct loom_parameter *p = lists[kind]; p->name; p++)
    if (!strcmp(p->name, name))
      return p;
  return NULL;
}

void loom_parameters_begin(struct loom_parameters *p) {
  *p = (struct loom_parameters){.names = 0};
  p->names = loom_parameter_names(p->name);
}

/* The place of a name in the list of all; LOOM_PARAMETERS: it is not there. */
static uint32_t place(const struct loom_parameters *p, const char *name) {
  uint32_t at = place_of(p->name, p->names, name);
  return at < p->names ? at : LOOM_PARAMETERS;
}

bool loom_parameter_given(const struct loom_parameters *p, const char *name) {
  uint32_t at = place(p, name);
  return at < LOOM_PARAMETERS && p->given[at];
}

void loom_parameter_default(struct loom_parameters *p, const char *name, uint32_t value) {
  uint32_t at = place(p, name);
  if (at == LOOM_PARAMETERS || p->given[at])
    return;
  p->given[at] = true;
  p->value[at] = value;
}

static uint32_t given_or(const struct loom_parameters *p, const char *name, uint32_t otherwise) {
  uint32_t at = place(p, name);
  return at < LOOM_PARAMETERS && p->given[at] ? p->value[at] : otherwise;
}

uint32_t loom_parameter_value(const struct loom_parameters *p, enum loom_device_kind kind,
                              const char *name) {
  const struct loom_parameter *found = loom_parameter_find(kind, name);
  return found ? given_or(p, name, found->otherwise) : 0;
}

void loom_parameters_ib(const struct loom_parameters *p, struct loom_ib_switch_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/ib_switch.def"
#include <loom/def_undef.h>
}

void loom_parameters_crossbar(const struct loom_parameters *p,
                              struct loom_crossbar_switch_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/crossbar_switch.def"
#include <loom/def_undef.h>
}

void loom_parameters_opa(const struct loom_parameters *p, struct loom_opa_switch_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/opa_switch.def"
#include <loom/def_undef.h>
}

void loom_parameters_mport(const struct loom_parameters *p, struct loom_mport_switch_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/mport_switch.def"
#include <loom/def_undef.h>
}

void loom_parameters_kns_node(const struct loom_parameters *p, struct loom_kns_node_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/kns_node.def"
#include <loom/def_undef.h>
}

void loom_parameters_kns_switch(const struct loom_parameters *p, struct loom_kns_switch_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "switch/kns_switch.def"
#include <loom/def_undef.h>
}

void loom_parameters_elite5(const struct loom_parameters *p, struct loom_elite5_router_cfg *cfg) {
#define LOOM_PARAM(NAME, dflt, min, max) cfg->NAME = given_or(p, #NAME, cfg->NAME);
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
}
