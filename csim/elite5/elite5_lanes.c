/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_lanes.c - sets of links out of the ports of a step, and back
 *
 * Inside: elite5_router, crosspoint_router. */
#include "elite5/elite5_lanes.h"

#include <loom/bits.h>

loom_links loom_elite5_gather(const uint64_t *lane) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (uint32_t i = LOOM_ELITE5_LINKS; i; i -= 4) {
    a = a << 4 | lane[i - 4];
    b = b << 4 | lane[i - 3];
    c = c << 4 | lane[i - 2];
    d = d << 4 | lane[i - 1];
  }
  return (loom_links)(a | b << 1 | c << 2 | d << 3);
}

void loom_elite5_gather_words(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                              const struct loom_elite5_word_lanes *in) {
  lanes->valid = loom_elite5_gather(in->valid);
  for (loom_links set = lanes->valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    lanes->head |= (loom_links)in->head[l] << l;
    lanes->tail |= (loom_links)in->tail[l] << l;
    port[l].vl = (uint8_t)in->vl[l];
    port[l].data = in->data[l];
  }
}

void loom_elite5_gather_returns(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                                const struct loom_elite5_return_lanes *in) {
  lanes->cr_valid = loom_elite5_gather(in->cr_valid);
  lanes->rep_valid = loom_elite5_gather(in->rep_valid);
  for (loom_links set = lanes->cr_valid; set; set &= set - 1)
    port[loom_ctz(set)].cr_vl = (uint8_t)in->cr_vl[loom_ctz(set)];
  for (loom_links set = lanes->rep_valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    lanes->rep_ack |= (loom_links)in->rep_ack[l] << l;
    port[l].rep_vc = (uint8_t)in->rep_vc[l];
  }
}

void loom_elite5_scatter(loom_links set, uint64_t *lane) {
  for (; set; set &= set - 1)
    lane[loom_ctz(set)] = 1;
}

void loom_elite5_show_words(const struct loom_elite5_words *w,
                            const struct loom_elite5_shown_words *out) {
  loom_elite5_scatter(w->valid, out->valid);
  loom_elite5_scatter(w->head, out->head);
  loom_elite5_scatter(w->tail, out->tail);
  for (loom_links set = w->valid; set; set &= set - 1) {
    out->vl[loom_ctz(set)] = w->vl[loom_ctz(set)];
    out->data[loom_ctz(set)] = w->data[loom_ctz(set)];
  }
}

void loom_elite5_show_returns(const struct loom_elite5_returns *r,
                              const struct loom_elite5_shown_returns *out) {
  loom_elite5_scatter(r->cr_valid, out->cr_valid);
  loom_elite5_scatter(r->rep_valid, out->rep_valid);
  loom_elite5_scatter(r->rep_ack & r->rep_valid, out->rep_ack);
  for (loom_links set = r->cr_valid; set; set &= set - 1)
    out->cr_vl[loom_ctz(set)] = r->cr_vl[loom_ctz(set)];
  for (loom_links set = r->rep_valid; set; set &= set - 1)
    out->rep_vc[loom_ctz(set)] = r->rep_vc[loom_ctz(set)];
}
