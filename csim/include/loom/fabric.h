/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.h - a whole fabric of twins under a program's own traffic (docs/library.md)
 *
 * A fabric file, or a text of the same form, says what the fabric is. The program posts messages,
 * steps the fabric cycle by cycle and is called when a message has arrived:
 *
 *     struct loom_refusal why;
 *     struct loom_setup *setup = loom_setup_read("tree.yaml", NULL, 0, &why);
 *     if (!setup)
 *       return fprintf(stderr, "%s\n", why.text), why.status;
 *     struct loom_sim *sim = loom_sim_create(setup, 1, arrived, NULL, &why);
 *     loom_sim_post(sim, 0, 63, 0, 4096, 0);
 *     loom_sim_run(sim, 100000);
 *     loom_sim_destroy(sim);
 *     loom_setup_free(setup);
 *
 * Errors. What can be refused returns NULL or false and fills a loom_refusal, if it is given one.
 * Ownership. What a `create`, `read` or `parse` returns is the caller's until it hands it to the
 * `destroy` or `free` beside it, which allow NULL. Texts that go in are copied.
 * Threads. Nothing is shared but what the caller shares: a setup may be used by several threads at
 * a time once it is there, a sim by one at a time. The same setup, seed and posts give the same
 * bits.
 */
#ifndef LOOM_FABRIC_H
#define LOOM_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why something is not done. */
struct loom_refusal {
  int status;      /* 1: it does not hold, as a routing that may deadlock; 2: bad input */
  char text[1900]; /* `file:line: key: what is wrong` where it can be said; no newline at its end */
};

/* ---- setup: what a fabric file says ---------------------------------------------------------- */

/* A fabric file that is read and found good, with all files that it names, its topology and its
 * routing. */
struct loom_setup;

/* A value of the file that is changed, as `loom run --set` does it: "run.seeds", "3". */
struct loom_change {
  const char *key, *value;
};

/* Reads a file, with changes. NULL: refused. */
struct loom_setup *loom_setup_read(const char *file, const struct loom_change *change,
                                   size_t changes, struct loom_refusal *why);
/* The same of a text. `name` stands for the file in refusals; files that the text names are looked
 * for beside it. */
struct loom_setup *loom_setup_parse(const char *name, const char *text,
                                    const struct loom_change *change, size_t changes,
                                    struct loom_refusal *why);
/* What moves packets through the switches of sims and runs that are made of it from now on: "step",
 * as after a read, flit by flit, or "packet", the same bits in less time. False: refused, as there
 * is no such engine, or none for its switches. */
bool loom_setup_engine(struct loom_setup *setup, const char *engine, struct loom_refusal *why);
/* After all sims and runs of it. */
void loom_setup_free(struct loom_setup *setup);

const char *loom_setup_name(const struct loom_setup *setup);
uint32_t loom_setup_hosts(const struct loom_setup *setup);
uint32_t loom_setup_switches(const struct loom_setup *setup);
uint32_t loom_setup_seeds(const struct loom_setup *setup);
uint32_t loom_setup_classes(const struct loom_setup *setup);
/* NULL: there is no such class. */
const char *loom_setup_class_name(const struct loom_setup *setup, uint32_t traffic_class);

/* ---- sim: the fabric in motion --------------------------------------------------------------- */

/* The devices of a setup, joined and configured, at some cycle. The traffic of the file is not
 * sent. */
struct loom_sim;

/* A message that has arrived as a whole. Times are cycles. */
struct loom_arrival {
  uint32_t src, dst; /* hosts, 0.. */
  uint32_t traffic_class;
  uint32_t flits; /* of 8 bytes, the heads of its packets included */
  uint64_t tag;   /* the sender's */
  uint64_t posted;
  uint64_t injected; /* its first flit left the host */
  uint64_t received; /* its last flit arrived */
  bool damaged;      /* links with bit errors: some flit is not what was sent */
};

/* Called by loom_sim_step; may post messages, and nothing else of this sim. */
typedef void loom_arrived(void *context, const struct loom_arrival *arrival);

/* At cycle 0. NULL: refused. A setup with `shadow` needs circuits and is refused. */
struct loom_sim *loom_sim_create(const struct loom_setup *setup, uint64_t seed,
                                 loom_arrived *arrived, void *context, struct loom_refusal *why);
void loom_sim_destroy(struct loom_sim *sim);

/* Posts a message in the present cycle; it waits in the host's queue of its class until there is
 * room. False: there is no such host or class, it is to its sender, or out of memory. */
bool loom_sim_post(struct loom_sim *sim, uint32_t src, uint32_t dst, uint32_t traffic_class,
                   uint32_t bytes, uint64_t tag);
/* One cycle. */
void loom_sim_step(struct loom_sim *sim);
/* Cycles until nothing moves any more, but at most so many. True: nothing moves. In a fabric that
 * can deadlock this may be because all wait for each other: see loom_sim_counts. */
bool loom_sim_run(struct loom_sim *sim, uint64_t cycles);
/* The present cycle. */
uint64_t loom_sim_now(const struct loom_sim *sim);

struct loom_sim_counts {
  uint64_t posted, received; /* messages */
  uint64_t flit_hops;        /* flits that went over links */
  bool exhausted;            /* memory ran out: what came of the sim means nothing */
};
struct loom_sim_counts loom_sim_counts(const struct loom_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
