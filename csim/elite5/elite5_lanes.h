/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_lanes.h - what is on the links of an Elite5 router in a cycle, as sets of links and what
 * only members of the sets have (docs/elite5.md)
 *
 * Inside: elite5_router, crosspoint_router. */
#ifndef LOOM_ELITE5_ELITE5_LANES_H
#define LOOM_ELITE5_ELITE5_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include <loom/link_in.h>

enum { LOOM_ELITE5_LINKS = 32 };

/* A set of links. */
typedef uint32_t loom_links;

/* ---- what is on the links in a cycle --------------------------------------------------------- */

/* Forwards. vl and data count only where valid is set. */
struct loom_elite5_words {
  loom_links valid, head, tail;
  uint8_t vl[LOOM_ELITE5_LINKS];
  uint64_t data[LOOM_ELITE5_LINKS];
};

/* Backwards. */
struct loom_elite5_returns {
  loom_links cr_valid, rep_valid, rep_ack;
  uint8_t cr_vl[LOOM_ELITE5_LINKS], rep_vc[LOOM_ELITE5_LINKS];
};

/* All that comes to a router in a cycle, as loom_elite5_router_edge takes it. Fields of `port`
 * count only where the set of their kind has the link. */
struct loom_elite5_lanes {
  loom_links valid, head, tail;
  loom_links cr_valid, rep_valid, rep_ack;
  loom_links signal;
  const struct loom_link_in *port; /* by link */
  bool reg_we, reg_re;
  uint32_t reg_addr, reg_wdata;
};

/* ---- lanes of the ports, as a step has them: one value a link -------------------------------- */

/* The lanes whose bit is set. */
loom_links loom_elite5_gather(const uint64_t *lane);

/* Ports of words, of credits and of replies, in this direction or that one. */
struct loom_elite5_word_lanes {
  const uint64_t *valid, *head, *tail, *vl, *data;
};
struct loom_elite5_return_lanes {
  const uint64_t *cr_valid, *cr_vl, *rep_valid, *rep_ack, *rep_vc;
};

/* What comes to a router; `port` takes what only some links have. */
void loom_elite5_gather_words(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                              const struct loom_elite5_word_lanes *in);
void loom_elite5_gather_returns(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                                const struct loom_elite5_return_lanes *in);

/* The other way: ports that are 0 so far. */
void loom_elite5_scatter(loom_links set, uint64_t *lane);

struct loom_elite5_shown_words {
  uint64_t *valid, *head, *tail, *vl, *data;
};
struct loom_elite5_shown_returns {
  uint64_t *cr_valid, *cr_vl, *rep_valid, *rep_ack, *rep_vc;
};

void loom_elite5_show_words(const struct loom_elite5_words *w,
                            const struct loom_elite5_shown_words *out);
void loom_elite5_show_returns(const struct loom_elite5_returns *r,
                              const struct loom_elite5_shown_returns *out);

/* The ports of a step, by their names in the list. */
#define LOOM_ELITE5_WORD_LANES(in)                                                                 \
  (&(const struct loom_elite5_word_lanes){(in)->in_valid, (in)->in_head, (in)->in_tail,            \
                                          (in)->in_vl, (in)->in_data})
#define LOOM_ELITE5_RETURN_LANES(in)                                                               \
  (&(const struct loom_elite5_return_lanes){(in)->out_cr_valid, (in)->out_cr_vl,                   \
                                            (in)->out_rep_valid, (in)->out_rep_ack,                \
                                            (in)->out_rep_vc})
#define LOOM_ELITE5_SHOWN_WORDS(out)                                                               \
  (&(const struct loom_elite5_shown_words){(out)->out_valid, (out)->out_head, (out)->out_tail,     \
                                           (out)->out_vl, (out)->out_data})
#define LOOM_ELITE5_SHOWN_RETURNS(out)                                                             \
  (&(const struct loom_elite5_shown_returns){(out)->in_cr_valid, (out)->in_cr_vl,                  \
                                             (out)->in_rep_valid, (out)->in_rep_ack,               \
                                             (out)->in_rep_vc})

#endif
