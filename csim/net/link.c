/* link.c - cables of an Elite5 fabric: their errors (docs/elan5.md) */
#include "net/link.h"

#include <loom/random.h>

#include "elite5/header.h"

uint64_t loom_net_link_carry(struct loom_net_link *s, bool head, bool tail, uint64_t word) {
  s->words++;
  if (!s->error_rate)
    return word;
  bool control = head && tail && loom_elite5_type_of(word) == LOOM_ELITE5_CONTROL;
  if ((control && !s->spoil_control) || loom_random(&s->seed) >= s->error_rate)
    return word;
  s->spoilt++;
  return word ^ 1ull << loom_below(&s->seed, 64);
}
