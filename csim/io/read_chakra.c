/* SPDX-License-Identifier: Apache-2.0 */
/* read_chakra.c - execution traces of MLCommons Chakra (docs/formats.md)
 *
 * A file is read node by node; then what its nodes wait for is looked up. What ranks do together is
 * found once all files are read. */
#define _GNU_SOURCE /* strdup, strndup */

#include "io/read_chakra.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { US_NS = 1000, NS_PS = 1000, NAME_ROOM = 32 };
enum { GLOBAL_VERSION = 1, GLOBAL_ATTRIBUTE = 2 };

/* CollectiveCommType of the schema. */
enum {
  ALL_REDUCE,
  REDUCE,
  ALL_GATHER,
  GATHER,
  SCATTER,
  BROADCAST,
  ALL_TO_ALL,
  REDUCE_SCATTER,
  REDUCE_SCATTER_BLOCK,
  BARRIER,
  COMM_TYPES
};

/* Ranks that have collectives: all, those of a pg_name, or of some dimensions of the grid. */
struct group {
  char *name;              /* of pg_name, owned; NULL: none */
  uint32_t involved, base; /* dimensions, the rank that is 0 in these; 0, 0: none */
  uint32_t ranks;          /* that have one */
  uint32_t turns;          /* collectives of the rank that is read */
  uint32_t rank;           /* it */
};

/* A rank's part in a collective. */
struct part {
  uint32_t group, turn, node;
  uint32_t type;
  uint32_t bytes;
};

/* A node of the rank that is read. */
struct place {
  uint64_t id;
  uint32_t node;
};

/* A node waits for another one, whose place is not known yet. */
struct wait {
  uint64_t id;
  uint32_t node;
};

struct reader {
  struct loom_chakra *c;
  const struct loom_chakra_cfg *cfg;
  struct loom_error *err;
  uint32_t rank;                /* that is read */
  struct loom_chakra_node node; /* likewise */
  struct group *group;
  struct part *part;
  struct place *place;
  struct wait *wait;
  size_t groups, parts, places, waits;
  size_t group_room, part_room, place_room, wait_room;
};

static bool no_memory(const struct reader *r) {
  return loom_fail(r->err, r->c->name[r->rank], 0, "file", "out of memory");
}

static bool refuse(const struct reader *r, const char *key, const char *message) {
  return loom_chakra_fail(r->c->name[r->rank], r->node.id, key, r->err, "%s", message);
}

/* Of a node that was read before. */
static bool refuse_node(const struct reader *r, uint32_t node, const char *key,
                        const char *message) {
  uint32_t rank = r->c->graph.node[node].rank;
  return loom_chakra_fail(r->c->name[rank], r->c->id[node], key, r->err, "%s", message);
}

/* Room for one more of a list. */
static bool grow(const struct reader *r, void *list, size_t size, size_t count, size_t *room) {
  void **at = list;
  if (count < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  void *grown = realloc(*at, more * size);
  if (!grown)
    return no_memory(r);
  *at = grown;
  *room = more;
  return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The rank that stands where this one does in the dimensions that are not involved, and at 0 in
 * those that are. */
static uint32_t base_of(const struct reader *r, uint32_t involved) {
  uint32_t base = r->rank;
  uint32_t stride = 1;
  for (uint32_t d = 0; d < r->cfg->dimensions; stride *= r->cfg->grid[d++])
    if (involved >> d & 1)
      base -= r->rank / stride % r->cfg->grid[d] * stride;
  return base;
}

/* The dimensions of the node, if they leave ranks out. */
static bool take_dimensions(const struct reader *r, struct group *key) {
  const struct loom_chakra_node *n = &r->node;
  uint32_t all = (UINT32_C(1) << n->dimensions) - 1;
  if (n->involved == all)
    return true;
  if (!r->cfg->dimensions)
    return refuse(r, "involved_dim", "leaves dimensions out: --grid must say how large they are");
  if (n->dimensions < r->cfg->dimensions)
    return refuse(r, "involved_dim", "has fewer dimensions than the grid");
  all = (UINT32_C(1) << r->cfg->dimensions) - 1;
  if ((n->involved & all) == all)
    return true;
  key->involved = n->involved & all;
  key->base = base_of(r, key->involved);
  return true;
}

/* The default group of PyTorch has all ranks and is number 0. */
static bool has_name(const struct loom_chakra_node *n) {
  return n->group.at && n->group.at < n->group.end && !loom_wire_is(&n->group, "0");
}

static bool is_group(const struct reader *r, const struct group *g, const struct group *key,
                     bool named) {
  return g->involved == key->involved && g->base == key->base && named == (g->name != NULL) &&
         (!named || loom_wire_is(&r->node.group, g->name));
}

/* The group of the node. */
static bool find_group(struct reader *r, uint32_t *group) {
  struct group key = {.rank = LOOM_VEF_NONE};
  bool named = has_name(&r->node);
  if (named && memchr(r->node.group.at, 0, (size_t)(r->node.group.end - r->node.group.at)))
    return refuse(r, "pg_name", "has a NUL in it");
  if (!named && !take_dimensions(r, &key))
    return false;
  for (*group = 0; *group < r->groups; ++*group)
    if (is_group(r, &r->group[*group], &key, named))
      return true;
  const struct loom_wire *text = &r->node.group;
  key.name = named ? strndup(text->at, (size_t)(text->end - text->at)) : NULL;
  if (named && !key.name)
    return no_memory(r);
  if (!grow(r, &r->group, sizeof *r->group, r->groups, &r->group_room)) {
    free(key.name);
    return false;
  }
  r->group[r->groups++] = key;
  return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A number that must be there, up to `max`. */
static bool take_number(const struct reader *r, enum loom_chakra_number number, uint64_t max,
                        uint32_t *value) {
  const char *key = loom_chakra_number_names[number];
  if (!r->node.number[number].given)
    return refuse(r, key, "is missing");
  *value = (uint32_t)r->node.number[number].value;
  return r->node.number[number].value <= max ||
         loom_chakra_fail(r->c->name[r->rank], r->node.id, key, r->err, "is above %" PRIu64, max);
}

/* One that may be missing: it is `usual` then. */
static bool take_optional(const struct reader *r, enum loom_chakra_number number, uint64_t max,
                          uint32_t usual, uint32_t *value) {
  *value = usual;
  return !r->node.number[number].given || take_number(r, number, max, value);
}

static bool take_message(const struct reader *r, struct loom_vef_node *node) {
  bool send = r->node.type == LOOM_CHAKRA_SEND;
  enum loom_chakra_number own = send ? LOOM_CHAKRA_COMM_SRC : LOOM_CHAKRA_COMM_DST;
  enum loom_chakra_number other = send ? LOOM_CHAKRA_COMM_DST : LOOM_CHAKRA_COMM_SRC;
  uint32_t last = r->c->graph.ranks - 1;
  uint32_t self = r->rank;
  node->kind = send ? LOOM_VEF_SEND : LOOM_VEF_RECV;
  if (!take_number(r, LOOM_CHAKRA_COMM_SIZE, UINT32_MAX, &node->bytes) ||
      !take_number(r, other, last, &node->peer) || !take_optional(r, own, last, self, &self) ||
      !take_optional(r, LOOM_CHAKRA_COMM_TAG, UINT32_MAX, 0, &node->tag))
    return false;
  return self == r->rank ||
         refuse(r, loom_chakra_number_names[own], "is not the rank of this file");
}

/* The n-th collective of a group in a file belongs to the n-th in those of the others. */
static bool take_part(struct reader *r, struct loom_vef_node *node) {
  struct part p = {.node = r->c->graph.nodes};
  node->kind = LOOM_VEF_PART;
  if (!take_number(r, LOOM_CHAKRA_COMM_TYPE, COMM_TYPES - 1, &p.type) ||
      !(p.type == BARRIER ? true : take_number(r, LOOM_CHAKRA_COMM_SIZE, UINT32_MAX, &p.bytes)) ||
      !find_group(r, &p.group) || !grow(r, &r->part, sizeof *r->part, r->parts, &r->part_room))
    return false;
  struct group *g = &r->group[p.group];
  if (g->rank != r->rank) {
    g->rank = r->rank;
    g->turns = 0;
    g->ranks++;
  }
  p.turn = g->turns++;
  r->part[r->parts++] = p;
  return true;
}

static bool take_operation(struct reader *r, struct loom_vef_node *node) {
  switch (r->node.type) {
  case LOOM_CHAKRA_SEND:
  case LOOM_CHAKRA_RECV:
    return take_message(r, node);
  case LOOM_CHAKRA_COLL:
    return take_part(r, node);
  case LOOM_CHAKRA_INVALID:
  case LOOM_CHAKRA_METADATA:
    return true;
  default:
    if (r->node.micros > LOOM_VEF_DTIME_MAX / US_NS)
      return refuse(r, "duration_micros", "is longer than a trace can say");
    node->time = r->node.micros * US_NS;
    return true;
  }
}

static bool take_waits(struct reader *r) {
  for (size_t i = 0; i < r->node.deps; i++) {
    if (!grow(r, &r->wait, sizeof *r->wait, r->waits, &r->wait_room))
      return false;
    r->wait[r->waits++] = (struct wait){r->node.dep[i], r->c->graph.nodes};
  }
  return true;
}

static bool take_node(struct reader *r, const struct loom_source *src, struct loom_wire message) {
  uint32_t index = r->c->graph.nodes;
  struct loom_vef_node node = {.rank = r->rank, .line = index};
  if (!loom_chakra_node_read(&r->node, src, message, r->err) || !take_operation(r, &node) ||
      !take_waits(r) || !grow(r, &r->place, sizeof *r->place, r->places, &r->place_room) ||
      !grow(r, &r->c->id, sizeof *r->c->id, index, &r->c->id_room))
    return false;
  r->place[r->places++] = (struct place){r->node.id, index};
  r->c->id[index] = r->node.id;
  return loom_vef_graph_node(&r->c->graph, &node) || no_memory(r);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
  const struct place *p = a;
  const struct place *q = b;
  if (p->id != q->id)
    return p->id < q->id ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

static int is_id(const void *key, const void *element) {
  uint64_t id = *(const uint64_t *)key;
  const struct place *p = element;
  return id < p->id ? -1 : id > p->id;
}

/* Nodes of a file may wait for others that stand below them. */
static bool find_edges(const struct reader *r) {
  qsort(r->place, r->places, sizeof *r->place, by_id);
  for (size_t i = 1; i < r->places; i++)
    if (r->place[i - 1].id == r->place[i].id)
      return refuse_node(r, r->place[i].node, "id", "stands twice");
  for (size_t i = 0; i < r->waits; i++) {
    const struct wait *w = &r->wait[i];
    const struct place *on = bsearch(&w->id, r->place, r->places, sizeof *r->place, is_id);
    if (!on || on->node == w->node)
      return loom_chakra_fail(r->c->name[r->rank], r->c->id[w->node], "deps", r->err,
                              "name node %" PRIu64 ", which is %s", w->id,
                              on ? "itself" : "not in this file");
    struct loom_vef_edge edge = {.node = w->node, .on = on->node};
    if (!loom_vef_graph_edge(&r->c->graph, &edge))
      return no_memory(r);
  }
  return true;
}

/* The message that every file begins with. Nothing of it is kept. */
static bool take_metadata(const struct reader *r, const struct loom_source *src,
                          struct loom_wire *file) {
  struct loom_wire message = {file->at, file->at};
  struct loom_wire_field field = {.number = 0};
  bool ok = loom_wire_bytes(file, &message);
  while (ok && message.at < message.end)
    ok = loom_wire_field(&message, &field) && field.form == LOOM_WIRE_BYTES &&
         (field.number == GLOBAL_VERSION || field.number == GLOBAL_ATTRIBUTE);
  return ok || loom_chakra_fail_at(src, src->text, "does not begin a GlobalMetadata", r->err);
}

static bool take_file(struct reader *r, const struct loom_source *src) {
  struct loom_wire file = {src->text, src->text + src->size};
  struct loom_wire message = file;
  r->places = r->waits = 0;
  if (!take_metadata(r, src, &file))
    return false;
  while (file.at < file.end) {
    struct loom_wire at = file;
    if (!loom_wire_bytes(&file, &message))
      return loom_chakra_fail_at(src, at.at, "begins a node that is cut short", r->err);
    if (!take_node(r, src, message))
      return false;
  }
  if (!r->places)
    return loom_fail(r->err, src->name, 0, "file", "has no node: it may be cut short");
  return find_edges(r);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static int by_turn(const void *a, const void *b) {
  const struct part *p = a;
  const struct part *q = b;
  if (p->group != q->group)
    return p->group < q->group ? -1 : 1;
  if (p->turn != q->turn)
    return p->turn < q->turn ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

/* comm_size counts what a rank gives; of some operations that is what is for all others together.
 */
static struct loom_vef_joint joint_of(const struct reader *r, const struct part *p,
                                      uint32_t ranks) {
  static const struct {
    uint8_t op;
    bool shared;
  } kinds[COMM_TYPES] = {[ALL_REDUCE] = {LOOM_VEF_ALLREDUCE, false},
                         [REDUCE] = {LOOM_VEF_REDUCE, false},
                         [ALL_GATHER] = {LOOM_VEF_ALLGATHER, false},
                         [GATHER] = {LOOM_VEF_GATHER, false},
                         [SCATTER] = {LOOM_VEF_SCATTER, true},
                         [BROADCAST] = {LOOM_VEF_BROADCAST, false},
                         [ALL_TO_ALL] = {LOOM_VEF_ALLTOALL, true},
                         [REDUCE_SCATTER] = {LOOM_VEF_ALLTOALL, true},
                         [REDUCE_SCATTER_BLOCK] = {LOOM_VEF_ALLTOALL, true},
                         [BARRIER] = {LOOM_VEF_BARRIER, false}};
  uint64_t block = p->bytes;
  if (kinds[p->type].shared)
    block = (block + ranks - 1) / ranks;
  return (struct loom_vef_joint){
      .op = kinds[p->type].op, .root = r->c->graph.node[p->node].rank, .block = (uint32_t)block};
}

/* Parts [from, to) have one group and turn. */
static bool add_joint(const struct reader *r, size_t from, size_t to) {
  const struct part *first = &r->part[from];
  uint32_t ranks = (uint32_t)(to - from);
  if (ranks != r->group[first->group].ranks)
    return refuse_node(r, first->node, "comm_type",
                       "is a collective that other ranks of its group do not have");
  for (size_t i = from; i < to; i++) {
    const struct part *p = &r->part[i];
    if (p->type != first->type)
      return refuse_node(r, p->node, "comm_type", "is another one than that of the first rank");
    if (p->bytes != first->bytes)
      return refuse_node(r, p->node, "comm_size", "is another one than that of the first rank");
    r->c->graph.node[p->node].peer = r->c->graph.joints;
  }
  struct loom_vef_joint joint = joint_of(r, first, ranks);
  return loom_vef_graph_joint(&r->c->graph, &joint) || no_memory(r);
}

static bool find_joints(struct reader *r) {
  if (r->parts)
    qsort(r->part, r->parts, sizeof *r->part, by_turn);
  for (size_t i = 0; i < r->groups; i++) {
    struct group *g = &r->group[i];
    if (!g->name && !g->involved)
      g->ranks = r->c->graph.ranks;
  }
  for (size_t from = 0, to = 0; from < r->parts; from = to) {
    while (to < r->parts && r->part[to].group == r->part[from].group &&
           r->part[to].turn == r->part[from].turn)
      to++;
    if (!add_joint(r, from, to))
      return false;
  }
  return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_grid(const struct reader *r) {
  uint64_t ranks = 1;
  for (uint32_t d = 0; d < r->cfg->dimensions && ranks <= LOOM_VEF_TASKS; d++)
    ranks *= r->cfg->grid[d];
  return !r->cfg->dimensions || ranks == r->c->graph.ranks ||
         loom_fail(r->err, r->c->name[0], 0, "grid", "has not as many places as there are files");
}

static void end(struct reader *r) {
  for (size_t i = 0; i < r->groups; i++)
    free(r->group[i].name);
  free(r->group);
  free(r->part);
  free(r->place);
  free(r->wait);
  loom_chakra_node_free(&r->node);
}

/* Takes the files in memory, or those of the names. */
static bool read_ranks(struct reader *r, const struct loom_source *given) {
  if (!check_grid(r))
    return false;
  for (r->rank = 0; r->rank < r->c->graph.ranks; r->rank++) {
    struct loom_source src = {.name = NULL};
    if (!given && !loom_source_read_bytes(&src, r->c->name[r->rank], r->err))
      return false;
    bool ok = take_file(r, given ? &given[r->rank] : &src);
    loom_source_free(&src);
    if (!ok)
      return false;
  }
  r->rank = 0;
  return find_joints(r);
}

/* Ends what was begun if the files are refused. */
static bool read_all(struct loom_chakra *c, const struct loom_source *given,
                     const struct loom_chakra_cfg *cfg, struct loom_error *err) {
  struct reader r = {.c = c, .cfg = cfg, .err = err};
  bool ok = read_ranks(&r, given);
  end(&r);
  if (!ok)
    loom_chakra_free(c);
  return ok;
}

/* Room for the names of ranks, which are none yet. */
static bool begin(struct loom_chakra *c, uint32_t ranks, const char *name, struct loom_error *err) {
  *c = (struct loom_chakra){.graph = {.ranks = ranks, .clock = NS_PS},
                            .name = calloc((size_t)ranks + 1, sizeof *c->name)};
  return c->name || loom_fail(err, name, 0, "file", "out of memory");
}

bool loom_read_chakra_sources(struct loom_chakra *c, const struct loom_source *src, uint32_t ranks,
                              const struct loom_chakra_cfg *cfg, struct loom_error *err) {
  bool ok = begin(c, ranks, src[0].name, err);
  for (uint32_t r = 0; ok && r < ranks; r++)
    ok = (c->name[r] = strdup(src[r].name)) != NULL ||
         loom_fail(err, src[r].name, 0, "file", "out of memory");
  if (ok)
    return read_all(c, src, cfg, err);
  loom_chakra_free(c);
  return false;
}

void loom_chakra_free(struct loom_chakra *c) {
  for (uint32_t r = 0; c->name && r < c->graph.ranks; r++)
    free(c->name[r]);
  free(c->name);
  free(c->id);
  loom_vef_graph_free(&c->graph);
  *c = (struct loom_chakra){.id = NULL};
}

bool loom_chakra_graph_fail(const struct loom_chakra *c, const struct loom_vef_error *e,
                            struct loom_error *err) {
  if (!e->key)
    return loom_fail(err, c->name[0], 0, "file", "%s", e->message);
  return loom_chakra_fail(c->name[c->graph.node[e->line].rank], c->id[e->line], e->key, err, "%s",
                          e->message);
}

/* ---- names of files -------------------------------------------------------------------------- */

/* The rank of a file `BASE.N.et`; NONE: it is no such file. */
static uint32_t rank_of(const char *file, const char *base) {
  size_t length = strlen(base);
  uint32_t rank = 0;
  char name[NAME_ROOM];
  if (strncmp(file, base, length) != 0)
    return LOOM_VEF_NONE;
  for (const char *at = file + length + (file[length] == '.'); *at >= '0' && *at <= '9'; at++)
    rank = rank < LOOM_VEF_TASKS ? rank * 10 + (uint32_t)(*at - '0') : LOOM_VEF_TASKS;
  snprintf(name, sizeof name, ".%" PRIu32 ".et", rank);
  return !strcmp(file + length, name) ? rank : LOOM_VEF_NONE;
}

/* One more than the largest rank that has a file in the folder: so one that is missing below it is
 * missed. */
static uint32_t look_for_ranks(DIR *dir, const char *base) {
  uint32_t ranks = 1;
  errno = 0;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    uint32_t rank = rank_of(e->d_name, base);
    if (rank != LOOM_VEF_NONE && rank >= ranks)
      ranks = rank + 1;
  }
  return ranks;
}

static bool count_ranks(const char *prefix, uint32_t *ranks, struct loom_error *err) {
  const char *slash = strrchr(prefix, '/');
  char *folder = slash ? strndup(prefix, (size_t)(slash - prefix) + 1) : strdup(".");
  if (!folder)
    return loom_fail(err, prefix, 0, "file", "out of memory");
  DIR *dir = opendir(folder);
  free(folder);
  if (dir)
    *ranks = look_for_ranks(dir, slash ? slash + 1 : prefix);
  int reason = errno;
  if (dir)
    closedir(dir);
  if (!dir || reason)
    return loom_fail(err, prefix, 0, "file", "cannot look for it: %s", strerror(reason));
  return *ranks <= LOOM_VEF_TASKS ||
         loom_fail(err, prefix, 0, "file", "has more than %d ranks", LOOM_VEF_TASKS);
}

static bool make_names(struct loom_chakra *c, const char *prefix, struct loom_error *err) {
  size_t room = strlen(prefix) + NAME_ROOM;
  for (uint32_t r = 0; r < c->graph.ranks; r++) {
    c->name[r] = malloc(room);
    if (!c->name[r])
      return loom_fail(err, prefix, 0, "file", "out of memory");
    snprintf(c->name[r], room, "%s.%" PRIu32 ".et", prefix, r);
  }
  return true;
}

bool loom_read_chakra(struct loom_chakra *c, const char *prefix, const struct loom_chakra_cfg *cfg,
                      struct loom_error *err) {
  uint32_t ranks = 0;
  if (!count_ranks(prefix, &ranks, err) || !begin(c, ranks, prefix, err))
    return false;
  if (make_names(c, prefix, err))
    return read_all(c, NULL, cfg, err);
  loom_chakra_free(c);
  return false;
}
