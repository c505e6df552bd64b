/* SPDX-License-Identifier: Apache-2.0 */
/* read_vef.h - traces and .names files from text (docs/formats.md) */
#ifndef LOOM_IO_READ_VEF_H
#define LOOM_IO_READ_VEF_H

#include "io/source.h"
#include "vef/vef.h"
#include "vef/vef_generate.h"

/* Says in *err what is wrong with the text of this name. Always false. */
bool loom_vef_fail(const char *name, const struct loom_vef_error *error, struct loom_error *err);

/* The words for the operations, in the order of enum loom_vef_op, from a list with commas, which is
 * cut at these. False: not so many words, or one stands twice: *twice, else NULL. */
bool loom_vef_cut_ops(char *list, const char *ops[LOOM_VEF_OPS], const char **twice);

/* A trace as it is in the file, and as it is replayed. */
struct loom_vef_input {
  struct loom_vef_trace *trace;
  struct loom_vef_trace *expanded; /* without collectives; may be the same */
  struct loom_vef_chain chain;
};

/* Also refuses a trace that can never be replayed to its end. False: refused, *err says why. */
bool loom_read_vef(struct loom_vef_input *input, const struct loom_source *src,
                   enum loom_vef_algorithm algorithm, const char *const ops[LOOM_VEF_OPS],
                   struct loom_error *err);
/* Makes one instead of reading it; `name` is for messages. */
bool loom_make_vef(struct loom_vef_input *input, const struct loom_vef_generate_cfg *cfg,
                   enum loom_vef_algorithm algorithm, const char *name, struct loom_error *err);
void loom_vef_input_free(struct loom_vef_input *input);

/* The devices of a trace of `tasks`. NULL: refused, *err says why. Ends with
 * loom_vef_names_destroy. */
struct loom_vef_names *loom_read_vef_names(const struct loom_source *src, uint32_t tasks,
                                           struct loom_error *err);

/* Cycles between tasks of one node (VF-09): [source * tasks + destination], the caller's. NULL:
 * refused, *err says why. */
uint32_t *loom_read_vef_latencies(const struct loom_source *src, uint32_t tasks,
                                  struct loom_error *err);

#endif
