/* SPDX-License-Identifier: Apache-2.0 */

#include "run/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text_stream.h"

static void print_word(FILE *out, const char *word) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=,:@%+-";
  fputc(' ', out);
  if (word[0] && !word[strspn(word, plain)]) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}

char *loom_provenance_line(const char *command, const char *const *word, size_t words) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = loom_text_open(&text, &size);
  if (!out)
    return NULL;
  fputs(command, out);
  for (size_t i = 0; i < words; i++)
    print_word(out, word[i]);
  if (!fclose(out))
    return text;
  free(text);
  return NULL;
}

uint64_t loom_hash(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
  return (hash ^ size) * UINT64_C(0x100000001B3);
}
