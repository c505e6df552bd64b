/* SPDX-License-Identifier: Apache-2.0 */
/* provenance.h - where results come from: the command line and the configuration (docs/fabric.md)
 */
#ifndef LOOM_RUN_PROVENANCE_H
#define LOOM_RUN_PROVENANCE_H

#include <stddef.h>
#include <stdint.h>

struct loom_provenance {
  const char *command; /* the line, without options that change no result; NULL: there was none */
  uint64_t configuration; /* loom_kept_hash */
};

/* A command and its words as a line for a shell: the caller's, NULL out of memory. */
char *loom_provenance_line(const char *command, const char *const *word, size_t words);

/* FNV-1a of bytes and how many they are, on top of a hash. */
#define LOOM_HASH_START UINT64_C(0xCBF29CE484222325)
uint64_t loom_hash(uint64_t hash, const char *bytes, size_t size);

#endif
