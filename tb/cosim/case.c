/* SPDX-License-Identifier: Apache-2.0 */
/* case.c - scenarios from the published tables, see case.h */
#include "tb/cosim/case.h"

#include <string.h>

bool scenario_load(struct scenario *sc, const char *path, const char *name) {
  struct loom_error err;
  memset(sc, 0, sizeof *sc);
  size_t n = strlen(path);
  if (n > 4 && strcmp(path + n - 4, ".pkt") == 0) {
    sc->packets = pkt_load(&sc->pkt, path, stderr);
    return sc->packets;
  }
  if (!loom_published_load(&sc->published, path, &err)) {
    fprintf(stderr, "%s\n", err.line);
    return false;
  }
  for (uint32_t i = 0; i < sc->published.case_count; i++)
    if (strcmp(sc->published.cases[i].name, name) == 0)
      sc->c = &sc->published.cases[i];
  if (sc->c)
    return true;
  fprintf(stderr, "%s: cases: no case %s\n", path, name);
  scenario_free(sc);
  return false;
}

void scenario_free(struct scenario *sc) {
  if (sc->packets)
    pkt_free(&sc->pkt);
  else
    loom_published_free(&sc->published);
}
