/* SPDX-License-Identifier: Apache-2.0 */
/* Execution traces of MLCommons Chakra, and `loom vef import chakra` (docs/formats.md). The files
 * are written here, by a writer that shares nothing with the reader; those of vectors/vef and
 * tb/fuzz/good are of Google's library. */
#define _GNU_SOURCE /* strtok_r */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read_chakra.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

enum { ROOM = 4096, RANKS = 6, BYTES = 6000 };
enum { META = 1, LOAD = 2, COMP = 4, SEND = 5, RECV = 6, COLL = 7 };
enum { INT64_VALUE = 9, BOOL_LIST = 28, TEXT_VALUE = 29 };

/* ---- a writer of files ----------------------------------------------------------------------- */

struct text {
  char byte[ROOM];
  size_t size;
};

static void put(struct text *t, uint64_t value) {
  do
    t->byte[t->size++] = (char)(value > 127 ? value | 128 : value);
  while (value >>= 7);
}

static void put_number(struct text *t, unsigned field, uint64_t value) {
  put(t, field << 3);
  put(t, value);
}

static void put_bytes(struct text *t, unsigned field, const void *bytes, size_t size) {
  if (field)
    put(t, field << 3 | 2);
  put(t, size);
  memcpy(t->byte + t->size, bytes, size);
  t->size += size;
}

/* `name=value`: a number, the group's name, or bits of dimensions. */
static void put_attribute(struct text *node, const char *word) {
  struct text a = {.size = 0};
  struct text list = {.size = 0};
  size_t name = strcspn(word, "=");
  const char *value = word + name + 1;
  put_bytes(&a, 1, word, name);
  if (!strncmp(word, "pg_name", name)) {
    put_bytes(&a, TEXT_VALUE, value, strlen(value));
  } else if (!strncmp(word, "involved_dim", name)) {
    for (const char *c = value; *c; c++)
      put_number(&list, 1, *c == '1');
    put_bytes(&a, BOOL_LIST, list.byte, list.size);
  } else {
    put_number(&a, INT64_VALUE, strtoull(value, NULL, 10));
  }
  put_bytes(node, 10, a.byte, a.size);
}

/* A node: `words` are attributes, `us=N` its duration, `after=N` and `with=N` what it waits for by
 * data and by control. */
static void put_node(struct text *file, uint64_t id, unsigned type, const char *words) {
  struct text n = {.size = 0};
  char copy[200];
  snprintf(copy, sizeof copy, "%s", words);
  put_number(&n, 1, id);
  put_bytes(&n, 2, "a name", 6);
  put_number(&n, 3, type);
  char *rest = NULL;
  for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
    if (!strncmp(w, "us=", 3))
      put_number(&n, 7, strtoull(w + 3, NULL, 10));
    else if (!strncmp(w, "after=", 6))
      put_number(&n, 5, strtoull(w + 6, NULL, 10));
    else if (!strncmp(w, "with=", 5))
      put_number(&n, 4, strtoull(w + 5, NULL, 10));
    else
      put_attribute(&n, w);
  }
  put_bytes(file, 0, n.byte, n.size);
}

static struct text begin(void) {
  struct text file = {.size = 0};
  struct text global = {.size = 0};
  put_bytes(&global, 1, "0.0.4", 5);
  put_bytes(&file, 0, global.byte, global.size);
  return file;
}

/* A name in the scratch folder of a test. */
struct name {
  char text[120];
};

static struct name in(const char *folder, const char *file, unsigned rank) {
  struct name name;
  snprintf(name.text, sizeof name.text, "%s/%s.%u.et", folder, file, rank);
  return name;
}

static void save_rank(const char *folder, const char *prefix, unsigned rank,
                      const struct text *file) {
  scratch_write_bytes(in(folder, prefix, rank).text, file->byte, file->size);
}

static bool read_files(struct loom_chakra *c, const struct text *file, uint32_t ranks,
                       const struct loom_chakra_cfg *cfg, struct loom_error *err) {
  static const char *const names[] = {"x.0.et", "x.1.et", "x.2.et", "x.3.et", "x.4.et", "x.5.et"};
  struct loom_source src[RANKS] = {{.name = NULL}};
  for (uint32_t r = 0; r < ranks; r++)
    assert_true(loom_source_copy(&src[r], names[r], file[r].byte, file[r].size));
  bool ok = loom_read_chakra_sources(c, src, ranks, cfg, err);
  for (uint32_t r = 0; r < ranks; r++)
    loom_source_free(&src[r]);
  return ok;
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void nodes_are_read_with_what_they_wait_for(void **state) {
  (void)state;
  struct text file[2] = {begin(), begin()};
  struct loom_chakra c;
  struct loom_error err = {.line = ""};
  const struct loom_chakra_cfg cfg = {.dimensions = 0};
  put_node(&file[0], 7, COMP, "us=3 after=1000000 with=9 with=1000000 is_cpu_op=1");
  put_node(&file[0], 9, META, "us=8");
  put_node(&file[0], 1000000, SEND, "comm_src=0 comm_dst=1 comm_size=300 comm_tag=5 after=9");
  put_node(&file[1], 0, RECV, "comm_src=0 comm_size=300 comm_tag=5");
  put_node(&file[1], 1, LOAD, "us=2 with=0");
  assert_true(read_files(&c, file, 2, &cfg, &err));
  assert_int_equal(c.graph.nodes, 5);
  assert_int_equal(c.graph.edges, 4); /* one that is in both lists is one */
  assert_int_equal(c.graph.node[0].time, 3000);
  assert_int_equal(c.graph.node[1].time, 0);
  assert_int_equal(c.graph.node[2].kind, LOOM_VEF_SEND);
  assert_int_equal(c.graph.node[2].bytes, 300);
  assert_int_equal(c.graph.node[2].peer, 1);
  assert_int_equal(c.graph.node[2].tag, 5);
  assert_int_equal(c.graph.node[3].kind, LOOM_VEF_RECV);
  assert_int_equal(c.graph.node[3].rank, 1);
  assert_int_equal(c.graph.node[4].time, 2000);
  assert_int_equal(c.id[2], 1000000);
  loom_chakra_free(&c);
}

/* comm_size = 200 as each kind of number that there is. */
static void numbers_may_have_any_kind(void **state) {
  (void)state;
  static const struct {
    uint8_t field, form, bytes;
    uint64_t value;
  } kinds[] = {{7, 0, 0, 200},  {9, 0, 0, 200},  {11, 0, 0, 200}, {13, 0, 0, 200}, {15, 0, 0, 400},
               {17, 0, 0, 400}, {19, 5, 4, 200}, {21, 1, 8, 200}, {23, 5, 4, 200}, {25, 1, 8, 200}};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct text file = begin();
    struct text node = {.size = 0};
    struct text a = {.size = 0};
    struct loom_chakra c;
    struct loom_error err = {.line = ""};
    const struct loom_chakra_cfg cfg = {.dimensions = 0};
    put_bytes(&a, 1, "comm_size", 9);
    put(&a, (unsigned)kinds[i].field << 3 | kinds[i].form);
    for (unsigned b = 0; b < kinds[i].bytes; b++)
      a.byte[a.size++] = (char)(kinds[i].value >> 8 * b);
    if (!kinds[i].bytes)
      put(&a, kinds[i].value);
    put_number(&node, 3, SEND);
    put_attribute(&node, "comm_dst=0");
    put_bytes(&node, 10, a.byte, a.size);
    put_bytes(&file, 0, node.byte, node.size);
    assert_true(read_files(&c, &file, 1, &cfg, &err));
    assert_int_equal(c.graph.node[0].bytes, 200);
    loom_chakra_free(&c);
  }
}

/* Packed, as writers of proto3 do it. */
static void lists_may_be_packed(void **state) {
  (void)state;
  struct text file = begin();
  struct text node = {.size = 0};
  struct loom_chakra c;
  struct loom_error err = {.line = ""};
  const struct loom_chakra_cfg cfg = {.dimensions = 0};
  put_node(&file, 1, COMP, "");
  put_node(&file, 300, COMP, "");
  put_number(&node, 1, 2);
  put_number(&node, 3, COMP);
  put_bytes(&node, 5, "\x01\xac\x02", 3);
  put_bytes(&file, 0, node.byte, node.size);
  assert_true(read_files(&c, &file, 1, &cfg, &err));
  assert_int_equal(c.graph.edges, 2);
  assert_int_equal(c.graph.edge[1].on, 1);
  loom_chakra_free(&c);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void collectives_become_those_of_traces(void **state) {
  (void)state;
  static const struct {
    const char *words;
    uint8_t op;
    uint32_t block;
  } all[] = {{"comm_type=0 comm_size=10", LOOM_VEF_ALLREDUCE, 10},
             {"comm_type=1 comm_size=10", LOOM_VEF_REDUCE, 10},
             {"comm_type=2 comm_size=10", LOOM_VEF_ALLGATHER, 10},
             {"comm_type=3 comm_size=10", LOOM_VEF_GATHER, 10},
             {"comm_type=4 comm_size=10", LOOM_VEF_SCATTER, 4},
             {"comm_type=5 comm_size=10", LOOM_VEF_BROADCAST, 10},
             {"comm_type=6 comm_size=10", LOOM_VEF_ALLTOALL, 4},
             {"comm_type=7 comm_size=10", LOOM_VEF_ALLTOALL, 4},
             {"comm_type=8 comm_size=10", LOOM_VEF_ALLTOALL, 4},
             {"comm_type=9 comm_size=10", LOOM_VEF_BARRIER, 0}};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
    struct text file[3] = {begin(), begin(), begin()};
    struct loom_chakra c;
    struct loom_error err = {.line = ""};
    const struct loom_chakra_cfg cfg = {.dimensions = 0};
    for (unsigned r = 0; r < 3; r++)
      put_node(&file[r], r, COLL, all[i].words);
    assert_true(read_files(&c, file, 3, &cfg, &err));
    assert_int_equal(c.graph.joints, 1);
    assert_int_equal(c.graph.joint[0].op, all[i].op);
    assert_int_equal(c.graph.joint[0].block, all[i].block);
    assert_int_equal(c.graph.joint[0].root, 0);
    loom_chakra_free(&c);
  }
}

/* The ranks that share collectives, as digits, one group after the other. */
static void assert_groups(const char *const words[RANKS], const struct loom_chakra_cfg *cfg,
                          const char *groups) {
  struct text file[RANKS];
  struct loom_chakra c;
  struct loom_error err = {.line = ""};
  char found[80] = "";
  for (unsigned r = 0; r < RANKS; r++) {
    file[r] = begin();
    put_node(&file[r], r, COLL, words[r]);
  }
  assert_true(read_files(&c, file, RANKS, cfg, &err));
  for (uint32_t j = 0; j < c.graph.joints; j++) {
    snprintf(found + strlen(found), sizeof found - strlen(found), j ? " " : "");
    for (uint32_t i = 0; i < c.graph.nodes; i++)
      if (c.graph.node[i].peer == j)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%u", c.graph.node[i].rank);
  }
  assert_string_equal(found, groups);
  loom_chakra_free(&c);
}

static void groups_are_the_ranks_of_a_name_or_of_dimensions(void **state) {
  (void)state;
#define ALL(more) "comm_type=0 comm_size=8" more
#define SAME(more)                                                                                 \
  { ALL(more), ALL(more), ALL(more), ALL(more), ALL(more), ALL(more) }
  static const char
      *const all[] = SAME(""),
             *const zero[] = SAME(" pg_name=0"), *const every[] = SAME(" involved_dim=11"),
             *const first[] = SAME(" involved_dim=10"), *const second[] = SAME(" involved_dim=01"),
             *const named[] = {ALL(" pg_name=1"),  ALL(" pg_name=17"), ALL(" pg_name=1"),
                               ALL(" pg_name=17"), ALL(" pg_name=17"), ALL(" pg_name=x")};
#undef SAME
#undef ALL
  const struct loom_chakra_cfg flat = {.dimensions = 0};
  const struct loom_chakra_cfg grid = {.dimensions = 2, .grid = {3, 2}};
  assert_groups(all, &flat, "012345");
  assert_groups(zero, &flat, "012345");
  assert_groups(every, &flat, "012345");
  assert_groups(every, &grid, "012345");
  assert_groups(first, &grid, "012 345");
  assert_groups(second, &grid, "03 14 25");
  assert_groups(named, &flat, "02 134 5");
}

/* ---- a ring ---------------------------------------------------------------------------------- */

/* An all-reduce around a ring as messages: 2 (n - 1) times a piece goes to the next rank. */
static void put_ring(struct text *file, FILE *goal, unsigned rank) {
  char words[120];
  const unsigned piece = BYTES / RANKS;
  unsigned next = (rank + 1) % RANKS;
  unsigned last = (rank + RANKS - 1) % RANKS;
  fprintf(goal, "rank %u {\nc: calc 5000\n", rank);
  *file = begin();
  put_node(file, 0, COMP, "us=5");
  for (unsigned s = 0; s < 2 * (RANKS - 1); s++) {
    snprintf(words, sizeof words, "comm_dst=%u comm_size=%u comm_tag=%u after=%u", next, piece, s,
             2 * s);
    put_node(file, 2 * s + 1, SEND, words);
    snprintf(words, sizeof words, "comm_src=%u comm_size=%u comm_tag=%u after=%u", last, piece, s,
             2 * s + 1);
    put_node(file, 2 * s + 2, RECV, words);
    fprintf(goal, "s%u: send %ub to %u tag %u\n", s, piece, next, s);
    fprintf(goal, "r%u: recv %ub from %u tag %u\n", s, piece, last, s);
    if (s)
      fprintf(goal, "s%u requires r%u\n", s, s - 1);
    else
      fprintf(goal, "s0 requires c\n");
    fprintf(goal, "r%u requires s%u\n", s, s);
  }
  fprintf(goal, "}\n");
}

/* What a replay of a trace of the folder says. */
static int64_t cycles_of(const char *folder, const char *trace, bool names, const char *options) {
  char line[400] = "";
  char tiles[120] = "";
  if (names)
    snprintf(tiles, sizeof tiles, "--names %s/%s.names", folder, trace);
  snprintf(line, sizeof line, "vef replay %s/%s.vef %s --collectives ring %s --json", folder, trace,
           tiles, options);
  json_t *root = run_json(line);
  int64_t cycles = count_of(root, "cycles");
  json_decref(root);
  return cycles;
}

/* `form` with the folder in the place of each @. */
static void spread(char *line, size_t size, const char *form, const char *folder) {
  for (*line = 0; *form; form++) {
    size_t used = strlen(line);
    snprintf(line + used, size - used, *form == '@' ? "%s" : "%.1s", *form == '@' ? folder : form);
  }
}

static void import(const char *folder, const char *form) {
  char line[300];
  spread(line, sizeof line, form, folder);
  struct outcome o = loom(line);
  assert_string_equal(o.err, "");
  assert_int_equal(o.status, 0);
  drop(&o);
}

static void write_rings(const char *folder) {
  struct text file;
  char name[120];
  snprintf(name, sizeof name, "%s/goal.goal", folder);
  FILE *goal = fopen(name, "w");
  assert_non_null(goal);
  fprintf(goal, "num_ranks %d\n", RANKS);
  for (unsigned r = 0; r < RANKS; r++) {
    put_ring(&file, goal, r);
    save_rank(folder, "ring", r, &file);
    file = begin();
    put_node(&file, 0, COMP, "us=5");
    put_node(&file, 1, COLL, "comm_type=0 comm_size=6000 after=0");
    save_rank(folder, "whole", r, &file);
  }
  fclose(goal);
}

static void remove_files(const char *folder, const char *const files[], size_t count) {
  char name[120];
  for (size_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, files[i]);
    assert_int_equal(remove(name), 0);
  }
}

/* Nodes for each message, a node for the whole, GOAL, and a trace of the generator. */
static void a_ring_takes_as_long_in_every_form(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  scratch_make(folder);
  write_rings(folder);
  import(folder, "vef import goal @/goal.goal -o @/goal.vef");
  import(folder, "vef import chakra @/ring -o @/ring.vef");
  import(folder, "vef import chakra @/whole -o @/whole.vef");
  import(folder,
         "vef generate allreduce --tasks 6 --rounds 1 --bytes 6000 --compute 0 -o @/made.vef");
  static const char *const networks[] = {"", "--latency 7", "--latency 300 --bandwidth 4"};
  static const int64_t steps[] = {0, 10 * 7, 10 * (300 + 250)};
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(cycles_of(folder, "goal", true, networks[i]), 5000 + steps[i]);
    assert_int_equal(cycles_of(folder, "ring", true, networks[i]), 5000 + steps[i]);
    assert_int_equal(cycles_of(folder, "whole", true, networks[i]), 5000 + steps[i]);
    assert_int_equal(cycles_of(folder, "made", false, networks[i]), steps[i]);
  }
  static const char *const left[] = {"goal.goal",  "goal.vef",  "goal.names",  "ring.vef",
                                     "ring.names", "whole.vef", "whole.names", "made.vef"};
  remove_files(folder, left, sizeof left / sizeof left[0]);
  for (unsigned r = 0; r < RANKS; r++) {
    assert_int_equal(remove(in(folder, "ring", r).text), 0);
    assert_int_equal(remove(in(folder, "whole", r).text), 0);
  }
  assert_int_equal(remove(folder), 0);
}

/* Four ranks: forward 100, a sum over pairs, backward 120 and 80 with a sum over the other pairs
 * beside the second, another one, 10. Around a ring of two a sum is two steps. */
static void a_step_of_training_takes_what_its_longest_way_takes(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  scratch_make(folder);
  import(folder, "vef import chakra vectors/vef/train -o @/train.vef");
  assert_int_equal(cycles_of(folder, "train", true, ""), 310000);
  assert_int_equal(cycles_of(folder, "train", true, "--latency 10000"), 350000);
  assert_int_equal(cycles_of(folder, "train", true, "--latency 100000"), 710000);
  static const char *const left[] = {"train.vef", "train.names"};
  remove_files(folder, left, 2);
  assert_int_equal(remove(folder), 0);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void wrong_nodes_are_refused_by_file_and_node(void **state) {
  (void)state;
  static const struct {
    unsigned type;
    const char *words, *error;
  } bad[] = {
      {11, "", "x.1.et:0: node 5: type is none of the schema"},
      {COMP, "us=999999999999", "x.1.et:0: node 5: duration_micros is longer than a trace can say"},
      {COMP, "after=5", "x.1.et:0: node 5: deps name node 5, which is itself"},
      {COMP, "with=9", "x.1.et:0: node 5: deps name node 9, which is not in this file"},
      {SEND, "comm_dst=0", "x.1.et:0: node 5: comm_size is missing"},
      {SEND, "comm_size=1", "x.1.et:0: node 5: comm_dst is missing"},
      {SEND, "comm_size=1 comm_dst=2", "x.1.et:0: node 5: comm_dst is above 1"},
      {SEND, "comm_size=1 comm_dst=0 comm_src=0",
       "x.1.et:0: node 5: comm_src is not the rank of this file"},
      {RECV, "comm_size=1 comm_src=0 comm_dst=0",
       "x.1.et:0: node 5: comm_dst is not the rank of this file"},
      {SEND, "comm_size=4294967296 comm_dst=0", "x.1.et:0: node 5: comm_size is above 4294967295"},
      {SEND, "comm_size=1 comm_size=1", "x.1.et:0: node 5: comm_size stands twice"},
      {SEND, "comm_size=18446744073709551615",
       "x.1.et:0: node 5: comm_size is no whole number from 0 on"},
      {COLL, "comm_size=1", "x.1.et:0: node 5: comm_type is missing"},
      {COLL, "comm_type=10 comm_size=1", "x.1.et:0: node 5: comm_type is above 9"},
      {COLL, "comm_type=0", "x.1.et:0: node 5: comm_size is missing"},
      {COLL, "comm_type=1 comm_size=64",
       "x.1.et:0: node 5: comm_type is another one than that of the first rank"},
      {COLL, "comm_type=0 comm_size=65",
       "x.1.et:0: node 5: comm_size is another one than that of the first rank"},
      {COLL, "comm_type=0 comm_size=64 involved_dim=01",
       "x.1.et:0: node 5: involved_dim leaves dimensions out: --grid must say how large they are"},
      {COLL, "comm_type=0 comm_size=64 involved_dim=11111111111111111",
       "x.1.et:0: node 5: involved_dim has more than 16 dimensions"},
      {COMP, "involved_dim=1 involved_dim=1", "x.1.et:0: node 5: involved_dim stands twice"},
      {COMP, "pg_name=a pg_name=b", "x.1.et:0: node 5: pg_name stands twice"},
      {COMP, "",
       "x.0.et:0: node 3: comm_type is a collective that other ranks of its group do "
       "not have"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct text file[2] = {begin(), begin()};
    struct loom_chakra c;
    struct loom_error err = {.line = ""};
    const struct loom_chakra_cfg cfg = {.dimensions = 0};
    put_node(&file[0], 3, COLL, "comm_type=0 comm_size=64");
    put_node(&file[1], 5, bad[i].type, bad[i].words);
    assert_false(read_files(&c, file, 2, &cfg, &err));
    assert_string_equal(err.line, bad[i].error);
  }
}

static void wrong_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *error;
  } bad[] = {
      {"", 0, "x.0.et:0: byte 0: does not begin a GlobalMetadata"},
      {"\x02\x08\x01", 3, "x.0.et:0: byte 0: does not begin a GlobalMetadata"},
      {"\x00", 1, "x.0.et:0: file: has no node: it may be cut short"},
      {"\x00\x02\x08", 3, "x.0.et:0: byte 1: begins a node that is cut short"},
      {"\x00\x02\x08\x80", 4, "x.0.et:0: byte 2: begins no field of a node"},
      {"\x00\x02\x0b\x01", 4, "x.0.et:0: byte 2: begins no field of a node"},
      {"\x00\x02\x0a\x00", 4, "x.0.et:0: byte 2: begins no field of a node"},
      {"\x00\x02\x18\x04\x02\x18\x04", 7, "x.0.et:0: node 0: id stands twice"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct text file = {.size = bad[i].size};
    struct loom_chakra c;
    struct loom_error err = {.line = ""};
    const struct loom_chakra_cfg cfg = {.dimensions = 0};
    memcpy(file.byte, bad[i].bytes, bad[i].size);
    assert_false(read_files(&c, &file, 1, &cfg, &err));
    assert_string_equal(err.line, bad[i].error);
  }
}

/* `loom` with these arguments refuses them so; @ is the folder. */
static void refused_in(const char *folder, const char *arguments, const char *error) {
  char line[300];
  char said[300];
  spread(line, sizeof line, arguments, folder);
  spread(said, sizeof said, error, folder);
  assert_refused(line, said);
}

static void the_command_refuses_what_is_missing(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  struct text file = begin();
  scratch_make(folder);
  put_node(&file, 4, RECV, "comm_src=2 comm_size=9");
  save_rank(folder, "x", 0, &file);
  save_rank(folder, "x", 2, &file);
  refused_in(folder, "vef import chakra @/x -o @/y.vef",
             "@/x.1.et:0: file: cannot open: No such file or directory");
  save_rank(folder, "x", 1, &file);
  refused_in(folder, "vef import chakra @/x -o @/y.vef",
             "@/x.0.et:0: node 4: recv nobody sends this message");
  refused_in(folder, "vef import chakra @/x --grid 2x2 -o @/y.vef",
             "@/x.0.et:0: grid: has not as many places as there are files");
  for (unsigned r = 0; r < 3; r++)
    assert_int_equal(remove(in(folder, "x", r).text), 0);
  refused_in(folder, "vef import chakra @/x -o @/y.vef",
             "@/x.0.et:0: file: cannot open: No such file or directory");
  refused_in(folder, "vef import chakra @/gone/x -o @/y.vef",
             "@/gone/x:0: file: cannot look for it: No such file or directory");
  refused_in(folder, "vef import goal @/x --grid 2x2 -o @/y.vef",
             "loom vef import: --grid: is for chakra");
  assert_int_equal(remove(folder), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_read_with_what_they_wait_for),
      cmocka_unit_test(numbers_may_have_any_kind),
      cmocka_unit_test(lists_may_be_packed),
      cmocka_unit_test(collectives_become_those_of_traces),
      cmocka_unit_test(groups_are_the_ranks_of_a_name_or_of_dimensions),
      cmocka_unit_test(a_ring_takes_as_long_in_every_form),
      cmocka_unit_test(a_step_of_training_takes_what_its_longest_way_takes),
      cmocka_unit_test(wrong_nodes_are_refused_by_file_and_node),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(the_command_refuses_what_is_missing),
  };
  return UNIT_RUN("chakra", tests, NULL, NULL);
}
