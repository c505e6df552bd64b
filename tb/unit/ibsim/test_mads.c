/* SPDX-License-Identifier: Apache-2.0 */
/* Management packets of `loom ibsim` (docs/ibsim.md): fields, agents, ways, clients, and thousands
 * of packets that make no sense. */
#include "tb/unit/unit.h"

#include <arpa/inet.h>
#include <string.h>

#include <loom/random.h>

#include "ibsim/console.h"
#include "ibsim/exchange.h"

enum { DAMAGED = 20000, S0 = 0, S1 = 1, H0 = 2, H1 = 3 };

/* H0 - S0 - S1 - H1: port 1 of each switch leads to its host, port 2 to the other switch. */
struct bench {
  struct loom_topo *topo;
  struct loom_exchange x;
  struct loom_ibsim_packet p;
};

static struct loom_topo *make_topo(void) {
  struct loom_topo *t = loom_topo_create(4, 10);
  assert_non_null(t);
  for (unsigned i = 0; i < 2; i++)
    loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "S%u", i);
  for (unsigned i = 0; i < 2; i++)
    loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%u", i);
  assert_true(loom_topo_connect(t, S0, 2, S1, 2));
  assert_true(loom_topo_connect(t, H0, 1, S0, 1));
  assert_true(loom_topo_connect(t, H1, 1, S1, 1));
  loom_topo_number(t);
  return t;
}

static uint32_t join(struct bench *b, const char *node, bool is_sm) {
  struct loom_ibsim_control c = {.magic = LOOM_IBSIM_MAGIC, .type = LOOM_IBSIM_CONNECT};
  struct loom_ibsim_hello hello = {.id = 77, .is_sm = is_sm};
  memcpy(hello.node, node, strlen(node));
  memcpy(c.data, &hello, sizeof hello);
  return loom_exchange_control(&b->x, &c);
}

static void begin(struct bench *b) {
  const struct loom_subnet_cfg cfg = {.vls = 8, .high = 8, .low = 40, .lids = LOOM_SUBNET_LIDS};
  memset(b, 0, sizeof *b);
  b->topo = make_topo();
  b->x.subnet = loom_subnet_create(b->topo, &cfg);
  assert_non_null(b->x.subnet);
  assert_int_equal(join(b, "H0", true), 0);
  assert_int_equal(join(b, "H1", false), 1);
}

static void end(struct bench *b) {
  loom_subnet_destroy(b->x.subnet);
  loom_topo_destroy(b->topo);
}

static void head(struct bench *b, uint32_t class, uint32_t method, uint32_t attribute,
                 uint32_t modifier) {
  memset(&b->p, 0, sizeof b->p);
  loom_mad_put(b->p.mad, LOOM_MAD_BASE_VERSION, 1);
  loom_mad_put(b->p.mad, LOOM_MAD_CLASS, class);
  loom_mad_put(b->p.mad, LOOM_MAD_CLASS_VERSION, 1);
  loom_mad_put(b->p.mad, LOOM_MAD_METHOD, method);
  loom_mad_put(b->p.mad, LOOM_MAD_ATTRIBUTE, attribute);
  loom_mad_put(b->p.mad, LOOM_MAD_MODIFIER, modifier);
}

/* A directed route from H0, as far as S1 if `far`. */
static void direct(struct bench *b, uint32_t method, uint32_t attribute, uint32_t modifier,
                   bool far) {
  head(b, LOOM_CLASS_DIRECT, method, attribute, modifier);
  loom_mad_put(b->p.mad, LOOM_DIRECT_SLID, LOOM_LID_PERMISSIVE);
  loom_mad_put(b->p.mad, LOOM_DIRECT_DLID, LOOM_LID_PERMISSIVE);
  loom_mad_put(b->p.mad, LOOM_DIRECT_HOPS, far ? 2 : 1);
  b->p.mad[LOOM_SMP_PATH + 1] = 1;
  b->p.mad[LOOM_SMP_PATH + 2] = 2;
  b->p.dlid = b->p.slid = htons(LOOM_LID_PERMISSIVE);
}

static void to_lid(struct bench *b, uint32_t class, uint32_t method, uint32_t attribute,
                   uint32_t lid) {
  head(b, class, method, attribute, 0);
  b->p.dlid = htons((uint16_t)lid);
}

/* Sends what stands there from H0, and it comes back as an answer with this status. */
static void assert_answer(struct bench *b, uint32_t status) {
  assert_int_equal(loom_exchange_packet(&b->x, 0, &b->p), 0);
  assert_int_equal(b->p.status, 0);
  assert_int_equal(loom_mad_get(b->p.mad, LOOM_MAD_METHOD), LOOM_METHOD_ANSWER);
  assert_int_equal(loom_mad_get(b->p.mad, LOOM_MAD_STATUS) & 0x7FFF, status);
}

static void assert_nobody(struct bench *b) {
  assert_int_equal(loom_exchange_packet(&b->x, 0, &b->p), 0);
  assert_int_equal(ntohl(b->p.status), LOOM_IBSIM_TIMEOUT);
}

static uint8_t *data(struct bench *b) { return b->p.mad + LOOM_MAD_DATA; }

/* ---- fields ---------------------------------------------------------------------------------- */

static void a_field_keeps_its_neighbours(void **state) {
  (void)state;
  for (uint32_t f = 0; f < LOOM_MAD_FIELD_COUNT; f++) {
    uint8_t ones[LOOM_MAD_BYTES], none[LOOM_MAD_BYTES] = {0};
    memset(ones, 0xFF, sizeof ones);
    loom_mad_put(ones, (enum loom_mad_field)f, 0);
    loom_mad_put(none, (enum loom_mad_field)f, UINT64_MAX);
    assert_int_equal(loom_mad_get(ones, (enum loom_mad_field)f), 0);
    assert_int_not_equal(loom_mad_get(none, (enum loom_mad_field)f), 0);
    for (uint32_t i = 0; i < sizeof ones; i++)
      assert_int_equal(ones[i] ^ none[i], 0xFF);
  }
  uint8_t at[LOOM_SMP_BYTES] = {0};
  loom_mad_put(at, LOOM_PORT_LID, 0x1234);
  assert_int_equal(at[16], 0x12);
  assert_int_equal(at[17], 0x34);
  loom_mad_put(at, LOOM_PORT_STATE, 4);
  assert_int_equal(at[32], 0x04);
  loom_mad_put_most(at, LOOM_COUNTERS_LINK_DOWNED, 1000);
  assert_int_equal(at[7], 255);
}

/* ---- agents ---------------------------------------------------------------------------------- */

static void a_directed_route_finds_what_it_passes(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_INFO, 0, true);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NODE_TYPE), LOOM_NODE_SWITCH);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NODE_GUID), 0x200001);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NODE_LOCAL_PORT), 2);
  assert_int_equal(b.p.mad[LOOM_SMP_RETURN + 2], 2);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_DESCRIPTION, 0, false);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_string_equal((const char *)data(&b), "S0");
  end(&b);
}

static void what_is_not_known_gets_a_status(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  direct(&b, LOOM_METHOD_GET, 0x30 /* VendorDiag */, 0, false);
  assert_answer(&b, LOOM_STATUS_ATTRIBUTE);
  direct(&b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_NODE_INFO, 0, false);
  assert_answer(&b, LOOM_STATUS_ATTRIBUTE);
  direct(&b, 0x55, LOOM_ATTRIBUTE_NODE_INFO, 0, false);
  assert_answer(&b, LOOM_STATUS_METHOD);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_PORT_INFO, 3, false);
  assert_answer(&b, LOOM_STATUS_VALUE);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_LINEAR, 768, false);
  assert_answer(&b, LOOM_STATUS_VALUE);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_VLARB, 0x00000001, false); /* block 0 */
  assert_answer(&b, LOOM_STATUS_VALUE);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_INFO, 0, false);
  loom_mad_put(b.p.mad, LOOM_MAD_CLASS_VERSION, 2);
  assert_answer(&b, LOOM_STATUS_VERSION);
  end(&b);
}

static void ports_take_the_steps_of_their_states(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  for (uint32_t next = LOOM_PORT_ACTIVE; next; next = next == LOOM_PORT_ARMED ? 0 : 3) {
    direct(&b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_PORT_INFO, 2, false);
    loom_mad_put(data(&b), LOOM_PORT_STATE, next);
    assert_answer(&b, next == LOOM_PORT_ARMED ? LOOM_STATUS_GOOD : LOOM_STATUS_VALUE);
  }
  direct(&b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_PORT_INFO, 2, false);
  loom_mad_put(data(&b), LOOM_PORT_STATE, LOOM_PORT_ACTIVE);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_subnet_state(b.x.subnet, S0, 2), LOOM_PORT_ACTIVE);
  direct(&b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_PORT_INFO, 2, false);
  loom_mad_put(data(&b), LOOM_PORT_PHYSICAL, LOOM_PHYSICAL_DISABLED);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_subnet_state(b.x.subnet, S1, 2), LOOM_PORT_DOWN);
  direct(&b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_PORT_INFO, 2, false);
  loom_mad_put(data(&b), LOOM_PORT_PHYSICAL, LOOM_PHYSICAL_POLLING);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_subnet_state(b.x.subnet, S1, 2), LOOM_PORT_INIT);
  end(&b);
}

/* Writes the entry of H1's LID, 2, in S0, or in S1. */
static void set_way(struct bench *b, bool far, uint32_t lid, uint8_t port) {
  direct(b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_LINEAR, 0, far);
  assert_answer(b, LOOM_STATUS_GOOD);
  uint8_t block[LOOM_SMP_BYTES];
  memcpy(block, data(b), sizeof block);
  block[lid] = port;
  direct(b, LOOM_METHOD_SET, LOOM_ATTRIBUTE_LINEAR, 0, far);
  memcpy(data(b), block, sizeof block);
  assert_answer(b, LOOM_STATUS_GOOD);
}

static void lids_lead_where_the_tables_say(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  to_lid(&b, LOOM_CLASS_SUBNET, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_INFO, 2);
  assert_nobody(&b);
  set_way(&b, false, 2, 2);
  set_way(&b, true, 2, 1);
  set_way(&b, false, 1, 1);
  set_way(&b, true, 1, 2);
  to_lid(&b, LOOM_CLASS_SUBNET, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_INFO, 2);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NODE_TYPE), LOOM_NODE_ADAPTER);
  /* What is no management packet needs active links. */
  to_lid(&b, LOOM_CLASS_PERFORMANCE, LOOM_METHOD_GET, LOOM_ATTRIBUTE_CLASS_INFO, 2);
  assert_nobody(&b);
  for (uint32_t d = 0; d < 4; d++)
    for (uint32_t port = 1; port <= b.topo->device[d].ports; port++)
      loom_mad_put(loom_subnet_port(b.x.subnet, d, port)->info, LOOM_PORT_STATE, LOOM_PORT_ACTIVE);
  to_lid(&b, LOOM_CLASS_PERFORMANCE, LOOM_METHOD_GET, LOOM_ATTRIBUTE_CLASS_INFO, 2);
  assert_answer(&b, LOOM_STATUS_GOOD);
  end(&b);
}

static void counters_count_and_are_reset_one_by_one(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  struct loom_subnet_port *p = loom_subnet_port(b.x.subnet, H0, 1);
  p->count[LOOM_COUNT_XMIT_DATA] = UINT64_C(1) << 40;
  p->count[LOOM_COUNT_XMIT_PACKETS] = 7;
  to_lid(&b, LOOM_CLASS_PERFORMANCE, LOOM_METHOD_SET, LOOM_ATTRIBUTE_PORT_COUNTERS, 1);
  loom_mad_put(data(&b), LOOM_COUNTERS_PORT, 1);
  loom_mad_put(data(&b), LOOM_COUNTERS_SELECT, 1 << 14);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_mad_get(data(&b), LOOM_COUNTERS_XMIT_PACKETS), 0);
  assert_int_equal(loom_mad_get(data(&b), LOOM_COUNTERS_XMIT_DATA), UINT32_MAX);
  to_lid(&b, LOOM_CLASS_PERFORMANCE, LOOM_METHOD_GET, LOOM_ATTRIBUTE_COUNTERS_EXTENDED, 1);
  loom_mad_put(data(&b), LOOM_COUNTERS_PORT, 1);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_mad_get(data(&b), LOOM_EXTENDED_XMIT_PACKETS), 7);
  assert_true(loom_mad_get(data(&b), LOOM_EXTENDED_XMIT_DATA) == UINT64_C(1) << 40);
  to_lid(&b, LOOM_CLASS_PERFORMANCE, LOOM_METHOD_GET, LOOM_ATTRIBUTE_PORT_COUNTERS, 1);
  loom_mad_put(data(&b), LOOM_COUNTERS_PORT, 2);
  assert_answer(&b, LOOM_STATUS_VALUE);
  end(&b);
}

/* ---- clients, traps, cables ------------------------------------------------------------------ */

static void a_change_of_a_link_is_told_to_the_manager(void **state) {
  struct bench b;
  char reply[LOOM_CONSOLE_REPLY];
  (void)state;
  begin(&b);
  set_way(&b, true, 1, 2);
  set_way(&b, false, 1, 1);
  loom_mad_put(loom_subnet_port(b.x.subnet, S0, 0)->info, LOOM_PORT_SM_LID, 1);
  loom_mad_put(loom_subnet_port(b.x.subnet, S1, 0)->info, LOOM_PORT_SM_LID, 1);
  while (loom_exchange_trap(&b.x, &b.p) != LOOM_EXCHANGE_NOBODY) /* of the start */
    ;
  assert_int_equal(loom_console_line(b.x.subnet, "Unlink \"H1\"[1]", reply), LOOM_CONSOLE_DONE);
  assert_int_equal(loom_exchange_trap(&b.x, &b.p), 0);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NOTICE_NUMBER), 128);
  assert_int_equal(loom_mad_get(data(&b), LOOM_NOTICE_LID), 4);
  assert_int_equal(loom_exchange_trap(&b.x, &b.p), LOOM_EXCHANGE_NOBODY);
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_SWITCH_INFO, 0, true);
  assert_answer(&b, LOOM_STATUS_GOOD);
  assert_int_equal(loom_mad_get(data(&b), LOOM_SWITCH_PORT_CHANGE), 1);
  assert_int_equal(loom_console_line(b.x.subnet, "Unlink \"S1\"[1]", reply), LOOM_CONSOLE_WRONG);
  assert_string_equal(reply, "S1[1] was already unlinked");
  assert_int_equal(loom_console_line(b.x.subnet, "relink S1[1]", reply), LOOM_CONSOLE_DONE);
  assert_int_equal(loom_subnet_state(b.x.subnet, H1, 1), LOOM_PORT_INIT);
  end(&b);
}

static void a_console_refuses_what_is_not_there(void **state) {
  static const char *const wrong[] = {"Unlink",
                                      "Unlink \"S0\"",
                                      "Unlink \"S0\"[3]",
                                      "Unlink \"S0\"[0]",
                                      "Unlink \"S9\"[1]",
                                      "Unlink \"S0\"[1]x",
                                      "Start"};
  struct bench b;
  char reply[LOOM_CONSOLE_REPLY];
  (void)state;
  begin(&b);
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(loom_console_line(b.x.subnet, wrong[i], reply), LOOM_CONSOLE_WRONG);
    assert_int_not_equal(*reply, '\0');
  }
  assert_int_equal(loom_console_line(b.x.subnet, " # nothing", reply), LOOM_CONSOLE_DONE);
  assert_int_equal(loom_console_line(b.x.subnet, "quit", reply), LOOM_CONSOLE_QUIT);
  end(&b);
}

static void a_manager_takes_what_no_agent_knows(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  set_way(&b, true, 1, 2);
  set_way(&b, false, 1, 1);
  to_lid(&b, LOOM_CLASS_SUBNET, LOOM_METHOD_GET, LOOM_ATTRIBUTE_SM_INFO, 1);
  assert_int_equal(loom_exchange_packet(&b.x, 1, &b.p), 0);
  assert_int_equal(b.p.status, 0);
  assert_int_equal(loom_mad_get(b.p.mad, LOOM_MAD_TRANSACTION) >> 48, 1);
  assert_int_equal(join(&b, "H0", true), LOOM_EXCHANGE_NOBODY); /* one a device */
  assert_int_equal(join(&b, "nobody", false), LOOM_EXCHANGE_NOBODY);
  for (uint32_t i = 2; i < LOOM_IBSIM_CLIENTS; i++)
    assert_int_equal(join(&b, "", false), i);
  assert_int_equal(join(&b, "", false), LOOM_EXCHANGE_NOBODY);
  loom_exchange_leave(&b.x, 5);
  assert_int_equal(join(&b, "S0", false), 5);
  end(&b);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* A packet that an agent would answer, with some of its bytes changed; or nothing but noise. */
static void damage(struct bench *b, uint64_t *random) {
  static const uint8_t attributes[] = {0x01, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16,
                                       0x17, 0x18, 0x19, 0x1B, 0x1D, 0x20};
  uint8_t *bytes = (uint8_t *)&b->p;
  uint32_t attribute = attributes[loom_random(random) % sizeof attributes];
  uint32_t method = 1 + (uint32_t)(loom_random(random) % 2);
  bool noise = loom_random(random) % 8 == 0;
  if (loom_random(random) % 2)
    direct(b, method, attribute, (uint32_t)loom_random(random) >> loom_random(random) % 32,
           loom_random(random) % 2);
  else
    to_lid(b, loom_random(random) % 2 ? LOOM_CLASS_SUBNET : LOOM_CLASS_PERFORMANCE, method,
           attribute, 1);
  for (uint32_t i = noise ? 0 : (uint32_t)(loom_random(random) % 3); i < 3; i++)
    bytes[loom_random(random) % sizeof b->p] = (uint8_t)loom_random(random);
  for (uint32_t i = 0; noise && i < sizeof b->p; i++)
    bytes[i] = (uint8_t)loom_random(random);
  if (noise)
    b->p.mad[0] = 1;
}

/* Each is answered, handed on or lost, and the fabric stands. */
static void damaged_packets_do_no_harm(void **state) {
  struct bench b;
  uint64_t random = 1;
  (void)state;
  begin(&b);
  for (uint32_t i = 0; i < DAMAGED; i++) {
    struct loom_ibsim_control c = {.type = (uint32_t)(loom_random(&random) % 12),
                                   .client = (uint32_t)(loom_random(&random) % 12)};
    for (uint32_t k = 0; k < sizeof c.data; k++)
      c.data[k] = (uint8_t)loom_random(&random);
    damage(&b, &random);
    uint32_t to = loom_exchange_packet(&b.x, i % 2, &b.p);
    assert_true(to == LOOM_EXCHANGE_NOBODY || to < LOOM_IBSIM_CLIENTS);
    if (c.type != LOOM_IBSIM_DISCONNECT)
      loom_exchange_control(&b.x, &c);
    while (loom_exchange_trap(&b.x, &b.p) != LOOM_EXCHANGE_NOBODY)
      ;
  }
  direct(&b, LOOM_METHOD_GET, LOOM_ATTRIBUTE_NODE_INFO, 0, false);
  loom_exchange_packet(&b.x, 0, &b.p);
  end(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_field_keeps_its_neighbours),
      cmocka_unit_test(a_directed_route_finds_what_it_passes),
      cmocka_unit_test(what_is_not_known_gets_a_status),
      cmocka_unit_test(ports_take_the_steps_of_their_states),
      cmocka_unit_test(lids_lead_where_the_tables_say),
      cmocka_unit_test(counters_count_and_are_reset_one_by_one),
      cmocka_unit_test(a_change_of_a_link_is_told_to_the_manager),
      cmocka_unit_test(a_console_refuses_what_is_not_there),
      cmocka_unit_test(a_manager_takes_what_no_agent_knows),
      cmocka_unit_test(damaged_packets_do_no_harm),
  };
  return UNIT_RUN("mads", tests, NULL, NULL);
}
