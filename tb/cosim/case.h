/* SPDX-License-Identifier: Apache-2.0 */
/* case.h - scenarios: the published tables of vectors/papers as traffic and expectation, packet
 * streams
 */
#ifndef LOOM_TB_CASE_H
#define LOOM_TB_CASE_H

#include "io/published_table.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/pkt.h"

/* A case of a published table (c is set), a packet stream (packets is set) or a directed case of
 * the stimulus itself (its name). */
struct scenario {
  const char *directed;
  uint64_t cycles; /* of the run */
  struct loom_published published;
  const struct loom_published_case *c;
  struct pkt_file pkt;
  bool packets;
};

/* The case `name` of the file of a published table, or a .pkt file; false after a line on stderr.
 */
bool scenario_load(struct scenario *sc, const char *path, const char *name);
void scenario_free(struct scenario *sc);

#endif
