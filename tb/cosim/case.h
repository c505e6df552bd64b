/* case.h - scenarios: the published tables of vectors/papers, as traffic and expectation of a run
 */
#ifndef LOOM_TB_CASE_H
#define LOOM_TB_CASE_H

#include "cli/fixture.h"
#include "tb/cosim/cosim.h"

struct scenario {
  struct loom_fixture fixture;
  const struct loom_fixture_case *c;
};

/* The case `name` of a fixture file; false after a line on stderr. */
bool scenario_load(struct scenario *sc, const char *path, const char *name);
void scenario_free(struct scenario *sc);

#endif
