/* SPDX-License-Identifier: Apache-2.0 */
/* circuit.c - loads a Verilated circuit, and names places in it */
#define _GNU_SOURCE /* dlopen */
#include "tb/cosim/cosim.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(struct reason *why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why->text, sizeof why->text, format, args);
  va_end(args);
  return false;
}

static bool load(struct circuit *c, const char *path, const struct dut *dut, const char *config,
                 uint64_t random, struct reason *why) {
  memset(c, 0, sizeof *c);
  c->dut = dut;
  c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!c->library)
    return refuse(why, "%s", dlerror());
  c->api = dlsym(c->library, "loom_shim");
  if (!c->api || strcmp(c->api->dut, dut->name) != 0 || strcmp(c->api->config, config) != 0) {
    dlclose(c->library);
    c->library = NULL;
    return refuse(why, "%s: not the circuit of %s %s", path, dut->name, config);
  }
  c->handle = c->api->open(random);
  return true;
}

bool circuit_load(struct circuit *c, const char *dir, const struct dut *dut, const char *config,
                  uint64_t random, struct reason *why) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s-%s/shim.so", dir, dut->name, config);
  return load(c, path, dut, config, random, why);
}

bool circuit_open(struct circuit *c, const char *dir, const char *dut, const char *config,
                  uint64_t random) {
  struct reason why = {""};
  const struct dut *d = dut_find(dut);
  if (!d) {
    fprintf(stderr, "--dut %s: no such device\n", dut);
    return false;
  }
  if (circuit_load(c, dir, d, config, random, &why))
    return true;
  fprintf(stderr, "--config %s: %s\n", config, why.text);
  return false;
}

/* Several runs of a bench may want the same circuit: the first one builds it. What make tells the
 * makes that it calls is not for this one, whose jobs nobody counts. */
static bool build_waves(const char *dir, const char *name) {
  char folder[400], command[4096];
  const char *end = strrchr(dir, '/');
  snprintf(folder, sizeof folder, "%s/%s/waves", dir, name);
  snprintf(command, sizeof command,
           "exec >&2; mkdir -p %s && exec flock %s env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "
           "${MAKE:-make} --no-print-directory BUILD=%.*s CIRCUITS=%s %s/shim.so",
           folder, folder, end ? (int)(end - dir) : 0, dir, name, folder);
  return system(command) == 0;
}

bool circuit_open_waves(struct circuit *c, const char *dir, const char *dut, const char *config,
                        uint64_t random) {
  char name[100], path[512];
  struct reason why = {"it cannot be built"};
  if (!circuit_open(c, dir, dut, config, random))
    return false;
  if (c->api->wave_open)
    return true;
  const struct dut *d = c->dut;
  circuit_close(c);
  snprintf(name, sizeof name, "%s-%s", dut, config);
  snprintf(path, sizeof path, "%s/%s/waves/shim.so", dir, name);
  if (build_waves(dir, name) && load(c, path, d, config, random, &why))
    return true;
  fprintf(stderr, "%s: no circuit with waves: %s\n", path, why.text);
  return false;
}

static bool set_param(const struct dut *dut, void *cfg, const char *name, uint32_t value) {
  for (size_t k = 0; k < dut->param_count; k++)
    if (strcmp(dut->params[k].name, name) == 0) {
      memcpy((char *)cfg + dut->params[k].offset, &value, sizeof value);
      return true;
    }
  fprintf(stderr, "%s: %s has no such parameter\n", name, dut->name);
  return false;
}

bool circuit_none(struct circuit *c, const char *dut, const char *config, const char *params) {
  char name[32];
  uint32_t value;
  int used;
  memset(c, 0, sizeof *c);
  c->dut = dut_find(dut);
  void *cfg = c->own_cfg = c->dut ? calloc(1, c->dut->cfg_size) : NULL;
  if (!cfg) {
    fprintf(stderr, "--dut %s: no such device\n", dut);
    return false;
  }
  c->own = (struct shim_api){.dut = dut, .config = config, .cfg = cfg};
  c->api = &c->own;
  c->dut->defaults(cfg);
  for (; sscanf(params, " %31[A-Z0-9_]=%" SCNu32 "%n", name, &value, &used) == 2; params += used)
    if (!set_param(c->dut, cfg, name, value))
      return false;
  return true;
}

void circuit_close(struct circuit *c) {
  if (c->library) {
    c->api->close(c->handle);
    dlclose(c->library);
  } else {
    free(c->own_cfg);
  }
}

void plant_flip(const struct plant *p, const void *cfg, void *out) {
  uint32_t bits = p->field->bits(cfg), lane = p->bit / bits;
  field_set(p->field, out, lane, field_get(p->field, out, lane) ^ 1ull << p->bit % bits);
}

bool plant_read(struct plant *p, const char *text, const struct dut *dut, const void *cfg,
                struct reason *why) {
  char name[32];
  int used = 0;
  memset(p, 0, sizeof *p);
  if (sscanf(text, "%20" SCNu64 ":%31[a-z0-9_]:%9" SCNu32 "%n", &p->cycle, name, &p->bit, &used) !=
          3 ||
      text[used])
    return refuse(why, "need CYCLE:OUTPUT:BIT");
  for (size_t i = 0; i < dut->field_count; i++) {
    const struct field *f = &dut->fields[i];
    if (f->dir == FIELD_OUT && strcmp(f->name, name) == 0)
      p->field = f;
  }
  if (!p->field || p->bit >= p->field->lanes(cfg) * p->field->bits(cfg))
    return refuse(why, "%s has no such output bit", dut->name);
  p->on = true;
  return true;
}

bool plant_parse(struct plant *p, const char *text, const struct dut *dut, const void *cfg) {
  struct reason why = {""};
  if (plant_read(p, text, dut, cfg, &why))
    return true;
  fprintf(stderr, "--plant %s: %s\n", text, why.text);
  return false;
}
