/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dlopen, readlink */

#include "run/circuits.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/elite5_class.h"
#include "fabric/mport_class.h"
#include "fabric/switch_class.h"
#include "io/streams.h"

enum { CONFIG = LOOM_SPEC_NAME + 16, KINDS_MAX = 8 };

/* The configuration of a fabric's circuits. No other has this prefix. */
static void name_config(const struct loom_spec *spec, char config[CONFIG]) {
  snprintf(config, CONFIG, "fabric_%s", spec->name);
  for (char *c = config; *c; c++) {
    if (*c >= 'A' && *c <= 'Z')
      *c = (char)(*c - 'A' + 'a');
    if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9')))
      *c = '_';
  }
}

/* ---- the library ----------------------------------------------------------------------------- */

/* The folder of this command, from the working directory if it lies below it. */
static bool find_folder(char *folder, size_t size) {
  char here[4096];
  ssize_t n = readlink("/proc/self/exe", folder, size - 1);
  if (n <= 0)
    return false;
  folder[n] = 0;
  char *slash = strrchr(folder, '/');
  if (!slash || !getcwd(here, sizeof here))
    return false;
  *slash = 0;
  size_t above = strlen(here);
  if (!strncmp(folder, here, above) && folder[above] == '/')
    memmove(folder, folder + above + 1, strlen(folder + above + 1) + 1);
  return true;
}

static bool refuse(struct loom_plan_error *err, const char *why) {
  return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "shadow", "%s", why);
}

static bool load(struct loom_circuits *c, const char *folder, struct loom_plan_error *err) {
  char path[4200];
  snprintf(path, sizeof path, "%s%s/libloom_shadow.so", folder[0] == '/' ? "" : "./", folder);
  c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!c->library)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "shadow",
                          "no circuits here: %.300s; `make shadow FABRIC=FILE` builds them",
                          dlerror());
  c->api = dlsym(c->library, "loom_shadow_library");
  return c->api || refuse(err, "no circuits here: not the library of shadows");
}

bool loom_circuits_open(struct loom_circuits *c, const struct loom_spec *spec, const char *plant,
                        struct loom_plan_error *err) {
  char folder[4096], config[CONFIG], why[300];
  memset(c, 0, sizeof *c);
  name_config(spec, config);
  if (!find_folder(folder, sizeof folder))
    return refuse(err, "the folder of this command cannot be found");
  const struct loom_shadow_cfg cfg = {
      .folder = folder, .fabric = spec->name, .config = config, .plant = plant};
  if (!load(c, folder, err)) {
    loom_circuits_close(c);
    return false;
  }
  if (c->api->open(&c->shadow, &cfg, why, sizeof why))
    return true;
  c->api = NULL;
  loom_circuits_close(c);
  return refuse(err, why);
}

void loom_circuits_close(struct loom_circuits *c) {
  if (c->api)
    c->api->close(&c->shadow);
  if (c->library)
    dlclose(c->library);
  memset(c, 0, sizeof *c);
}

/* ---- what a file needs ----------------------------------------------------------------------- */

/* A fabric is built with a hook that prints in place of circuits. */
struct printer {
  FILE *out;
  char config[CONFIG];
  const char *seen[KINDS_MAX]; /* devices */
  uint32_t count;
};

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_ib_switch(FILE *out, const struct loom_ib_switch_cfg *cfg) {
#include <loom/def_rest.h>

#include "switch/ib_switch.def"
#include <loom/def_undef.h>
}

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_opa_switch(FILE *out, const struct loom_opa_switch_cfg *cfg) {
#include <loom/def_rest.h>

#include "switch/opa_switch.def"
#include <loom/def_undef.h>
}

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_mport_switch(FILE *out, const struct loom_mport_switch_cfg *cfg) {
#include <loom/def_rest.h>

#include "switch/mport_switch.def"
#include <loom/def_undef.h>
}

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_kns_node(FILE *out, const struct loom_kns_node_cfg *cfg) {
#include <loom/def_rest.h>

#include "switch/kns_node.def"
#include <loom/def_undef.h>
}

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_kns_switch(FILE *out, const struct loom_kns_switch_cfg *cfg) {
#include <loom/def_rest.h>

#include "switch/kns_switch.def"
#include <loom/def_undef.h>
}

#define LOOM_PARAM(NAME, dflt, min, max) fprintf(out, " %s=%u", #NAME, (unsigned)cfg->NAME);
static void print_elite5_router(FILE *out, const struct loom_elite5_router_cfg *cfg) {
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
}

/* Begins the line of a device. All of a kind have the same parameters: false, it stands there. */
static bool begin_line(struct printer *p, const char *dut) {
  for (uint32_t i = 0; i < p->count; i++)
    if (!strcmp(p->seen[i], dut))
      return false;
  if (p->count < KINDS_MAX)
    p->seen[p->count++] = dut;
  fprintf(p->out, "%s %s 0", dut, p->config);
  return true;
}

static bool print_circuit(void *context, const struct loom_shadow_switch *s, char *why,
                          size_t size) {
  struct printer *p = context;
  (void)why;
  (void)size;
  if (!begin_line(p, s->device_class->name))
    return true;
  if (s->device_class == &loom_ib_switch_class)
    print_ib_switch(p->out, s->cfg);
  else if (s->device_class == &loom_opa_switch_class)
    print_opa_switch(p->out, s->cfg);
  else if (s->device_class == &loom_mport_switch_class)
    print_mport_switch(p->out, s->cfg);
  else if (s->device_class == &loom_kns_node_class)
    print_kns_node(p->out, s->cfg);
  else if (s->device_class == &loom_kns_switch_class)
    print_kns_switch(p->out, s->cfg);
  else
    print_elite5_router(p->out, s->cfg);
  fputc('\n', p->out);
  return true;
}

static void receive(void *context, const struct loom_message *message, bool damaged) {
  (void)context;
  (void)message;
  (void)damaged;
}

bool loom_circuits_print(const struct loom_plan *plan, FILE *out, struct loom_plan_error *err) {
  struct printer p = {.out = out};
  const struct loom_shadow shadow = {.attach = print_circuit, .context = &p};
  const struct loom_build_cfg cfg = {.plan = plan, .receive = receive, .shadow = &shadow};
  name_config(plan->spec, p.config);
  struct loom_built *built = loom_build(&cfg, err);
  loom_built_destroy(built);
  return built != NULL;
}
