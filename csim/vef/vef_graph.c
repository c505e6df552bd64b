/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of operations becomes a trace: tasks are chains of nodes, each of which waits for the one
 * before it; other edges are messages of 0 bytes between the tasks of a tile. Collectives stay what
 * they are, with a communicator of the tasks that they fall to (docs/vef.md). */
#include "vef/vef_graph.h"

#include <stdlib.h>
#include <string.h>

/* A message between two nodes: a send and its reception. */
struct end {
  uint32_t from, to, tag, node;
};

struct build {
  const struct loom_vef_graph *g;
  struct loom_vef_error *error;
  uint32_t *pair;      /* by node: of a send its reception, of a reception its send, or NONE */
  uint32_t *in_first;  /* by node: its edges in `in` */
  uint32_t *in;        /* edges by node */
  uint32_t *out_first; /* by node: edges of others to it, in `out` */
  uint32_t *out;       /* edges by what they wait for */
  uint32_t *order;     /* all nodes, each below what it waits for */
  uint32_t *left;      /* by node: what it still waits for */
  uint32_t *task;      /* by node */
  uint32_t *tail;      /* by task: its last node so far, or NONE */
  uint32_t *tile;      /* by task */
  uint32_t *last;      /* by task: its last record that is none for others, or NONE */
  uint32_t *message;   /* by edge: the record that tells of it, or NONE */
  uint32_t *sent;      /* by node: record of a message */
  uint32_t *part;      /* nodes of collectives, by these and then by rank */
  uint32_t *joint;     /* by collective: its nodes in `part` */
  uint32_t *missing;   /* by collective: ranks that cannot begin it yet */
  uint32_t *member;    /* the task of each of `part` */
  uint32_t *comm;      /* by collective: its communicator */
  uint32_t *example;   /* by communicator, of 1..: a collective that has it */
  uint32_t comms;
  size_t members; /* of all communicators */
  uint32_t tasks;
  struct loom_vef_record *record;
  size_t records, room;
};

static bool grow(void *list, size_t size, size_t count, size_t *room) {
  void **at = list;
  if (count < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  void *grown = realloc(*at, more * size);
  if (!grown)
    return false;
  *at = grown;
  *room = more;
  return true;
}

bool loom_vef_graph_node(struct loom_vef_graph *g, const struct loom_vef_node *node) {
  if (g->nodes == LOOM_VEF_ID_MAX || !grow(&g->node, sizeof *g->node, g->nodes, &g->node_room))
    return false;
  g->node[g->nodes++] = *node;
  return true;
}

bool loom_vef_graph_edge(struct loom_vef_graph *g, const struct loom_vef_edge *edge) {
  if (g->edges == LOOM_VEF_ID_MAX || !grow(&g->edge, sizeof *g->edge, g->edges, &g->edge_room))
    return false;
  g->edge[g->edges++] = *edge;
  return true;
}

bool loom_vef_graph_joint(struct loom_vef_graph *g, const struct loom_vef_joint *joint) {
  if (g->joints == LOOM_VEF_ID_MAX || !grow(&g->joint, sizeof *g->joint, g->joints, &g->joint_room))
    return false;
  g->joint[g->joints++] = *joint;
  return true;
}

void loom_vef_graph_free(struct loom_vef_graph *g) {
  free(g->node);
  free(g->edge);
  free(g->joint);
  *g = (struct loom_vef_graph){.ranks = 0};
}

static bool no_memory(struct build *b) {
  *b->error = (struct loom_vef_error){.line = 0, .message = "out of memory"};
  return false;
}

static bool refuse(struct build *b, uint32_t node, const char *key, const char *message) {
  *b->error =
      (struct loom_vef_error){.line = b->g->node[node].line, .key = key, .message = message};
  return false;
}

/* ---- messages -------------------------------------------------------------------------------- */

static int by_end(const void *a, const void *b) {
  const struct end *p = a;
  const struct end *q = b;
  if (p->from != q->from)
    return p->from < q->from ? -1 : 1;
  if (p->to != q->to)
    return p->to < q->to ? -1 : 1;
  if (p->tag != q->tag)
    return p->tag < q->tag ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

static bool same_stream(const struct end *a, const struct end *b) {
  return a->from == b->from && a->to == b->to && a->tag == b->tag;
}

static size_t take_ends(const struct loom_vef_graph *g, uint8_t kind, struct end *end) {
  size_t count = 0;
  for (uint32_t i = 0; i < g->nodes; i++) {
    const struct loom_vef_node *n = &g->node[i];
    bool send = kind == LOOM_VEF_SEND;
    if (n->kind == kind)
      end[count++] = (struct end){send ? n->rank : n->peer, send ? n->peer : n->rank, n->tag, i};
  }
  if (count)
    qsort(end, count, sizeof *end, by_end);
  return count;
}

/* The k-th message of a stream is received by its k-th reception. */
static bool pair_ends(struct build *b, const struct end *send, size_t sends, const struct end *recv,
                      size_t recvs) {
  size_t s = 0;
  for (size_t r = 0; r < recvs; r++) {
    while (s < sends && !same_stream(&send[s], &recv[r]) && by_end(&send[s], &recv[r]) < 0)
      s++;
    if (s == sends || !same_stream(&send[s], &recv[r]))
      return refuse(b, recv[r].node, "recv", "nobody sends this message");
    if (b->g->node[send[s].node].bytes != b->g->node[recv[r].node].bytes)
      return refuse(b, recv[r].node, "recv", "has another size than the message");
    b->pair[recv[r].node] = send[s].node;
    b->pair[send[s++].node] = recv[r].node;
  }
  return true;
}

static bool find_pairs(struct build *b) {
  struct end *send = malloc(((size_t)b->g->nodes + 1) * sizeof *send);
  struct end *recv = malloc(((size_t)b->g->nodes + 1) * sizeof *recv);
  bool ok = send && recv;
  if (ok) {
    size_t sends = take_ends(b->g, LOOM_VEF_SEND, send);
    size_t recvs = take_ends(b->g, LOOM_VEF_RECV, recv);
    ok = pair_ends(b, send, sends, recv, recvs);
  } else {
    no_memory(b);
  }
  free(send);
  free(recv);
  return ok;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void sort_parts(struct build *b) {
  const struct loom_vef_graph *g = b->g;
  memset(b->joint, 0, ((size_t)g->joints + 1) * sizeof *b->joint);
  memset(b->missing, 0, g->joints * sizeof *b->missing);
  for (uint32_t i = 0; i < g->nodes; i++)
    if (g->node[i].kind == LOOM_VEF_PART)
      b->joint[g->node[i].peer + 1]++;
  for (uint32_t c = 0; c < g->joints; c++)
    b->joint[c + 1] += b->joint[c];
  for (uint32_t i = 0; i < g->nodes; i++)
    if (g->node[i].kind == LOOM_VEF_PART)
      b->part[b->joint[g->node[i].peer] + b->missing[g->node[i].peer]++] = i;
}

static uint32_t ranks_of(const struct build *b, uint32_t joint) {
  return b->joint[joint + 1] - b->joint[joint];
}

/* The tasks of a collective. */
struct list {
  const uint32_t *task;
  uint32_t count, joint;
};

/* Some order, in which equal lists stand side by side. */
static int by_tasks(const void *a, const void *b) {
  const struct list *p = a;
  const struct list *q = b;
  if (p->count != q->count)
    return p->count < q->count ? -1 : 1;
  return memcmp(p->task, q->task, p->count * sizeof *p->task);
}

static bool has_all_tasks(const struct build *b, const struct list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->task[i] != i)
      return false;
  return list->count == b->tasks;
}

/* Collectives of the same tasks share a communicator; number 0 has all tasks. */
static bool number_comms(struct build *b, struct list *list) {
  b->comms = 1;
  b->members = b->tasks;
  if (b->g->joints)
    qsort(list, b->g->joints, sizeof *list, by_tasks);
  for (uint32_t i = 0; i < b->g->joints; i++) {
    bool again = i && by_tasks(&list[i - 1], &list[i]) == 0;
    if (has_all_tasks(b, &list[i]))
      b->comm[list[i].joint] = 0;
    else if (again)
      b->comm[list[i].joint] = b->comm[list[i - 1].joint];
    else if (b->comms == LOOM_VEF_COMMS)
      return refuse(b, b->part[b->joint[list[i].joint]], "communicator",
                    "is more than the 65536 that a trace may have");
    else {
      b->example[b->comms] = list[i].joint;
      b->comm[list[i].joint] = b->comms++;
      b->members += list[i].count;
    }
  }
  return true;
}

static bool find_comms(struct build *b) {
  struct list *list = malloc(((size_t)b->g->joints + 1) * sizeof *list);
  if (!list)
    return no_memory(b);
  for (uint32_t k = 0; k < b->joint[b->g->joints]; k++)
    b->member[k] = b->task[b->part[k]];
  for (uint32_t c = 0; c < b->g->joints; c++)
    list[c] = (struct list){b->member + b->joint[c], ranks_of(b, c), c};
  bool ok = number_comms(b, list);
  free(list);
  return ok;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Sorts the edges by their node, or by what it waits for. */
static void sort_edges(const struct loom_vef_graph *g, bool by_on, uint32_t *first,
                       uint32_t *list) {
  memset(first, 0, ((size_t)g->nodes + 1) * sizeof *first);
  for (uint32_t e = 0; e < g->edges; e++)
    first[(by_on ? g->edge[e].on : g->edge[e].node) + 1]++;
  for (uint32_t i = 0; i < g->nodes; i++)
    first[i + 1] += first[i];
  for (uint32_t e = g->edges; e-- > 0;)
    list[--first[(by_on ? g->edge[e].on : g->edge[e].node) + 1]] = e;
  memmove(first, first + 1, g->nodes * sizeof *first);
  first[g->nodes] = g->edges;
}

/* A message must have left before its reception. */
static bool is_received(const struct build *b, uint32_t node) {
  return b->g->node[node].kind == LOOM_VEF_SEND && b->pair[node] != LOOM_VEF_NONE;
}

/* A node waits for nothing more: it comes next, or with the last rank of its collective. */
static uint32_t add_to_order(const struct build *b, uint32_t node, uint32_t known) {
  const struct loom_vef_node *n = &b->g->node[node];
  if (n->kind != LOOM_VEF_PART) {
    b->order[known++] = node;
    return known;
  }
  if (--b->missing[n->peer])
    return known;
  for (uint32_t k = b->joint[n->peer]; k < b->joint[n->peer + 1]; k++)
    b->order[known++] = b->part[k];
  return known;
}

/* Nodes in an order in which all could happen; false: some wait for each other. */
static bool find_order(struct build *b) {
  uint32_t done = 0;
  uint32_t known = 0;
  for (uint32_t i = 0; i < b->g->nodes; i++) {
    b->left[i] = b->in_first[i + 1] - b->in_first[i] + (b->g->node[i].kind == LOOM_VEF_RECV);
    if (!b->left[i])
      known = add_to_order(b, i, known);
  }
  for (; done < known; done++) {
    uint32_t i = b->order[done];
    for (uint32_t k = b->out_first[i]; k < b->out_first[i + 1]; k++) {
      uint32_t next = b->g->edge[b->out[k]].node;
      if (!--b->left[next])
        known = add_to_order(b, next, known);
    }
    if (is_received(b, i) && !--b->left[b->pair[i]])
      known = add_to_order(b, b->pair[i], known);
  }
  for (uint32_t i = 0; done < b->g->nodes && i < b->g->nodes; i++)
    if (b->left[i])
      return refuse(b, i, "requires", "can never come about: operations wait for each other");
  return true;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Whether the node is done once it has begun, or waits until the other one is done. */
static bool waits_for_end(const struct build *b, const struct loom_vef_edge *e) {
  return !e->start || b->g->node[e->on].kind == LOOM_VEF_SEND;
}

/* A task whose last node is one that this node waits for. */
static uint32_t task_of_edge(const struct build *b, uint32_t node) {
  for (uint32_t k = b->in_first[node]; k < b->in_first[node + 1]; k++) {
    const struct loom_vef_edge *e = &b->g->edge[b->in[k]];
    if (waits_for_end(b, e) && b->tail[b->task[e->on]] == e->on)
      return b->task[e->on];
  }
  return LOOM_VEF_NONE;
}

static uint32_t find_task(const struct build *b, uint32_t node) {
  uint32_t rank = b->g->node[node].rank;
  uint32_t found = task_of_edge(b, node);
  for (uint32_t k = b->in_first[node]; found == LOOM_VEF_NONE && k < b->in_first[node + 1]; k++)
    if (waits_for_end(b, &b->g->edge[b->in[k]])) /* what those waited for is done as well */
      found = task_of_edge(b, b->g->edge[b->in[k]].on);
  if (found == LOOM_VEF_NONE && b->tail[rank] == LOOM_VEF_NONE)
    found = rank; /* the first node of the rank */
  return found;
}

static bool find_tasks(struct build *b) {
  size_t most = (size_t)b->g->ranks + b->g->nodes;
  b->tail = malloc(most * sizeof *b->tail);
  b->tile = malloc(most * sizeof *b->tile);
  if (!b->tail || !b->tile)
    return no_memory(b);
  memset(b->tail, 0xFF, most * sizeof *b->tail);
  for (; b->tasks < b->g->ranks; b->tasks++)
    b->tile[b->tasks] = b->tasks;
  for (uint32_t i = 0; i < b->g->nodes; i++) {
    uint32_t node = b->order[i];
    uint32_t task = find_task(b, node);
    if (task == LOOM_VEF_NONE) {
      task = b->tasks++;
      b->tile[task] = b->g->node[node].rank;
    }
    b->task[node] = task;
    b->tail[task] = node;
    if (b->tasks > LOOM_VEF_TASKS)
      return refuse(b, node, "rank",
                    "does too much at a time: the trace has more than 65536 tasks");
  }
  return true;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool add(struct build *b, const struct loom_vef_record *record) {
  if (b->records == LOOM_VEF_ID_MAX || !grow(&b->record, sizeof *b->record, b->records, &b->room))
    return no_memory(b);
  b->record[b->records] = *record;
  b->record[b->records].id = (uint32_t)b->records;
  b->record[b->records].origin = (uint32_t)b->records;
  b->records++;
  return true;
}

/* What the next record of a task waits for. */
static uint8_t after_last(const struct build *b, uint32_t task) {
  if (b->last[task] == LOOM_VEF_NONE)
    return LOOM_VEF_AT;
  return b->record[b->last[task]].kind == LOOM_VEF_COLLECTIVE ? LOOM_VEF_GROUP : LOOM_VEF_SENT;
}

/* The next record of a task, some time after its last one. */
static bool add_after(struct build *b, uint32_t task, uint32_t dst, uint32_t bytes, uint64_t time) {
  return add(b, &(struct loom_vef_record){.src = (uint16_t)task,
                                          .dst = (uint16_t)dst,
                                          .length = bytes,
                                          .dtime = time,
                                          .on = b->last[task],
                                          .dep = after_last(b, task)});
}

/* A pause of the task: for some time, or until a message is here. */
static bool pause_for(struct build *b, uint32_t task, uint64_t time) {
  if (!add_after(b, task, task, 0, time))
    return false;
  b->last[task] = (uint32_t)b->records - 1;
  return true;
}

static bool pause_until(struct build *b, uint32_t task, uint32_t message) {
  if (!add(b, &(struct loom_vef_record){.src = (uint16_t)task,
                                        .dst = (uint16_t)task,
                                        .on = message,
                                        .dep = LOOM_VEF_RECEIVED}))
    return false;
  b->last[task] = (uint32_t)b->records - 1;
  return true;
}

/* Whether other tasks of the tile wait for the node's begin, or for its end. */
static bool is_awaited(const struct build *b, uint32_t node, bool begin) {
  for (uint32_t k = b->out_first[node]; k < b->out_first[node + 1]; k++) {
    const struct loom_vef_edge *e = &b->g->edge[b->out[k]];
    if (b->task[e->node] != b->task[node] && waits_for_end(b, e) != begin)
      return true;
  }
  return false;
}

/* Tells them. */
static bool tell(struct build *b, uint32_t node, bool begin) {
  for (uint32_t k = b->out_first[node]; k < b->out_first[node + 1]; k++) {
    const struct loom_vef_edge *e = &b->g->edge[b->out[k]];
    if (b->task[e->node] == b->task[node] || waits_for_end(b, e) == begin)
      continue;
    if (!add_after(b, b->task[node], b->task[e->node], 0, 0))
      return false;
    b->message[b->out[k]] = (uint32_t)b->records - 1;
  }
  return true;
}

static bool wait_for_edges(struct build *b, uint32_t node) {
  for (uint32_t k = b->in_first[node]; k < b->in_first[node + 1]; k++)
    if (b->message[b->in[k]] != LOOM_VEF_NONE &&
        !pause_until(b, b->task[node], b->message[b->in[k]]))
      return false;
  return true;
}

static bool put_send(struct build *b, uint32_t node) {
  const struct loom_vef_node *n = &b->g->node[node];
  uint32_t pair = b->pair[node];
  uint32_t to = pair == LOOM_VEF_NONE ? n->peer : b->task[pair];
  if (!add_after(b, b->task[node], to, n->bytes, 0))
    return false;
  b->last[b->task[node]] = b->sent[node] = (uint32_t)b->records - 1;
  return true;
}

/* What the line of a task in a collective says. */
static void bytes_of_part(const struct build *b, uint32_t joint, uint32_t rank, uint64_t *sent,
                          uint64_t *received) {
  const struct loom_vef_joint *j = &b->g->joint[joint];
  loom_vef_op_bytes((enum loom_vef_op)j->op, rank == j->root, j->block, ranks_of(b, joint), sent,
                    received);
}

static bool put_part(struct build *b, uint32_t node) {
  const struct loom_vef_node *n = &b->g->node[node];
  uint32_t task = b->task[node];
  uint64_t sent = 0;
  uint64_t received = 0;
  bytes_of_part(b, n->peer, n->rank, &sent, &received);
  if (sent > UINT32_MAX || received > UINT32_MAX)
    return refuse(b, node, "bytes", "of all ranks together are more than 4294967295");
  if (!add(b, &(struct loom_vef_record){.src = (uint16_t)task,
                                        .dst = (uint16_t)b->comm[n->peer],
                                        .length = (uint32_t)sent,
                                        .on = b->last[task],
                                        .kind = LOOM_VEF_COLLECTIVE,
                                        .op = b->g->joint[n->peer].op,
                                        .dep = after_last(b, task)}))
    return false;
  b->last[task] = (uint32_t)b->records - 1;
  b->record[b->records - 1].id = n->peer;
  return true;
}

static bool put_node(struct build *b, uint32_t node) {
  const struct loom_vef_node *n = &b->g->node[node];
  uint32_t task = b->task[node];
  if (!wait_for_edges(b, node))
    return false;
  if (is_awaited(b, node, true) &&
      ((b->last[task] == LOOM_VEF_NONE && !pause_for(b, task, 0)) || !tell(b, node, true)))
    return false;
  bool ok = n->kind == LOOM_VEF_SEND   ? put_send(b, node)
            : n->kind == LOOM_VEF_RECV ? pause_until(b, task, b->sent[b->pair[node]])
            : n->kind == LOOM_VEF_PART ? put_part(b, node)
                                       : pause_for(b, task, n->time);
  return ok && tell(b, node, false);
}

static void fill_comms(const struct build *b, struct loom_vef_trace *t) {
  size_t used = b->tasks;
  for (uint32_t i = 0; i < b->tasks; i++)
    t->member[i] = i;
  t->comm[1] = used;
  for (uint32_t c = 1; c < b->comms; c++) {
    uint32_t count = ranks_of(b, b->example[c]);
    memcpy(t->member + used, b->member + b->joint[b->example[c]], count * sizeof *t->member);
    used += count;
    t->comm[c + 1] = used;
  }
}

static void fill_part(const struct build *b, struct loom_vef_trace *t,
                      const struct loom_vef_record *r) {
  uint64_t sent = 0;
  uint64_t received = 0;
  bytes_of_part(b, r->id, b->tile[r->src], &sent, &received);
  t->part[t->parts++] = (struct loom_vef_part){
      .group = r->id, .task = r->src, .record = t->count, .received = (uint32_t)received};
}

static struct loom_vef_trace *make_trace(const struct build *b) {
  const struct loom_vef_size size = {.version = 3,
                                     .tasks = b->tasks,
                                     .comms = b->comms,
                                     .records = (uint32_t)b->records,
                                     .parts = b->joint[b->g->joints],
                                     .members = b->members};
  struct loom_vef_trace *t = loom_vef_create(&size);
  for (size_t i = 0; t && i < b->records; i++) {
    if (b->record[i].kind == LOOM_VEF_COLLECTIVE)
      fill_part(b, t, &b->record[i]);
    loom_vef_append(t, &b->record[i]);
  }
  if (t) {
    fill_comms(b, t);
    t->clock = b->g->clock;
    t->groups = b->g->joints;
    loom_vef_sort_parts(t);
    loom_vef_set_triggers(t);
  }
  return t;
}

/* Nothing lies between two threads of a rank. */
static struct loom_vef_names *make_names(const struct build *b) {
  struct loom_vef_names *names = calloc(1, sizeof *names + b->tasks * sizeof names->device[0]);
  if (!names)
    return NULL;
  names->count = b->tasks;
  for (uint32_t t = 0; t < b->tasks; t++) {
    memcpy(names->device[t].kind, "Thread", sizeof "Thread");
    names->device[t].tile = b->tile[t];
  }
  return names;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t *list_of(size_t count) {
  uint32_t *list = malloc((count + 1) * sizeof *list);
  if (list)
    memset(list, 0xFF, (count + 1) * sizeof *list);
  return list;
}

static bool take_memory(struct build *b) {
  size_t nodes = b->g->nodes;
  size_t edges = b->g->edges;
  b->pair = list_of(nodes);
  b->in_first = list_of(nodes + 1);
  b->in = list_of(edges);
  b->out_first = list_of(nodes + 1);
  b->out = list_of(edges);
  b->order = list_of(nodes);
  b->left = list_of(nodes);
  b->task = list_of(nodes);
  b->last = list_of(b->g->ranks + nodes);
  b->message = list_of(edges);
  b->sent = list_of(nodes);
  b->part = list_of(nodes);
  b->member = list_of(nodes);
  b->joint = list_of((size_t)b->g->joints + 1);
  b->missing = list_of(b->g->joints);
  b->comm = list_of(b->g->joints);
  b->example = list_of(b->g->joints);
  return (b->pair && b->in_first && b->in && b->out_first && b->out && b->order && b->left &&
          b->task && b->last && b->message && b->sent && b->part && b->member && b->joint &&
          b->missing && b->comm && b->example) ||
         no_memory(b);
}

static bool make(struct build *b) {
  if (!take_memory(b) || !find_pairs(b))
    return false;
  sort_edges(b->g, false, b->in_first, b->in);
  sort_edges(b->g, true, b->out_first, b->out);
  sort_parts(b);
  if (!find_order(b) || !find_tasks(b) || !find_comms(b))
    return false;
  for (uint32_t i = 0; i < b->g->nodes; i++)
    if (!put_node(b, b->order[i]))
      return false;
  return true;
}

struct loom_vef_trace *loom_vef_graph_trace(const struct loom_vef_graph *graph,
                                            struct loom_vef_names **names,
                                            struct loom_vef_error *error) {
  struct build b = {.g = graph, .error = error};
  struct loom_vef_trace *trace = NULL;
  *names = NULL;
  if (make(&b)) {
    trace = make_trace(&b);
    *names = make_names(&b);
    if (!trace || !*names) {
      loom_vef_destroy(trace);
      loom_vef_names_destroy(*names);
      trace = NULL;
      *names = NULL;
      no_memory(&b);
    }
  }
  void *all[] = {b.pair, b.in_first, b.in,    b.out_first, b.out,     b.order,  b.left,
                 b.task, b.tail,     b.tile,  b.last,      b.message, b.sent,   b.record,
                 b.part, b.member,   b.joint, b.missing,   b.comm,    b.example};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  return trace;
}
