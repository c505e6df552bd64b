/* SPDX-License-Identifier: Apache-2.0 */
/* axil_registers.c - twin of rtl/axi/loom_axil_registers.v, written from docs/axi.md */
#include "axi/axil_registers.h"

#include <string.h>

enum { ALL_STROBES = 15, SLVERR = 2 };

bool loom_axil_registers_cfg_ok(const struct loom_axil_registers_cfg *cfg) {
  return !loom_axil_registers_bad_param(cfg);
}

void loom_axil_registers_init(struct loom_axil_registers *s,
                              const struct loom_axil_registers_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->gap = cfg->GAP;
  s->wait = cfg->START;
}

static void show(const struct loom_axil_registers *s, struct loom_axil_registers_out *out) {
  memset(out, 0, sizeof *out);
  out->awready = !s->aw_valid;
  out->wready = !s->w_valid;
  out->arready = !s->ar_valid;
  out->bvalid = s->b_valid;
  out->bresp = s->b_error ? SLVERR : 0;
  out->rvalid = s->r_valid;
  out->rdata = s->r_data;
  out->reg_we = s->we;
  out->reg_re = s->re;
  out->reg_addr = s->addr;
  out->reg_wdata = s->data;
}

/* What comes in on the three channels from the user, into registers that are empty. */
static void take(struct loom_axil_registers *s, const struct loom_axil_registers_in *in) {
  if (!s->aw_valid && in->awvalid) {
    s->aw_valid = true;
    s->aw_addr = (uint32_t)(in->awaddr >> 2);
  }
  if (!s->w_valid && in->wvalid) {
    s->w_valid = true;
    s->w_data = (uint32_t)in->wdata;
    s->w_strb = (uint32_t)in->wstrb;
  }
  if (!s->ar_valid && in->arvalid) {
    s->ar_valid = true;
    s->ar_addr = (uint32_t)(in->araddr >> 2);
  }
}

/* What was shown in this cycle and has been taken is gone. */
static void release(struct loom_axil_registers *s, const struct loom_axil_registers_in *in) {
  if (in->bready)
    s->b_valid = s->b_error = false;
  if (in->reg_rvalid && s->read) {
    s->r_valid = true;
    s->r_data = (uint32_t)in->reg_rdata;
    s->read = false;
  } else if (in->rready) {
    s->r_valid = false;
    s->r_data = 0;
  }
}

static void access_bus(struct loom_axil_registers *s, bool write) {
  s->turn = write;
  s->wait = s->gap;
  if (write) {
    s->we = s->w_strb == ALL_STROBES;
    s->addr = s->we ? s->aw_addr : 0;
    s->data = s->we ? s->w_data : 0;
    s->b_valid = true;
    s->b_error = s->w_strb != ALL_STROBES && s->w_strb != 0;
    s->aw_valid = s->w_valid = false;
  } else {
    s->re = s->read = true;
    s->addr = s->ar_addr;
    s->ar_valid = false;
  }
}

void loom_axil_registers_step(struct loom_axil_registers *s,
                              const struct loom_axil_registers_in *in,
                              struct loom_axil_registers_out *out) {
  show(s, out);
  bool clear = s->wait == 0 && !s->read;
  bool can_write = s->aw_valid && s->w_valid && !s->b_valid;
  bool can_read = s->ar_valid && !s->r_valid;
  bool write = clear && can_write && !(can_read && s->turn);
  bool read = clear && can_read && !write;
  s->we = s->re = false;
  s->addr = s->data = 0;
  s->wait -= s->wait != 0;
  take(s, in);
  release(s, in);
  if (write || read)
    access_bus(s, write);
}

void loom_axil_registers_probe(const struct loom_axil_registers *s,
                               struct loom_axil_registers_probe *p) {
  p->wait = s->wait;
  p->loom_end = 0;
}
