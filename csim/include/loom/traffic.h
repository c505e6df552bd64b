/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.h - where messages go: synthetic patterns, task mappings and the communication patterns
 * of benchmarks (docs/traffic.md; TR-01, TR-02, KN-09)
 *
 * For programs that post messages of their own into a fabric (<loom/fabric.h>):
 *
 *     struct loom_pattern_cfg cfg = {LOOM_PATTERN_UNIFORM};
 *     cfg.hosts = loom_setup_hosts(setup);
 *     struct loom_pattern *p = loom_pattern_create(&cfg);
 *     uint32_t dst = loom_pattern_next(p, src, &random[src]);
 *
 * A pattern is a rule among tasks, which sit on hosts. In what follows s is the sender, N the
 * number of tasks, and all numbers but those of `places` are tasks'. A task that would send to
 * itself is silent. One thread at a time may use a pattern.
 */
#ifndef LOOM_TRAFFIC_H
#define LOOM_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum loom_pattern_kind {
  LOOM_PATTERN_UNIFORM,     /* any task but the sender, anew for each message */
  LOOM_PATTERN_RANDOM,      /* a random permutation without fixed points, drawn once (TR-02) */
  LOOM_PATTERN_SHIFT,       /* s + shift mod N */
  LOOM_PATTERN_REVERSAL,    /* bits of s reversed; N: a power of two */
  LOOM_PATTERN_COMPLEMENT,  /* bits of s inverted; for any N: N - 1 - s */
  LOOM_PATTERN_TRANSPOSE,   /* row and column changed; N: a square */
  LOOM_PATTERN_TORNADO,     /* just less than half way round each dimension (shape) */
  LOOM_PATTERN_HOTSPOT,     /* to one of `targets` with chance `heat`, else uniform */
  LOOM_PATTERN_NEIGHBOUR,   /* natural ring: s + 1 and s - 1 in turn */
  LOOM_PATTERN_RANDOM_RING, /* neighbours on a ring of tasks in random order, in turn */
  LOOM_PATTERN_BISECTION,   /* random halves, pairs between them exchange (effective bisection) */
  LOOM_PATTERN_PAIRS,       /* 2 i to 2 i + 1; odd tasks are silent (ping-pong) */
  LOOM_PATTERN_PTRANS,      /* transpose exchange on a grid of size[0] rows and size[1] columns */
  LOOM_PATTERN_ALL_TO_ALL,  /* s + 1, s + 2, ... in turn: each phase is a shift */
  LOOM_PATTERN_INCAST,      /* others to one of `targets` each, all the time; targets are silent */
  LOOM_PATTERN_FILE,        /* a permutation file */
  LOOM_PATTERNS
};

struct loom_pattern_cfg {
  enum loom_pattern_kind kind;
  uint32_t hosts; /* 2.. */
  uint32_t tasks; /* N, 2..hosts; 0: as many as hosts. Hosts without a task are silent */
  uint32_t shift;
  uint32_t dims; /* of tornado, 1..3, lowest first; nodes_at: tasks at a switch */
  uint32_t size[3], nodes_at;
  const uint32_t *targets; /* of hotspot; copied */
  uint32_t target_count;
  uint32_t heat;          /* 0..1000000 parts of a million */
  const uint32_t *file;   /* destination by task; copied; LOOM_PATTERN_SILENT: it sends nothing */
  const uint32_t *places; /* task mapping: task t is on host places[t]; NULL: linear; copied */
  uint64_t seed;          /* of what is drawn once; in an experiment 0 for one of its own making */
};
#define LOOM_PATTERN_SILENT UINT32_MAX

struct loom_pattern;

/* What is wrong with a configuration (`hosts`, `shift`, ...), NULL: nothing. Takes memory while it
 * works; without any it does not see what stands twice in a list. */
const char *loom_pattern_bad(const struct loom_pattern_cfg *cfg);
/* NULL: bad, or no memory. */
struct loom_pattern *loom_pattern_create(const struct loom_pattern_cfg *cfg);
void loom_pattern_destroy(struct loom_pattern *p);

/* Destination of the next message of a host, or LOOM_PATTERN_SILENT. `random` is the host's own
 * state, so that the hosts' order does not matter. */
uint32_t loom_pattern_next(struct loom_pattern *p, uint32_t host, uint64_t *random);

/* Whether a host never sends. */
bool loom_pattern_silent(const struct loom_pattern *p, uint32_t host);

/* A random mapping: fills places[hosts] with all hosts in random order. */
void loom_pattern_scatter(uint32_t hosts, uint64_t seed, uint32_t *places);

#ifdef __cplusplus
}
#endif

#endif
