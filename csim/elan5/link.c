/* link.c - cables: bit errors (docs/elan5.md, docs/fabric.md) */
#include "elan5/link.h"

#include <loom/random.h>

#include "elite5/elite5_header.h"

enum { WORD_BITS = 64 };

uint64_t loom_net_chance(double rate) {
  static const double all = 18446744073709551616.0; /* 2^64 */
  return rate <= 0 ? 0 : rate >= 1 ? UINT64_MAX : (uint64_t)(rate * all);
}

uint64_t loom_net_spoil(uint64_t *seed, uint64_t chance, uint64_t word, uint64_t *spoilt) {
  if (loom_random(seed) >= chance)
    return word;
  ++*spoilt;
  return word ^ 1ull << loom_below(seed, WORD_BITS);
}

uint64_t loom_net_link_carry(struct loom_net_link *s, bool head, bool tail, uint64_t word) {
  s->words++;
  bool control = head && tail && loom_elite5_type_of(word) == LOOM_ELITE5_CONTROL;
  if (!s->error_rate || (control && !s->spoil_control))
    return word;
  return loom_net_spoil(&s->seed, s->error_rate, word, &s->spoilt);
}
