/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_collective.c - broadcast, reduction and gather that the adapters do (docs/elan5.md,
 * Collectives)
 *
 * Memory of a member, from `address` on: of a broadcast and a reduction the result, in parts with a
 * sequence number after each; of a reduction then the slot of its own sum and one for each child;
 * of a gather a slot for each member.
 */
#include "elan5/elan5_collective.h"

#include <loom/bits.h>
#include <string.h>

enum { WORD = LOOM_ELAN5_WORD };

/* ---- the tree -------------------------------------------------------------------------------- */

static uint32_t children_of(const struct loom_elan5_collective *s) {
  return loom_min(s->cfg.arity, s->own.count - 1);
}

/* Child k of a member that stands for `from`. */
static struct loom_elan5_range child_of(struct loom_elan5_range from, uint32_t arity, uint32_t k) {
  uint32_t rest = from.count - 1, parts = loom_min(arity, rest);
  uint32_t begin = (uint32_t)((uint64_t)rest * k / parts);
  uint32_t end = (uint32_t)((uint64_t)rest * (k + 1) / parts);
  return (struct loom_elan5_range){from.first + 1 + begin, end - begin};
}

/* From the root down to this member. */
static void find_place(struct loom_elan5_collective *s) {
  s->own = (struct loom_elan5_range){0, s->cfg.members};
  while (s->own.first != s->cfg.self) {
    struct loom_elan5_range child;
    s->parent = s->own.first;
    for (s->place = 0;; s->place++) {
      child = child_of(s->own, s->cfg.arity, s->place);
      if (s->cfg.self < child.first + child.count)
        break;
    }
    s->own = child;
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The first word of a part of the data. */
static uint32_t begin_of(const struct loom_elan5_collective_cfg *c, uint32_t part) {
  return (uint32_t)((uint64_t)c->words * part / c->parts);
}

static uint64_t part_at(const struct loom_elan5_collective_cfg *c, uint32_t part) {
  return c->address + (uint64_t)WORD * (begin_of(c, part) + part);
}

/* Bytes of a part with its number. */
static uint32_t part_bytes(const struct loom_elan5_collective_cfg *c, uint32_t part) {
  return WORD * (begin_of(c, part + 1) - begin_of(c, part) + 1);
}

static uint64_t slot_bytes(const struct loom_elan5_collective_cfg *c) {
  return WORD * ((uint64_t)c->words + 1);
}

/* Of a reduction the own sum, and those of the children from 1 on; of a gather by member. */
static uint64_t slot_at(const struct loom_elan5_collective_cfg *c, uint32_t slot) {
  uint64_t result = c->type == LOOM_ELAN5_GATHER ? 0 : WORD * ((uint64_t)c->words + c->parts);
  return c->address + result + slot * slot_bytes(c);
}

uint64_t loom_elan5_collective_bytes(const struct loom_elan5_collective_cfg *c) {
  uint32_t slots = c->type == LOOM_ELAN5_GATHER      ? c->members
                   : c->type == LOOM_ELAN5_REDUCTION ? 1 + c->arity
                                                     : 0;
  return slot_at(c, slots) - c->address;
}

static uint64_t load(struct loom_elan5 *e, uint64_t at) {
  return loom_elan5_load(loom_elan5_memory(e, at));
}

static void store(struct loom_elan5 *e, uint64_t at, uint64_t word) {
  loom_elan5_store(loom_elan5_memory(e, at), word);
}

/* The number behind the data of a slot. */
static uint64_t number_at(const struct loom_elan5_collective_cfg *c, uint32_t slot) {
  return slot_at(c, slot) + (uint64_t)WORD * c->words;
}

uint64_t loom_elan5_collective_result(const struct loom_elan5_collective *s, uint32_t word) {
  const struct loom_elan5_collective_cfg *c = &s->cfg;
  if (c->type == LOOM_ELAN5_GATHER)
    return slot_at(c, word / c->words) + (uint64_t)WORD * (word % c->words);
  uint32_t part = 0;
  while (word >= begin_of(c, part + 1))
    part++;
  return part_at(c, part) + (uint64_t)WORD * (word - begin_of(c, part));
}

uint64_t loom_elan5_collective_own(const struct loom_elan5_collective *s, uint32_t word) {
  if (s->cfg.type == LOOM_ELAN5_REDUCTION)
    return slot_at(&s->cfg, 0) + (uint64_t)WORD * word;
  if (s->cfg.type == LOOM_ELAN5_GATHER)
    return slot_at(&s->cfg, s->cfg.self) + (uint64_t)WORD * word;
  return loom_elan5_collective_result(s, word);
}

/* ---- what is there --------------------------------------------------------------------------- */

static bool has_result(const struct loom_elan5_collective *s, struct loom_elan5 *e) {
  const struct loom_elan5_collective_cfg *c = &s->cfg;
  for (uint32_t part = 0; part < c->parts; part++)
    if (load(e, part_at(c, part + 1) - WORD) != s->sequence)
      return false;
  return true;
}

/* The next children whose data are there. */
static bool has_gathered(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  for (; s->merged < children_of(s); s->merged++) {
    struct loom_elan5_range child = child_of(s->own, s->cfg.arity, s->merged);
    if (load(e, number_at(&s->cfg, child.first + child.count - 1)) != s->sequence)
      return false;
  }
  return true;
}

/* Adds the data of a child to the own sum, a word a cycle. */
static void merge(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  const struct loom_elan5_collective_cfg *c = &s->cfg;
  uint64_t own = slot_at(c, 0), child = slot_at(c, ++s->merged);
  for (uint32_t w = 0; w < c->words; w++, own += WORD, child += WORD)
    store(e, own, load(e, own) + load(e, child));
  s->until = e->now + c->words;
}

static bool has_reduced(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  if (e->now < s->until)
    return false;
  if (s->merged == children_of(s))
    return true;
  if (load(e, number_at(&s->cfg, s->merged + 1)) == s->sequence)
    merge(s, e);
  return false;
}

/* The result of a reduction is where that of a broadcast would be, with its numbers. */
static void finish_sum(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  for (uint32_t w = 0; w < s->cfg.words; w++)
    store(e, loom_elan5_collective_result(s, w), load(e, loom_elan5_collective_own(s, w)));
}

static void write_numbers(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  for (uint32_t part = 0; part < s->cfg.parts; part++)
    store(e, part_at(&s->cfg, part + 1) - WORD, s->sequence);
}

/* All that this member waits for before it puts is there. */
static bool is_ready(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  switch (s->cfg.type) {
  case LOOM_ELAN5_BROADCAST_STORED:
    return has_result(s, e);
  case LOOM_ELAN5_GATHER:
    return has_gathered(s, e);
  case LOOM_ELAN5_REDUCTION:
    if (!has_reduced(s, e))
      return false;
    if (s->cfg.self == 0) {
      finish_sum(s, e);
      write_numbers(s, e);
    }
    return true;
  case LOOM_ELAN5_BROADCAST:
    break;
  }
  return true;
}

/* ---- puts ------------------------------------------------------------------------------------ */

static uint32_t puts_of(const struct loom_elan5_collective *s) {
  bool root = s->cfg.self == 0;
  switch (s->cfg.type) {
  case LOOM_ELAN5_BROADCAST_STORED:
    return children_of(s);
  case LOOM_ELAN5_GATHER:
    return !root;
  case LOOM_ELAN5_REDUCTION:
    return root ? s->cfg.parts : 1;
  case LOOM_ELAN5_BROADCAST:
    break;
  }
  return root ? s->cfg.parts : 0;
}

static uint32_t put_part(const struct loom_elan5_collective *s, struct loom_elan5 *e,
                         uint32_t part) {
  const struct loom_elan5_collective_cfg *c = &s->cfg;
  const struct loom_elan5_target to = {.dest = c->group[part], .group = true, .prio = c->prio};
  uint64_t at = part_at(c, part);
  return loom_elan5_put(e, to, at, at, part_bytes(c, part));
}

/* Put number k, to a part's group, a child or the parent. */
static uint32_t put(const struct loom_elan5_collective *s, struct loom_elan5 *e, uint32_t k) {
  const struct loom_elan5_collective_cfg *c = &s->cfg;
  struct loom_elan5_target to = {.dest = c->node[s->parent], .prio = c->prio};
  if (c->type == LOOM_ELAN5_GATHER) {
    uint64_t at = slot_at(c, c->self);
    return loom_elan5_put(e, to, at, at, (uint32_t)(s->own.count * slot_bytes(c)));
  }
  if (c->type == LOOM_ELAN5_BROADCAST_STORED) {
    to.dest = c->node[child_of(s->own, c->arity, k).first];
    return loom_elan5_put(e, to, c->address, c->address, part_bytes(c, 0));
  }
  if (c->self == 0)
    return put_part(s, e, k);
  return loom_elan5_put(e, to, slot_at(c, 1 + s->place), slot_at(c, 0), (uint32_t)slot_bytes(c));
}

static void send(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  while (s->sent < puts_of(s)) {
    uint32_t transfer = put(s, e, s->sent);
    if (transfer == LOOM_ELAN5_NONE)
      return;
    s->transfers |= 1ull << transfer;
    s->sent++;
  }
}

static void reap(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  for (uint64_t set = s->transfers & e->finished; set; set &= set - 1) {
    loom_elan5_done(e, loom_ctz(set));
    s->transfers &= ~(set & -set);
  }
}

/* ---- a member -------------------------------------------------------------------------------- */

void loom_elan5_collective_init(struct loom_elan5_collective *s,
                                const struct loom_elan5_collective_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  if (cfg->type == LOOM_ELAN5_BROADCAST_STORED || cfg->type == LOOM_ELAN5_GATHER)
    s->cfg.parts = 1;
  find_place(s);
}

void loom_elan5_collective_enter(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  bool reduction = s->cfg.type == LOOM_ELAN5_REDUCTION;
  s->sequence++;
  s->entered = true;
  s->ready = false;
  s->merged = s->sent = 0;
  s->until = 0;
  if (reduction || s->cfg.type == LOOM_ELAN5_GATHER)
    store(e, number_at(&s->cfg, reduction ? 0 : s->cfg.self), s->sequence);
  else if (s->cfg.self == 0)
    write_numbers(s, e);
}

void loom_elan5_collective_step(struct loom_elan5_collective *s, struct loom_elan5 *e) {
  bool has = s->cfg.type == LOOM_ELAN5_GATHER;
  reap(s, e);
  if (!s->entered)
    return;
  if (!s->ready)
    s->ready = is_ready(s, e);
  if (s->ready)
    send(s, e);
  if (s->ready && s->sent == puts_of(s) && !s->transfers && (has || has_result(s, e)))
    s->entered = false;
}

bool loom_elan5_collective_through(const struct loom_elan5_collective *s) { return !s->entered; }

bool loom_elan5_collective_is_busy(const struct loom_elan5_collective *s,
                                   const struct loom_elan5 *e) {
  return s->entered && (e->now < s->until || (s->ready && s->sent < puts_of(s)));
}
