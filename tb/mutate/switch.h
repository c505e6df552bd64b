/* SPDX-License-Identifier: Apache-2.0 */
/* switch.h - whether a fault of the library is on: what tb/mutate/mutate_c puts before each file */
#ifndef LOOM_TB_MUTATE_SWITCH_H
#define LOOM_TB_MUTATE_SWITCH_H

enum { LOOM_MUTANTS = 100000 };

/* The fault that is on; 0: none. */
extern __attribute__((visibility("hidden"))) int loom_mutant;
/* The faults that the program came past. */
extern __attribute__((visibility("hidden"))) unsigned char loom_mutant_reached[LOOM_MUTANTS];

#ifdef LOOM_MUTANT_REACHED
#define LOOM_MUTANT(number) (loom_mutant_reached[number] = 1, 0)
#else
#define LOOM_MUTANT(number) (loom_mutant == (number))
#endif

#endif
