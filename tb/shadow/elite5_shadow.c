/* elite5_shadow.c - the shadow of an Elite5 router: looks on at its edges in the network */
#include "elite5/elite5_header.h"
#include "tb/shadow/shadow.h"

struct router_shadow {
  struct shadow base;
  uint32_t router; /* of the net */
  uint64_t (*now)(const void *fabric);
  const void *fabric;
};

/* ---- cycles ---------------------------------------------------------------------------------- */

static void note_packet(struct shadow *s, uint64_t cycle, uint32_t link,
                        const struct loom_elite5_router_in *in) {
  struct loom_elite5_first h;
  if (!loom_elite5_unpack_first(&h, in->in_data[link]) || h.type > LOOM_ELITE5_CONDITIONAL)
    return;
  struct packet_note note = {.cycle = cycle,
                             .port = link,
                             .vl = (uint32_t)in->in_vl[link],
                             .dest = h.dest,
                             .length = h.len,
                             .id = h.ts};
  stats_note(&s->stats, &note);
}

static void note_packets(struct shadow *s, uint64_t cycle, const void *in) {
  const struct loom_elite5_router_in *i = in;
  for (uint32_t link = 0; link < LOOM_ELITE5_LINKS; link++)
    if (i->in_valid[link] && i->in_head[link])
      note_packet(s, cycle, link, i);
}

/* An idle fabric leaves out cycles; then neither twin nor circuit does them. */
static void catch_up(struct shadow *s) {
  const struct router_shadow *x = (const struct router_shadow *)s;
  uint64_t now = x->now(x->fabric);
  if (now == LOOM_SHADOW_BEFORE)
    return;
  if (!s->running)
    shadow_begin_running(s);
  if (s->next != now)
    shadow_leap(s, now);
}

static struct shadow *find(const struct shadows *all, uint32_t router) {
  struct shadow *s = all->first;
  while (s && ((const struct router_shadow *)s)->router != router)
    s = s->other;
  return s;
}

static void edge(void *context, uint32_t router, struct loom_elite5_router *twin,
                 const struct loom_elite5_lanes *lanes) {
  struct shadow *s = find(context, router);
  if (!s) {
    loom_elite5_router_edge(twin, lanes);
    return;
  }
  s->twin = twin;
  catch_up(s);
  loom_elite5_net_ports(lanes, shadow_begin_cycle(s));
  shadow_end_cycle(s);
}

/* ---- attaching ------------------------------------------------------------------------------- */

/* The lists of a router's cycles are long, and there may be many routers. */
static const struct shadow_kind router_kind = {
    .size = sizeof(struct router_shadow), .chunk = 64, .catch_up = catch_up, .note = note_packets};

bool elite5_shadow_attach(void *context, const struct loom_shadow_router *from,
                          struct loom_elite5_net_cfg *net, char *why, size_t size) {
  const struct shadow_cfg cfg = {.kind = &router_kind,
                                 .name = from->name,
                                 .dut = dut_find("elite5_router"),
                                 .cfg = &net->router,
                                 .random = from->router + 1u};
  struct shadow *s;
  if (!shadow_add(context, &cfg, &s, why, size))
    return false;
  if (!s)
    return true;
  struct router_shadow *x = (struct router_shadow *)s;
  x->router = from->router;
  x->now = from->now;
  x->fabric = from->fabric;
  net->edge = edge;
  net->context = context;
  return true;
}
