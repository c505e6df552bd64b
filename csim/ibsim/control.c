/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - questions of clients to the simulator itself (docs/ibsim.md)
 *
 * Inside: exchange.h */
#include <string.h>

#include "ibsim/agents.h"
#include "ibsim/exchange.h"

enum { IS_SM = 1 << 1 };

/* A client whose node is not said joins at the first adapter. */
static uint32_t default_node(const struct loom_subnet *s) {
  for (uint32_t d = 0; d < s->topo->devices; d++)
    if (!loom_subnet_is_switch(s, d))
      return d;
  return LOOM_TOPO_NONE;
}

static bool has_sm(const struct loom_exchange *x, uint32_t device) {
  for (uint32_t i = 0; i < LOOM_IBSIM_CLIENTS; i++)
    if (x->client[i].connected && x->client[i].is_sm && x->client[i].at.device == device)
      return true;
  return false;
}

static uint32_t free_client(const struct loom_exchange *x) {
  for (uint32_t i = 0; i < LOOM_IBSIM_CLIENTS; i++)
    if (!x->client[i].connected)
      return i;
  return LOOM_EXCHANGE_NOBODY;
}

static uint32_t connect_client(struct loom_exchange *x, struct loom_ibsim_control *c) {
  struct loom_ibsim_hello hello;
  memcpy(&hello, c->data, sizeof hello);
  hello.node[sizeof hello.node - 1] = '\0';
  uint32_t number = free_client(x), device = default_node(x->subnet);
  if (hello.node[0])
    device = loom_subnet_find(x->subnet, hello.node);
  if (number == LOOM_EXCHANGE_NOBODY || device == LOOM_TOPO_NONE ||
      (hello.is_sm && has_sm(x, device))) {
    c->type = LOOM_IBSIM_ERROR;
    return LOOM_EXCHANGE_NOBODY;
  }
  bool is_switch = loom_subnet_is_switch(x->subnet, device);
  x->client[number] = (struct loom_exchange_client){.connected = true,
                                                    .id = hello.id,
                                                    .qp = hello.qp,
                                                    .is_sm = hello.is_sm,
                                                    .at = {device, is_switch ? 0 : 1}};
  hello.id = number;
  const char *name = x->subnet->topo->device[device].name;
  memset(hello.node, 0, sizeof hello.node);
  size_t length = strlen(name);
  memcpy(hello.node, name, length < sizeof hello.node ? length : sizeof hello.node - 1);
  memcpy(c->data, &hello, sizeof hello);
  return number;
}

/* An attribute of the client's port, as its agent gives it. */
static void give(const struct loom_exchange *x, struct loom_subnet_place at, uint32_t attribute,
                 uint32_t modifier, uint8_t *data) {
  const struct loom_agent_call call = {.subnet = x->subnet, .at = at, .modifier = modifier};
  if (loom_agent_of_subnet(attribute)(&call, data))
    memset(data, 0, LOOM_SMP_BYTES);
}

static void give_port_info(const struct loom_exchange *x, struct loom_subnet_place at,
                           uint8_t *data) {
  uint32_t number = data[0];
  if (number && number <= x->subnet->topo->device[at.device].ports)
    at.port = number;
  give(x, at, LOOM_ATTRIBUTE_PORT_INFO, at.port, data);
}

static void give_port(const struct loom_exchange *x, struct loom_subnet_place at, uint8_t *data) {
  const uint8_t *info = loom_subnet_port(x->subnet, at.device, at.port)->info;
  const struct loom_ibsim_port port = {
      .lid = (uint16_t)loom_mad_get(info, LOOM_PORT_LID),
      .state = (uint8_t)loom_mad_get(info, LOOM_PORT_STATE),
  };
  memcpy(data, &port, sizeof port);
}

static void give_guid(const struct loom_exchange *x, struct loom_subnet_place at, bool gid,
                      uint8_t *data) {
  const uint8_t *info = loom_subnet_port(x->subnet, at.device, at.port)->info;
  uint8_t block[LOOM_SMP_BYTES];
  give(x, at, LOOM_ATTRIBUTE_GUID_INFO, 0, block);
  memcpy(data + (gid ? 8 : 0), block, 8);
  if (gid)
    memcpy(data, info + 8, 8);
}

static void set_sm(struct loom_exchange *x, uint32_t number, const uint8_t *data) {
  struct loom_exchange_client *c = &x->client[number];
  uint8_t *info = loom_subnet_port(x->subnet, c->at.device, c->at.port)->info;
  uint64_t can = loom_mad_get(info, LOOM_PORT_CAPABILITIES) & ~(uint64_t)IS_SM;
  uint32_t on;
  memcpy(&on, data, sizeof on);
  c->is_sm = on;
  loom_mad_put(info, LOOM_PORT_CAPABILITIES, can | (on ? IS_SM : 0));
}

/* A question of a client that has joined. */
static void ask(struct loom_exchange *x, struct loom_ibsim_control *c) {
  struct loom_subnet_place at = x->client[c->client].at;
  const struct loom_ibsim_vendor vendor = {.firmware = 1};
  switch (c->type) {
  case LOOM_IBSIM_DISCONNECT:
    loom_exchange_leave(x, c->client);
    break;
  case LOOM_IBSIM_PORT:
    give_port(x, at, c->data);
    break;
  case LOOM_IBSIM_VENDOR:
    memcpy(c->data, &vendor, sizeof vendor);
    break;
  case LOOM_IBSIM_GID:
    give_guid(x, at, true, c->data);
    break;
  case LOOM_IBSIM_GUID:
    give_guid(x, at, false, c->data);
    break;
  case LOOM_IBSIM_NODE_INFO:
    give(x, at, LOOM_ATTRIBUTE_NODE_INFO, 0, c->data);
    break;
  case LOOM_IBSIM_PORT_INFO:
    give_port_info(x, at, c->data);
    break;
  case LOOM_IBSIM_SET_SM:
    set_sm(x, c->client, c->data);
    break;
  case LOOM_IBSIM_KEYS:
    give(x, at, LOOM_ATTRIBUTE_PKEYS, 0, c->data);
    break;
  default:
    c->type = LOOM_IBSIM_ERROR;
  }
}

uint32_t loom_exchange_control(struct loom_exchange *x, struct loom_ibsim_control *c) {
  if (c->type == LOOM_IBSIM_CONNECT)
    return connect_client(x, c);
  if (c->client >= LOOM_IBSIM_CLIENTS || !x->client[c->client].connected)
    c->type = LOOM_IBSIM_ERROR;
  else
    ask(x, c);
  return LOOM_EXCHANGE_NOBODY;
}
