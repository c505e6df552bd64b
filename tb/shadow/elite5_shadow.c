/* elite5_shadow.c - runs the circuit of a router beside its twin in the middle of a fabric */
#define _GNU_SOURCE /* dlopen */
#include "tb/shadow/elite5_shadow.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/cosim/shim.h"

#define SHADOW_LIST "elite5/elite5_router.def"

/* One router. */
struct elite5_shadowed {
  void *circuit;
  uint64_t cycle;
  struct loom_elite5_router_in in;
  struct loom_elite5_router_out out[2]; /* of the circuit, of the twin */
  struct loom_elite5_router_probe probe[2];
};

static bool load(struct elite5_shadow *s, const char *file) {
  s->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  s->api = s->library ? dlsym(s->library, "loom_shim") : NULL;
  if (!s->api || strcmp(s->api->dut, "elite5_router") != 0) {
    fprintf(stderr, "%s: %s\n", file, s->library ? "not a circuit of elite5_router" : dlerror());
    return false;
  }
  return true;
}

bool elite5_shadow_fits(const struct elite5_shadow *s, const struct loom_elite5_router_cfg *cfg) {
  if (memcmp(s->api->cfg, cfg, sizeof *cfg) == 0)
    return true;
  fprintf(stderr, "%s has other parameters than the fabric's routers\n", s->api->config);
  return false;
}

bool elite5_shadow_open(struct elite5_shadow *s, const char *file, uint32_t routers) {
  memset(s, 0, sizeof *s);
  if (!load(s, file))
    return false;
  s->router = calloc(routers, sizeof *s->router);
  if (!s->router)
    return false;
  s->routers = routers;
  for (uint32_t r = 0; r < routers; r++) {
    s->router[r].circuit = s->api->open(r + 1);
    s->api->reset(s->router[r].circuit, &s->router[r].in);
  }
  return true;
}

void elite5_shadow_close(struct elite5_shadow *s) {
  for (uint32_t r = 0; r < s->routers; r++)
    s->api->close(s->router[r].circuit);
  free(s->router);
  if (s->library)
    dlclose(s->library);
  memset(s, 0, sizeof *s);
}

/* ---- one cycle ----------------------------------------------------------------------------------
 */

/* The first field and lane in which circuit and twin differ. */
static bool compare(const struct elite5_shadowed *x, uint32_t router) {
#define DIFFERENCE(name, l, circuit, twin)                                                         \
  if ((circuit) != (twin)) {                                                                       \
    printf("router %u, cycle %" PRIu64 ", %s lane %u: circuit 0x%" PRIx64 ", twin 0x%" PRIx64      \
           "\n",                                                                                   \
           router, x->cycle, #name, l, circuit, twin);                                             \
    return false;                                                                                  \
  }
#define LOOM_OUT(name, bits) DIFFERENCE(name, 0u, x->out[0].name, x->out[1].name)
#define LOOM_OUT_ARRAY(name, lanes, bits, max)                                                     \
  for (uint32_t l = 0; l < (max); l++)                                                             \
  DIFFERENCE(name, l, x->out[0].name[l], x->out[1].name[l])
#define LOOM_PROBE(name, bits) DIFFERENCE(name, 0u, x->probe[0].name, x->probe[1].name)
#include <loom/def_rest.h>
#include SHADOW_LIST
#include <loom/def_undef.h>
  return true;
}

void elite5_shadow_edge(void *shadow, uint32_t router, struct loom_elite5_router *twin,
                        const struct loom_elite5_lanes *lanes) {
  struct elite5_shadow *s = shadow;
  struct elite5_shadowed *x = &s->router[router];
  if (s->differs || (s->cycles && x->cycle >= s->cycles)) {
    loom_elite5_router_edge(twin, lanes);
    return;
  }
  loom_elite5_net_ports(lanes, &x->in);
  s->api->run(x->circuit, &x->in, &x->out[0], &x->probe[0], 1);
  loom_elite5_router_probe(twin, &x->probe[1]);
  loom_elite5_router_step(twin, &x->in, &x->out[1]);
  if (s->plant && x->cycle == s->plant && router == 0)
    x->out[0].out_tail[0] ^= 1;
  s->differs = !compare(x, router);
  x->cycle++;
  s->compared++;
}
