/* SPDX-License-Identifier: Apache-2.0 */
/* one_switch.c - one packet through an InfiniBand switch of 8 ports, cycle by cycle
 *
 * The switch is the twin of a circuit: each of its outputs is in each cycle what the circuit shows.
 * docs/link.md says what a link carries, docs/switch.md what the registers do.
 */
#include <stdio.h>

#include <loom/switch.h>

enum {
  FROM = 2, /* ports count from 0 */
  TO = 5,
  LID = 17,  /* where the packet goes */
  FLITS = 8, /* of the packet, its head included */
  VL = 1,
  CYCLES = 1000,
};

/* A cycle with a write on the register bus, and the one in which it reaches its register. */
static void write_register(struct loom_ib_switch *s, uint32_t addr, uint32_t data) {
  struct loom_ib_switch_in in = {0};
  struct loom_ib_switch_out out;
  in.reg_we = 1;
  in.reg_addr = addr;
  in.reg_wdata = data;
  loom_ib_switch_step(s, &in, &out);
  in.reg_we = 0;
  loom_ib_switch_step(s, &in, &out);
}

/* The first flit of the packet says where it goes and how long it is. */
static uint64_t head(void) { return (uint64_t)FLITS << 47 | (uint64_t)LID << 31; }

/* Sends the packet and prints when its first and last flit come out. */
static int watch(struct loom_ib_switch *s) {
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    struct loom_ib_switch_in in = {0};
    struct loom_ib_switch_out out;
    if (cycle < FLITS) {
      in.in_valid[FROM] = 1;
      in.in_head[FROM] = cycle == 0;
      in.in_tail[FROM] = cycle == FLITS - 1;
      in.in_vl[FROM] = VL;
      in.in_data[FROM] = cycle ? cycle : head();
    }
    loom_ib_switch_step(s, &in, &out);
    if (out.out_head[TO])
      printf("in at cycle 0, out at cycle %u", cycle);
    if (out.out_tail[TO]) {
      printf(" to %u\n", cycle);
      return 0;
    }
  }
  fprintf(stderr, "the packet did not come out\n");
  return 1;
}

int main(void) {
  struct loom_ib_switch_cfg cfg;
  loom_ib_switch_defaults(&cfg);
  cfg.PORTS = 8;
  cfg.SCHED = 0; /* round robin */
  cfg.LIDS = 64;
  struct loom_ib_switch *s = loom_ib_switch_create(&cfg);
  if (!s) {
    fprintf(stderr, "parameters that are not legal, or out of memory\n");
    return 2;
  }
  write_register(s, LOOM_SWITCH_REG_LFT + LID, TO);
  write_register(s, LOOM_SWITCH_REG_LFT_COUNT, LID + 1);
  int status = watch(s);
  loom_ib_switch_destroy(s);
  return status;
}
