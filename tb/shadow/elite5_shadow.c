/* elite5_shadow.c - runs the circuit of a router beside its twin in the middle of a fabric */
#include "tb/shadow/elite5_shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/cosim/lockstep.h"

enum { CHUNK = 64 };

extern const struct dut elite5_router_dut;
const struct dut *const loom_duts[] = {&elite5_router_dut, NULL};

/* One router. */
struct elite5_shadowed {
  struct circuit circuit;
  struct lockstep lock;
  uint64_t cycle; /* the next */
  size_t filled;  /* cycles of the chunk, the last is that before `cycle` */
};

static bool open_router(struct elite5_shadowed *x, const char *folder, const char *config,
                        uint32_t number) {
  struct reason why = {"out of memory"};
  if (!circuit_load(&x->circuit, folder, &elite5_router_dut, config, number + 1u, &why) ||
      !lockstep_open(&x->lock, &x->circuit, CHUNK)) {
    fprintf(stderr, "%s\n", why.text);
    return false;
  }
  x->circuit.api->reset(x->circuit.handle, x->lock.in);
  return true;
}

bool elite5_shadow_open(struct elite5_shadow *s, const char *folder, const char *config,
                        uint32_t routers) {
  memset(s, 0, sizeof *s);
  s->router = calloc(routers, sizeof *s->router);
  if (!s->router)
    return false;
  bool ok = true;
  while (ok && s->routers < routers) {
    ok = open_router(&s->router[s->routers], folder, config, s->routers);
    s->routers++;
  }
  return ok;
}

bool elite5_shadow_fits(const struct elite5_shadow *s, const struct loom_elite5_router_cfg *cfg) {
  const struct shim_api *api = s->router[0].circuit.api;
  if (memcmp(api->cfg, cfg, sizeof *cfg) == 0)
    return true;
  fprintf(stderr, "%s has other parameters than the fabric's routers\n", api->config);
  return false;
}

void elite5_shadow_close(struct elite5_shadow *s) {
  for (uint32_t r = 0; r < s->routers; r++) {
    lockstep_close(&s->router[r].lock);
    if (s->router[r].circuit.library)
      circuit_close(&s->router[r].circuit);
  }
  free(s->router);
  memset(s, 0, sizeof *s);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* The circuit does the cycles of the chunk. */
static void follow(struct elite5_shadow *s, uint32_t router) {
  static const struct stats none;
  struct elite5_shadowed *x = &s->router[router];
  uint64_t from = x->cycle - x->filled;
  size_t n = x->filled;
  x->filled = 0;
  if (!n)
    return;
  s->compared += lockstep_follow(&x->lock, from, n, 0);
  if (!x->lock.differs && !x->lock.wrong)
    return;
  s->differs = true;
  printf("router %" PRIu32 ": ", router);
  if (x->lock.differs)
    difference_print(stdout, &x->lock.diff, &none);
  else
    printf("%s, near cycle %" PRIu64 "\n", x->lock.wrong, from);
}

void elite5_shadow_settle(struct elite5_shadow *s) {
  for (uint32_t r = 0; r < s->routers && !s->differs; r++)
    follow(s, r);
}

static void plant(const struct elite5_shadow *s, struct elite5_shadowed *x) {
  struct reason why = {""};
  char text[40];
  snprintf(text, sizeof text, "%" PRIu64 ":out_tail:0", s->plant);
  plant_read(&x->lock.plant, text, x->lock.dut, x->lock.cfg, &why);
}

void elite5_shadow_edge(void *shadow, uint32_t router, struct loom_elite5_router *twin,
                        const struct loom_elite5_lanes *lanes) {
  struct elite5_shadow *s = shadow;
  struct elite5_shadowed *x = &s->router[router];
  struct lockstep *l = &x->lock;
  const struct dut *d = &elite5_router_dut;
  if (s->differs) {
    loom_elite5_router_edge(twin, lanes);
    return;
  }
  if (s->plant && router == 0 && x->cycle == 0)
    plant(s, x);
  struct loom_elite5_router_in in = {.reg_we = 0};
  loom_elite5_net_ports(lanes, &in);
  memcpy(l->in + x->filled * d->in_size, &in, sizeof in);
  d->run(twin, &in, l->twin_out + x->filled * d->out_size,
         l->twin_probe + x->filled * d->probe_size, 1);
  x->filled++;
  x->cycle++;
  if (x->filled == CHUNK)
    follow(s, router);
}
