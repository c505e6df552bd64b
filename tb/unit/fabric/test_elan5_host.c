/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of Elite5 fabrics (docs/fabric.md, Elite5; E5-14): two on one cable. What they ask of each
 * other happens once, and what happens more or less often is found. */
#include "tb/unit/unit.h"

#include <stdlib.h>

#include "fabric/elan5_host.h"

enum { HOSTS = 2, BRING_UP = 200, CYCLES = 5000, TAKE = 40, QUEUE = 2 };

struct bench {
  struct loom_fabric *fabric;
  struct loom_elan5_hosts *hosts;
  struct loom_elan5 *endpoint[HOSTS];
  uint32_t received; /* messages */
};

static void receive(void *context, const struct loom_message *message, bool damaged) {
  struct bench *b = context;
  assert_false(damaged);
  assert_true(message->injected >= message->generated);
  assert_true(message->received > message->injected);
  b->received++;
}

static struct bench *new_bench(void) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  const struct loom_elan5_hosts_cfg hosts = {
      .hosts = HOSTS, .classes = 1, .take = TAKE, .receive = receive, .context = b};
  struct loom_elan5_cfg endpoint;
  loom_elan5_defaults(&endpoint);
  endpoint.nodes = HOSTS;
  endpoint.queue = QUEUE;
  b->fabric =
      loom_fabric_create(&(struct loom_fabric_cfg){.devices = HOSTS, .links = 1, .latency = 1});
  b->hosts = loom_elan5_hosts_create(&hosts);
  assert_true(b->fabric && b->hosts);
  for (uint32_t i = 0; i < HOSTS; i++) {
    b->endpoint[i] = loom_elan5_new(b->fabric, &endpoint, i);
    assert_int_equal(loom_elan5_host_add(b->hosts, b->fabric, b->endpoint[i]), i);
  }
  loom_fabric_connect(b->fabric, 0, 0, 1, 0, 1);
  loom_fabric_run(b->fabric, BRING_UP);
  loom_fabric_begin(b->fabric);
  return b;
}

static void drop_bench(struct bench *b) {
  loom_fabric_destroy(b->fabric);
  loom_elan5_hosts_destroy(b->hosts);
  free(b);
}

static void post(struct bench *b, uint32_t count, enum loom_operation operation) {
  const struct loom_message m = {.dst = 1, .flits = 8, .operation = (uint8_t)operation};
  for (uint32_t i = 0; i < count; i++)
    assert_true(loom_elan5_host_post(b->hosts, 0, &m));
}

static void each_operation_is_done_and_received(void **state) {
  (void)state;
  for (unsigned o = 0; o < LOOM_OPERATIONS; o++) {
    struct bench *b = new_bench();
    post(b, 20, (enum loom_operation)o);
    assert_true(loom_elan5_hosts_busy(b->hosts));
    assert_int_equal(loom_elan5_hosts_stray(b->hosts), 0);
    loom_fabric_run(b->fabric, CYCLES);
    post(b, 20, (enum loom_operation)o);
    loom_fabric_run(b->fabric, CYCLES);
    assert_int_equal(b->received, 40);
    assert_false(loom_elan5_hosts_busy(b->hosts));
    assert_int_equal(loom_elan5_hosts_stray(b->hosts), 0);
    assert_int_equal(b->endpoint[1]->event[LOOM_ELAN5_HOST_EVENT].count,
                     o == LOOM_OPERATION_EVENT ? 40 : 0);
    assert_true(loom_fabric_quiet(b->fabric));
    drop_bench(b);
  }
}

/* It holds 2, and one leaves each 40 cycles. */
static void a_queue_that_is_full_refuses_and_all_messages_come_through_it(void **state) {
  (void)state;
  struct bench *b = new_bench();
  post(b, 20, LOOM_OPERATION_QUEUE);
  loom_fabric_run(b->fabric, 10 * TAKE);
  assert_true(b->received < 20);
  assert_true(b->endpoint[1]->counters.refused > 0);
  loom_fabric_run(b->fabric, CYCLES);
  assert_int_equal(b->received, 20);
  assert_int_equal(loom_elan5_hosts_stray(b->hosts), 0);
  drop_bench(b);
}

/* Somebody counts an event that nobody asked for, or takes a message out of the queue. */
static void what_happens_twice_or_not_at_all_is_found(void **state) {
  (void)state;
  struct bench *b = new_bench();
  post(b, 3, LOOM_OPERATION_EVENT);
  loom_fabric_run(b->fabric, CYCLES);
  b->endpoint[1]->event[LOOM_ELAN5_HOST_EVENT].count++;
  assert_int_equal(loom_elan5_hosts_stray(b->hosts), 1);
  b->endpoint[1]->event[LOOM_ELAN5_HOST_EVENT].count -= 3;
  assert_int_equal(loom_elan5_hosts_stray(b->hosts), 2);
  b->endpoint[1]->event[LOOM_ELAN5_HOST_EVENT].count += 2;
  /* A message that no host has sent. */
  loom_elan5_queue(b->endpoint[0], (struct loom_elan5_target){.dest = 1}, 0, 8);
  loom_fabric_run(b->fabric, CYCLES);
  assert_int_equal(loom_elan5_hosts_stray(b->hosts), 1);
  post(b, 1, LOOM_OPERATION_QUEUE);
  loom_fabric_run(b->fabric, CYCLES);
  assert_int_equal(loom_elan5_hosts_stray(b->hosts), 1);
  /* Of two messages the second one waits in the queue while the program is at work. */
  struct loom_elan5_message stolen;
  post(b, 2, LOOM_OPERATION_QUEUE);
  while (!loom_elan5_take_message(b->endpoint[1], &stolen))
    loom_fabric_step(b->fabric);
  loom_fabric_run(b->fabric, CYCLES);
  assert_int_equal(b->received, 6);
  drop_bench(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_is_done_and_received),
      cmocka_unit_test(a_queue_that_is_full_refuses_and_all_messages_come_through_it),
      cmocka_unit_test(what_happens_twice_or_not_at_all_is_found),
  };
  return UNIT_RUN("elan5_host", tests, NULL, NULL);
}
