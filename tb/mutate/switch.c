/* SPDX-License-Identifier: Apache-2.0 */
/* switch.c - which fault of the library is on, and which a program comes past (docs/mutation.md)
 *
 * LOOM_MUTANT=n in the environment turns fault n on. A library compiled with LOOM_MUTANT_REACHED
 * has none on; when the program ends it adds the numbers of the faults that it came past, one a
 * line, to the file of this name in the environment.
 */
#include "tb/mutate/switch.h"

#include <stdio.h>
#include <stdlib.h>

int loom_mutant;
unsigned char loom_mutant_reached[LOOM_MUTANTS];

__attribute__((constructor)) static void choose(void) {
  const char *said = getenv("LOOM_MUTANT");
  loom_mutant = said ? (int)strtol(said, NULL, 10) : 0;
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("LOOM_MUTANT_REACHED");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  for (int i = 0; i < LOOM_MUTANTS; i++)
    if (loom_mutant_reached[i])
      fprintf(file, "%d\n", i);
  fclose(file);
}
