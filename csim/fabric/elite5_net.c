/* elite5_net.c - a fabric of Elite5 routers and endpoints: making, cycle, links (docs/elan5.md) */
#include "fabric/elite5_net.h"

#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

enum { READ_CYCLES = 3, TIME_CYCLES = 2 };

/* ---- making ---------------------------------------------------------------------------------- */

void loom_elite5_net_defaults(struct loom_elite5_net_cfg *cfg) {
  *cfg = (struct loom_elite5_net_cfg){.latency = 1, .commands = 4096, .seed = 1};
  loom_elite5_router_defaults(&cfg->router);
  loom_elan5_defaults(&cfg->endpoint);
}

static bool cfg_ok(const struct loom_elite5_net_cfg *cfg) {
  return cfg->latency >= 1 && cfg->latency <= LOOM_NET_LATENCY_MAX && cfg->commands >= 1 &&
         loom_elite5_router_cfg_ok(&cfg->router) && loom_elan5_cfg_ok(&cfg->endpoint) &&
         cfg->nodes <= cfg->endpoint.nodes;
}

/* ---- who is awake ---------------------------------------------------------------------------- */

/* Member of the sets of devices; a router has its own number. */
static uint32_t node_member(const struct loom_elite5_net *net, uint32_t node) {
  return net->router_words * LOOM_SET_WORD + node;
}

/* Who is awake in a cycle. */
static uint64_t *awake_in(const struct loom_elite5_net *net, uint64_t cycle) {
  return &net->awake[(size_t)(cycle & (net->places - 1)) * net->words];
}

static void call_router(struct loom_elite5_net *net, uint32_t router) {
  loom_set_include(net->called, router);
}

void loom_elite5_net_call_node(struct loom_elite5_net *net, uint32_t node) {
  loom_set_include(net->called, node_member(net, node));
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Zeroed; NULL when there is no memory. */
static void *reserve(struct loom_elite5_net *net, size_t count, size_t size) {
  void *made = loom_arena_take(&net->arena, count * size);
  if (made)
    memset(made, 0, count * size);
  return made;
}

static bool make_router(struct loom_elite5_net *net, uint32_t number) {
  struct loom_elite5_net_router *r = &net->router[number];
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++)
    r->peer[lane].link = (uint32_t)LOOM_NET_NO_LINK;
  r->twin = reserve(net, 1, sizeof *r->twin);
  r->arrival = reserve(net, net->places, sizeof *r->arrival);
  r->command = reserve(net, net->cfg.commands, sizeof *r->command);
  if (!r->twin || !r->arrival || !r->command)
    return false;
  loom_elite5_router_init(r->twin, &net->cfg.router);
  call_router(net, number);
  return true;
}

static bool make_node(struct loom_elite5_net *net, uint32_t number) {
  struct loom_elite5_net_node *n = &net->node[number];
  for (uint32_t lane = 0; lane < LOOM_ELAN5_LINKS; lane++)
    n->peer[lane].link = (uint32_t)LOOM_NET_NO_LINK;
  void *storage = reserve(net, 1, loom_elan5_size(&net->cfg.endpoint));
  n->arrival = reserve(net, net->places, sizeof *n->arrival);
  n->turns = reserve(net, net->places, sizeof *n->turns);
  if (!storage || !n->arrival || !n->turns)
    return false;
  n->endpoint = loom_elan5_create(&net->cfg.endpoint, number, storage);
  n->endpoint->called = &net->called[node_member(net, number) / LOOM_SET_WORD];
  n->endpoint->call = 1ull << number % LOOM_SET_WORD;
  loom_elite5_net_call_node(net, number);
  return true;
}

static bool make_devices(struct loom_elite5_net *net) {
  net->router = reserve(net, net->cfg.routers, sizeof *net->router);
  net->node = reserve(net, net->cfg.nodes, sizeof *net->node);
  net->link = reserve(net, net->cfg.links, sizeof *net->link);
  net->awake = reserve(net, (size_t)net->places * net->words, sizeof *net->awake);
  net->called = reserve(net, net->words, sizeof *net->called);
  if (!net->router || !net->node || !net->link || !net->awake || !net->called)
    return false;
  bool made = true;
  for (uint32_t r = 0; made && r < net->cfg.routers; r++)
    made = make_router(net, r);
  for (uint32_t n = 0; made && n < net->cfg.nodes; n++)
    made = make_node(net, n);
  return made;
}

struct loom_elite5_net *loom_elite5_net_create(const struct loom_elite5_net_cfg *cfg) {
  struct loom_elite5_net *net = cfg_ok(cfg) ? calloc(1, sizeof *net) : NULL;
  if (!net)
    return NULL;
  net->cfg = *cfg;
  net->places = 1u << loom_clog2(cfg->latency + 1u);
  net->router_words = loom_set_words(cfg->routers);
  net->words = net->router_words + loom_set_words(cfg->nodes);
  if (!make_devices(net)) {
    loom_elite5_net_destroy(net);
    return NULL;
  }
  return net;
}

void loom_elite5_net_destroy(struct loom_elite5_net *net) {
  loom_arena_free(&net->arena);
  free(net);
}

static struct loom_net_peer *peer_of(struct loom_elite5_net *net, struct loom_net_end end) {
  return end.router ? &net->router[end.device].peer[end.lane]
                    : &net->node[end.device].peer[end.lane];
}

/* What an end knows of the far one. */
static struct loom_net_peer peer_at(const struct loom_elite5_net *net, struct loom_net_end far,
                                    uint32_t link) {
  return (struct loom_net_peer){.far = far,
                                .link = link,
                                .latency = net->link[link].latency,
                                .member = far.router ? far.device : node_member(net, far.device),
                                .joined = true};
}

uint32_t loom_elite5_net_connect(struct loom_elite5_net *net, struct loom_net_end a,
                                 struct loom_net_end b, uint32_t latency) {
  uint32_t number = net->links++;
  net->link[number] = (struct loom_net_link){.end = {a, b},
                                             .latency = latency,
                                             .joined = true,
                                             .seed = net->cfg.seed + number * 0x9E3779B9ull};
  *peer_of(net, a) = peer_at(net, b, number);
  *peer_of(net, b) = peer_at(net, a, number);
  return number;
}

/* ---- what goes from one end to the other ----------------------------------------------------- */

/* Where in the far end's arrivals stands what is shown now; it will be awake for it. */
static uint32_t place_at(const struct loom_elite5_net *net, const struct loom_net_peer *peer) {
  uint64_t then = net->now + peer->latency;
  loom_set_include(awake_in(net, then), peer->member);
  return (uint32_t)then & (net->places - 1);
}

static void deliver_to_router(struct loom_elite5_net_arrival *a, uint32_t lane,
                              const struct loom_flow *flow) {
  loom_links bit = 1u << lane;
  if (flow->flags & LOOM_FLOW_VALID) {
    a->words.valid |= bit;
    a->words.head |= flow->flags & LOOM_FLOW_HEAD ? bit : 0;
    a->words.tail |= flow->flags & LOOM_FLOW_TAIL ? bit : 0;
    a->words.vl[lane] = flow->vl;
    a->words.data[lane] = flow->data;
  }
  if (flow->flags & LOOM_FLOW_CREDIT) {
    a->returns.cr_valid |= bit;
    a->returns.cr_vl[lane] = flow->cr_vl;
  }
  if (flow->flags & LOOM_FLOW_REPLY) {
    a->returns.rep_valid |= bit;
    a->returns.rep_ack |= flow->flags & LOOM_FLOW_ACK ? bit : 0;
    a->returns.rep_vc[lane] = flow->rep_vc;
  }
}

/* What an end shows in this cycle, without its signal. */
static void carry(struct loom_elite5_net *net, const struct loom_net_peer *peer,
                  const struct loom_flow *shown) {
  struct loom_flow flow = *shown;
  flow.flags &= (uint8_t)~LOOM_FLOW_SIGNAL;
  if (flow.flags & LOOM_FLOW_VALID)
    flow.data = loom_net_link_carry(&net->link[peer->link], flow.flags & LOOM_FLOW_HEAD,
                                    flow.flags & LOOM_FLOW_TAIL, flow.data);
  uint32_t place = place_at(net, peer);
  if (peer->far.router)
    deliver_to_router(&net->router[peer->far.device].arrival[place], peer->far.lane, &flow);
  else
    net->node[peer->far.device].arrival[place][peer->far.lane] = flow;
}

/* The signal of an end comes or goes. */
static void carry_turn(struct loom_elite5_net *net, const struct loom_net_peer *peer) {
  uint32_t place = place_at(net, peer);
  if (peer->far.router)
    net->router[peer->far.device].arrival[place].turns ^= 1u << peer->far.lane;
  else
    net->node[peer->far.device].turns[place] ^= (uint8_t)(1u << peer->far.lane);
}

/* ---- routers --------------------------------------------------------------------------------- */

/* One lane of what a router shows. */
static struct loom_flow flow_of(const struct loom_elite5_words *w,
                                const struct loom_elite5_returns *b, uint32_t lane) {
  struct loom_flow flow = {0};
  if (w->valid >> lane & 1) {
    flow.flags = LOOM_FLOW_VALID | (w->head >> lane & 1 ? LOOM_FLOW_HEAD : 0) |
                 (w->tail >> lane & 1 ? LOOM_FLOW_TAIL : 0);
    flow.vl = w->vl[lane];
    flow.data = w->data[lane];
  }
  if (b->cr_valid >> lane & 1) {
    flow.flags |= LOOM_FLOW_CREDIT;
    flow.cr_vl = b->cr_vl[lane];
  }
  if (b->rep_valid >> lane & 1) {
    flow.flags |= LOOM_FLOW_REPLY | (b->rep_ack >> lane & 1 ? LOOM_FLOW_ACK : 0);
    flow.rep_vc = b->rep_vc[lane];
  }
  return flow;
}

static void show_router(struct loom_elite5_net *net, struct loom_elite5_net_router *r) {
  const struct loom_elite5_words *words = loom_elite5_router_words(r->twin);
  const struct loom_elite5_returns *returns = loom_elite5_router_returns(r->twin);
  loom_links signal = loom_elite5_router_signal(r->twin), turned = signal ^ r->shown;
  loom_links busy = words->valid | returns->cr_valid | returns->rep_valid;
  r->shown = signal;
  for (loom_links left = busy | turned; left; left &= left - 1) {
    uint32_t lane = loom_ctz(left);
    const struct loom_net_peer *peer = &r->peer[lane];
    if (!peer->joined)
      continue;
    if (busy >> lane & 1) {
      struct loom_flow flow = flow_of(words, returns, lane);
      carry(net, peer, &flow);
    }
    if (turned >> lane & 1)
      carry_turn(net, peer);
  }
}

/* The next register access of a router. */
static void access(const struct loom_elite5_net *net, struct loom_elite5_net_router *r,
                   struct loom_elite5_lanes *lanes) {
  if (r->count) {
    const struct loom_elite5_net_command *c = &r->command[r->first];
    lanes->reg_we = true;
    lanes->reg_addr = c->addr;
    /* It is in the register two cycles later. */
    lanes->reg_wdata = c->addr == LOOM_ELITE5_REG_TIME ? (uint32_t)net->now + TIME_CYCLES : c->data;
    r->first = r->first + 1 == net->cfg.commands ? 0 : r->first + 1;
    r->count--;
  } else if (r->read) {
    lanes->reg_re = true;
    lanes->reg_addr = r->read_addr;
    r->read = false;
  }
}

static void catch_up(struct loom_elite5_net_router *r, uint64_t now) {
  if (r->next != now)
    loom_elite5_router_skip(r->twin, now - r->next);
  r->next = now;
}

/* While accesses wait, each cycle has one, and no router sleeps then. */
static bool router_sleeps(const struct loom_elite5_net_router *r) {
  return loom_elite5_router_sleeps(r->twin, r->signal) &&
         loom_elite5_router_signal(r->twin) == r->shown;
}

/* True: it stays awake. */
static bool step_router(struct loom_elite5_net *net, uint32_t number) {
  struct loom_elite5_net_router *r = &net->router[number];
  catch_up(r, net->now);
  show_router(net, r);
  struct loom_elite5_net_arrival *a = &r->arrival[net->now & (net->places - 1)];
  r->signal ^= a->turns;
  struct loom_elite5_lanes lanes = {.in = &a->words, .out = &a->returns, .signal = r->signal};
  if (r->count | r->read)
    access(net, r, &lanes);
  if (net->cfg.edge)
    net->cfg.edge(net->cfg.context, number, r->twin, &lanes);
  else
    loom_elite5_router_edge(r->twin, &lanes);
  r->next++;
  a->words.valid = a->words.head = a->words.tail = 0;
  a->returns.cr_valid = a->returns.rep_valid = a->returns.rep_ack = 0;
  a->turns = 0;
  return !router_sleeps(r);
}

/* ---- endpoints ------------------------------------------------------------------------------- */

static void show_node(struct loom_elite5_net *net, struct loom_elite5_net_node *n,
                      const struct loom_flow *out) {
  for (uint32_t lane = 0; lane < net->cfg.endpoint.links; lane++) {
    const struct loom_net_peer *peer = &n->peer[lane];
    bool signal = out[lane].flags & LOOM_FLOW_SIGNAL;
    bool turned = signal != (n->shown >> lane & 1);
    n->shown ^= (uint8_t)((unsigned)turned << lane);
    if (!peer->joined)
      continue;
    if (out[lane].flags & ~LOOM_FLOW_SIGNAL)
      carry(net, peer, &out[lane]);
    if (turned)
      carry_turn(net, peer);
  }
}

/* True: it stays awake. */
static bool step_node(struct loom_elite5_net *net, uint32_t number) {
  struct loom_elite5_net_node *n = &net->node[number];
  uint32_t place = (uint32_t)net->now & (net->places - 1);
  struct loom_flow *arrival = n->arrival[place];
  const struct loom_flow *in[LOOM_ELAN5_LINKS];
  struct loom_flow out[LOOM_ELAN5_LINKS];
  n->signal ^= n->turns[place];
  for (uint32_t lane = 0; lane < net->cfg.endpoint.links; lane++) {
    in[lane] = &arrival[lane];
    if (n->signal >> lane & 1)
      arrival[lane].flags |= LOOM_FLOW_SIGNAL;
  }
  loom_elan5_step(n->endpoint, net->now, in, out);
  show_node(net, n, out);
  memset(arrival, 0, net->cfg.endpoint.links * sizeof *arrival);
  n->turns[place] = 0;
  return !loom_elan5_sleeps(n->endpoint);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* Devices of a word of the sets that are awake now; nobody is any more. */
static uint64_t rouse(struct loom_elite5_net *net, uint32_t word) {
  uint64_t *awake = &awake_in(net, net->now)[word];
  uint64_t set = *awake | net->called[word];
  *awake = net->called[word] = 0;
  return set;
}

/* All routers, as somebody looks on. */
static void call_routers(struct loom_elite5_net *net) {
  for (uint32_t w = 0; w < net->router_words; w++)
    net->called[w] = loom_mask(net->cfg.routers - w * LOOM_SET_WORD);
}

void loom_elite5_net_step(struct loom_elite5_net *net) {
  if (net->cfg.edge)
    call_routers(net);
  uint64_t *next = awake_in(net, net->now + 1);
  /* Links take at least a cycle, so the order of the devices does not matter. */
  for (uint32_t w = 0; w < net->router_words; w++)
    for (uint64_t set = rouse(net, w); set; set &= set - 1)
      if (step_router(net, w * LOOM_SET_WORD + loom_ctz(set)))
        next[w] |= set & -set;
  for (uint32_t w = net->router_words; w < net->words; w++)
    for (uint64_t set = rouse(net, w); set; set &= set - 1)
      if (step_node(net, (w - net->router_words) * LOOM_SET_WORD + loom_ctz(set)))
        next[w] |= set & -set;
  net->now++;
}

void loom_elite5_net_catch_up(struct loom_elite5_net *net) {
  for (uint32_t r = 0; r < net->cfg.routers; r++)
    catch_up(&net->router[r], net->now);
}

void loom_elite5_net_run(struct loom_elite5_net *net, uint64_t cycles) {
  for (; cycles; cycles--)
    loom_elite5_net_step(net);
}

/* ---- links that fail ------------------------------------------------------------------------- */

/* Nothing arrives at this end any more. */
static void silence_router(struct loom_elite5_net *net, uint32_t router, uint32_t lane) {
  struct loom_elite5_net_router *r = &net->router[router];
  loom_links others = ~(1u << lane);
  call_router(net, router);
  r->signal &= others;
  for (uint32_t place = 0; place < net->places; place++) {
    struct loom_elite5_net_arrival *a = &r->arrival[place];
    a->words.valid &= others;
    a->words.head &= others;
    a->words.tail &= others;
    a->returns.cr_valid &= others;
    a->returns.rep_valid &= others;
    a->returns.rep_ack &= others;
    a->turns &= others;
  }
}

/* Its signal goes. */
static void silence_node(struct loom_elite5_net *net, uint32_t node, uint32_t lane) {
  struct loom_elite5_net_node *n = &net->node[node];
  uint8_t bit = (uint8_t)(1u << lane);
  for (uint32_t place = 0; place < net->places; place++) {
    memset(&n->arrival[place][lane], 0, sizeof n->arrival[place][lane]);
    n->turns[place] &= (uint8_t)~bit;
  }
  if (n->signal & bit)
    n->turns[net->now & (net->places - 1)] |= bit;
  loom_elite5_net_call_node(net, node);
}

static bool shows_signal(const struct loom_elite5_net *net, struct loom_net_end end) {
  return (end.router ? net->router[end.device].shown : net->node[end.device].shown) >> end.lane & 1;
}

void loom_elite5_net_join(struct loom_elite5_net *net, uint32_t number, bool joined) {
  struct loom_net_link *link = &net->link[number];
  if (link->joined == joined)
    return;
  link->joined = joined;
  for (uint32_t end = 0; end < LOOM_NET_ENDS; end++) {
    struct loom_net_end here = link->end[end];
    struct loom_net_peer *peer = peer_of(net, here);
    peer->joined = joined;
    if (joined && shows_signal(net, here))
      carry_turn(net, peer);
    else if (!joined && here.router)
      silence_router(net, here.device, here.lane);
    else if (!joined)
      silence_node(net, here.device, here.lane);
  }
}

void loom_elite5_net_power(struct loom_elite5_net *net, uint32_t router, bool on) {
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++)
    if (net->router[router].peer[lane].link != (uint32_t)LOOM_NET_NO_LINK)
      loom_elite5_net_join(net, net->router[router].peer[lane].link, on);
}

void loom_elite5_net_errors(struct loom_elite5_net *net, uint32_t link, double rate) {
  net->link[link].error_rate = loom_net_chance(rate);
}

/* ---- registers ------------------------------------------------------------------------------- */

bool loom_elite5_net_write(struct loom_elite5_net *net, uint32_t router, uint32_t addr,
                           uint32_t data) {
  struct loom_elite5_net_router *r = &net->router[router];
  if (r->count == net->cfg.commands)
    return false;
  uint32_t at = (r->first + r->count++) % net->cfg.commands;
  r->command[at] = (struct loom_elite5_net_command){.addr = addr, .data = data};
  call_router(net, router);
  return true;
}

static bool writes_wait(const struct loom_elite5_net *net) {
  for (uint32_t r = 0; r < net->cfg.routers; r++)
    if (net->router[r].count)
      return true;
  return false;
}

void loom_elite5_net_flush(struct loom_elite5_net *net) {
  while (writes_wait(net))
    loom_elite5_net_step(net);
  loom_elite5_net_run(net, TIME_CYCLES);
}

uint32_t loom_elite5_net_read(struct loom_elite5_net *net, uint32_t router, uint32_t addr) {
  struct loom_elite5_net_router *r = &net->router[router];
  while (r->count)
    loom_elite5_net_step(net);
  r->read = true;
  r->read_addr = addr;
  call_router(net, router);
  loom_elite5_net_run(net, READ_CYCLES);
  return r->twin->read[1].data;
}

void loom_elite5_net_ports(const struct loom_elite5_lanes *lanes,
                           struct loom_elite5_router_in *in) {
  const struct loom_elite5_words *w = lanes->in;
  const struct loom_elite5_returns *b = lanes->out;
  memset(in, 0, sizeof *in);
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++) {
    const struct loom_flow flow = flow_of(w, b, lane);
    in->in_valid[lane] = w->valid >> lane & 1;
    in->in_head[lane] = w->head >> lane & 1;
    in->in_tail[lane] = w->tail >> lane & 1;
    in->in_vl[lane] = flow.vl;
    in->in_data[lane] = flow.data;
    in->in_signal[lane] = lanes->signal >> lane & 1;
    in->out_cr_valid[lane] = b->cr_valid >> lane & 1;
    in->out_cr_vl[lane] = flow.cr_vl;
    in->out_rep_valid[lane] = b->rep_valid >> lane & 1;
    in->out_rep_ack[lane] = b->rep_ack >> lane & 1;
    in->out_rep_vc[lane] = flow.rep_vc;
  }
  in->reg_we = lanes->reg_we;
  in->reg_re = lanes->reg_re;
  in->reg_addr = lanes->reg_addr;
  in->reg_wdata = lanes->reg_wdata;
}

bool loom_elite5_net_idle(const struct loom_elite5_net *net) {
  for (uint32_t n = 0; n < net->cfg.nodes; n++)
    if (!loom_elan5_idle(net->node[n].endpoint))
      return false;
  for (uint32_t r = 0; r < net->cfg.routers; r++) {
    const struct loom_elite5_router *twin = net->router[r].twin;
    if (twin->not_idle | twin->allocated | twin->used)
      return false;
  }
  return true;
}
