/* SPDX-License-Identifier: Apache-2.0 */
/* spec_devices.c - devices, classes, buffers and tables of the fabric file (docs/fabric.md;
 * OP-06, OP-07, OP-15, OP-18..20, IB-02..06, DT-01, SC-02) */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "run/spec_schema.h"
#include "switch/crossbar_switch.h"

enum { VLS = 32, MGMT = 15, MTU_MAX = LOOM_HOST_MTU_MAX * LOOM_FLIT_BYTES, UNIT = LOOM_UNIT_BYTES };
enum { QUEUE = 16 }; /* of an Elan5: messages */
enum { RR, SBT, DTABLE, IBARB, DRR, SCFQ };
enum { WEIGHT_MAX = 255, PRICE_MAX = 255 };

const char *const loom_spec_stages[] = {"smallest", "A", "B", NULL};
const char *const loom_spec_central[] = {"parity", "least", NULL};
const char *const loom_spec_schedulers[] = {"rr", "sbt", "dtable", "ibarb", "drr", "scfq", NULL};

/* ---- parameters ------------------------------------------------------------------------------ */

/* Parameters that the fabric itself decides. */
static bool follows(const char *name) {
  static const char *const names[] = {"PORTS",
                                      "MPORTS",
                                      "HOSTS",
                                      "DIMS",
                                      "W",
                                      "K",
                                      "ROUTE",
                                      "LIDS",
                                      "GROUPS",
                                      "BUBBLE",
                                      "MTU_UNITS",
                                      "REMOTE_UNITS",
                                      "REMOTE_RESERVED",
                                      "LINKS",
                                      "DESTS",
                                      "CLASSES",
                                      "RESERVED_IN",
                                      "RESERVED_OUT",
                                      "RESERVED_CENTRAL",
                                      NULL};
  unsigned i = 0;
  while (names[i] && strcmp(names[i], name) != 0)
    i++;
  return names[i] != NULL;
}

static bool read_parameter(const struct loom_spec_reader *r, uint32_t i, const char *name,
                           const char *text) {
  struct loom_path path = loom_path("switch.parameters.%s", name);
  struct loom_spec *s = r->spec;
  const struct loom_parameter *p = loom_parameter_find(s->kind, name);
  if (!p)
    return loom_yaml_fail(&r->yaml, path.text, "%s has no such parameter",
                          loom_device_names[s->kind]);
  if (follows(name))
    return loom_yaml_fail(&r->yaml, path.text,
                          "follows from the fabric and cannot be given (docs/fabric.md)");
  s->parameters.given[i] = true;
  return loom_yaml_u32(&r->yaml, path.text, text, p->min, p->max, &s->parameters.value[i]);
}

static bool read_parameters(const struct loom_spec_reader *r,
                            const struct loom_raw_parameters *raw) {
  struct loom_parameters *p = &r->spec->parameters;
  loom_parameters_begin(p);
  for (uint32_t i = 0; raw && i < p->names; i++)
    if (raw->value[i] && !read_parameter(r, i, p->name[i], raw->value[i]))
      return false;
  return true;
}

/* A set of stage latencies (OP-15), as parameters. */
struct stage {
  const char *name;
  uint32_t value[3]; /* smallest, A, B */
};

/* Of crossbar_switch the delays alone, which make up for the whole: D_IN and D_OUT of the set, less
 * what its own stages take beyond those of ib_switch (docs/switch.md, docs/crossbar_switch.md). */
enum { CROSSBAR_IN = LOOM_CROSSBAR_IN_CYCLES - 3, CROSSBAR_OUT = LOOM_CROSSBAR_OUT_CYCLES - 5 };
static const struct stage crossbar_stages[] = {
    {"IN_DELAY", {0, 85 - CROSSBAR_IN, 93 - CROSSBAR_IN}},
    {"OUT_DELAY", {0, 57 - CROSSBAR_OUT, 57 - CROSSBAR_OUT}},
    {NULL, {0}}};
/* Of mport_switch likewise, those of docs/mport_switch.md. */
static const struct stage mport_stages[] = {{"IN_DELAY", {0, 78, 86}},
                                            {"CENTRAL_DELAY", {0, 4, 12}},
                                            {"OUT_DELAY", {0, 53, 53}},
                                            {NULL, {0}}};
static const struct stage usual_stages[] = {
    {"ROUTING_CYCLES", {2, 32, 32}},   {"BUFFER_CYCLES", {2, 50, 50}},
    {"ALLOCATION_CYCLES", {1, 8, 16}}, {"CROSSBAR_CYCLES", {0, 2, 2}},
    {"FLIGHT_CYCLES", {1, 8, 8}},      {NULL, {0}}};

static const struct stage *stages_of(enum loom_device_kind kind) {
  if (kind == LOOM_DEVICE_MPORT)
    return mport_stages;
  return loom_device_is_crossbar(kind) ? crossbar_stages : usual_stages;
}

/* What is given by name has precedence. */
static bool read_stages(const struct loom_spec_reader *r, const char *text) {
  unsigned set = 0;
  if (!text)
    return true;
  if (loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, "switch.stages", "%s has none",
                          loom_device_names[r->spec->kind]);
  if (!loom_yaml_word(&r->yaml, "switch.stages", text, loom_spec_stages, &set))
    return false;
  for (const struct stage *s = stages_of(r->spec->kind); s->name; s++)
    loom_parameter_default(&r->spec->parameters, s->name, s->value[set]);
  return true;
}

static bool read_scheduler(const struct loom_spec_reader *r, const char *text) {
  struct loom_spec *s = r->spec;
  unsigned kind = 0;
  if (!text)
    return true;
  if (loom_device_is_elite5(s->kind))
    return loom_yaml_fail(&r->yaml, "switch.scheduler", "%s has none",
                          loom_device_names[r->spec->kind]);
  if (loom_parameter_given(&s->parameters, "SCHED"))
    return loom_yaml_fail(&r->yaml, "switch.scheduler", "not together with parameter SCHED");
  if (!loom_yaml_word(&r->yaml, "switch.scheduler", text, loom_spec_schedulers, &kind))
    return false;
  if (kind >= DRR && !loom_device_is_crossbar(s->kind))
    return loom_yaml_fail(&r->yaml, "switch.scheduler", "only crossbar switches have %s",
                          loom_spec_schedulers[kind]);
  loom_parameter_default(&s->parameters, "SCHED", kind);
  return true;
}

/* With one flit a cycle the crossbar of an InfiniBand switch is as narrow as its links, packets
 * wait in front of it, and the tables of the outputs decide nothing. */
static void set_speedup(struct loom_spec *s) {
  if (s->kind == LOOM_DEVICE_IB) /* the default of its second edition is 2 */
    loom_parameter_default(&s->parameters, "SPEEDUP", 2);
}

/* How an elite5 chooses; other kinds have none of these keys. */
static bool read_policy(const struct loom_spec_reader *r, const struct loom_raw_switch *raw) {
  struct loom_elite5_policy *p = &r->spec->policy;
  loom_elite5_policy_best(p);
  unsigned choice = p->choice;
  const char *key = raw->choice      ? "switch.choice"
                    : raw->threshold ? "switch.threshold"
                    : raw->activity  ? "switch.activity"
                    : raw->expire    ? "switch.expire"
                                     : NULL;
  if (key && !loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, key, "only elite5 and crosspoint have it");
  if (!loom_yaml_word(&r->yaml, "switch.choice", raw->choice, loom_elite5_choice_names, &choice))
    return false;
  p->choice = choice;
  if ((raw->threshold || raw->activity) && !loom_elite5_policy_is_adaptive(p))
    return loom_yaml_fail(&r->yaml, raw->threshold ? "switch.threshold" : "switch.activity",
                          "choice %s looks at no loads", raw->choice);
  return loom_yaml_u32(&r->yaml, "switch.threshold", raw->threshold, 0, LOOM_ELITE5_THRESHOLD_MAX,
                       &p->threshold) &&
         loom_spec_flag(r, "switch.activity", raw->activity, &p->activity) &&
         loom_yaml_u32(&r->yaml, "switch.expire", raw->expire, 0, LOOM_ELITE5_EXPIRE_MAX,
                       &p->expire);
}

/* VLs whose packets preempt those of the others (docs/preemption.md). */
static bool read_preempt(const struct loom_spec_reader *r, const struct loom_raw_switch *raw) {
  struct loom_spec *s = r->spec;
  if (raw->preempt_count && s->kind != LOOM_DEVICE_CROSSBAR)
    return loom_yaml_fail(&r->yaml, "switch.preempt", "%s switches do not preempt",
                          loom_device_names[s->kind]);
  for (uint32_t i = 0; i < raw->preempt_count; i++) {
    uint32_t vl = 0;
    if (!loom_yaml_u32(&r->yaml, loom_spec_at("switch.preempt", i, NULL).text, raw->preempt[i], 0,
                       VLS - 1, &vl))
      return false;
    s->express |= 1u << vl;
  }
  return true;
}

static bool read_switch(const struct loom_spec_reader *r, const struct loom_raw_switch *raw) {
  struct loom_spec *s = r->spec;
  unsigned way = 0;
  if (raw->central && !loom_device_is_opa(s->kind))
    return loom_yaml_fail(&r->yaml, "switch.central", "only opa and mport have central buffers");
  if (!loom_yaml_word(&r->yaml, "switch.central", raw->central, loom_spec_central, &way) ||
      !read_parameters(r, raw->parameters))
    return false;
  s->central_least = way;
  set_speedup(s);
  return read_policy(r, raw) && read_stages(r, raw->stages) && read_scheduler(r, raw->scheduler) &&
         read_preempt(r, raw);
}

static uint32_t parameter(const struct loom_spec_reader *r, const char *name) {
  return loom_parameter_value(&r->spec->parameters, r->spec->kind, name);
}

/* ---- links and hosts ------------------------------------------------------------------------- */

/* Links between switches, or those to hosts: their latency, or their length. */
static bool read_cable(const struct loom_spec_reader *r, const char *const key[2],
                       const char *latency, const char *length, uint32_t *cycles, uint32_t *cm) {
  uint64_t parts = 0;
  if (latency && length)
    return loom_yaml_fail(&r->yaml, key[1], "%s says it already", key[0]);
  if (length && !loom_yaml_number(&r->yaml, key[1], length, 2, 1, LOOM_SPEC_CENTIMETRES, &parts))
    return false;
  if (length) {
    *cycles = 0;
    *cm = (uint32_t)parts;
  } else if (latency) {
    *cm = 0;
  }
  return loom_yaml_u32(&r->yaml, key[0], latency, 1, LOOM_FABRIC_LATENCY, cycles);
}

static bool read_link(const struct loom_spec_reader *r, const struct loom_raw_link *raw) {
  static const char *const inner[] = {"link.latency", "link.length"};
  static const char *const outer[] = {"link.host_latency", "link.host_length"};
  struct loom_spec *s = r->spec;
  s->latency = s->host_latency = 1;
  if (!raw)
    return true;
  if (!read_cable(r, inner, raw->latency, raw->length, &s->latency, &s->length))
    return false;
  s->host_latency = s->latency;
  s->host_length = s->length;
  return read_cable(r, outer, raw->host_latency, raw->host_length, &s->host_latency,
                    &s->host_length) &&
         loom_yaml_number(&r->yaml, "link.bit_errors", raw->bit_errors, 12, 0, 1000000000000,
                          &s->bit_errors) &&
         loom_yaml_number(&r->yaml, "link.rate", raw->rate, 3, 1, LOOM_SPEC_RATE, &s->rate);
}

/* The queue of an Elan5, and how fast its program empties it. */
static bool read_queue(const struct loom_spec_reader *r, const struct loom_raw_host *raw) {
  struct loom_spec *s = r->spec;
  const char *key = raw->queue ? "host.queue" : raw->take ? "host.take" : NULL;
  if (key && !loom_device_is_elite5(s->kind))
    return loom_yaml_fail(&r->yaml, key, "only elite5 and crosspoint have it");
  return loom_yaml_u32(&r->yaml, "host.queue", raw->queue, 1, LOOM_SPEC_QUEUE, &s->queue) &&
         loom_yaml_u32(&r->yaml, "host.take", raw->take, 1, LOOM_SPEC_TAKE, &s->take);
}

static bool read_host(const struct loom_spec_reader *r, const struct loom_raw_host *raw) {
  static const char *const paths[] = {"message", "pair", NULL};
  uint32_t bytes = 32768;
  unsigned steady = 0;
  r->spec->queue = QUEUE;
  r->spec->take = 1;
  if (raw && !read_queue(r, raw))
    return false;
  if (raw && raw->buffer && loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, "host.buffer", "an Elan5 sends out of its memory");
  if (raw && !loom_yaml_u32(&r->yaml, "host.buffer", raw->buffer, 16 * UNIT, 4096 * UNIT, &bytes))
    return false;
  if (raw && raw->paths && loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, "host.paths", "an Elan5 has one LID");
  if (raw && !loom_yaml_word(&r->yaml, "host.paths", raw->paths, paths, &steady))
    return false;
  r->spec->steady = steady;
  r->spec->host_units = bytes / UNIT;
  return bytes % UNIT == 0 || loom_yaml_fail(&r->yaml, "host.buffer", "is no multiple of %d", UNIT);
}

/* ---- classes --------------------------------------------------------------------------------- */

/* A list of VLs or SCs, or the one that stands alone; none: count 0. */
struct lanes {
  const char *one_key, *all_key; /* `vl`, `vls` */
  const char *one;
  char **all;
  uint32_t count;
};

static bool read_lane(const struct loom_spec_reader *r, const char *path, const char *text,
                      uint8_t *out) {
  uint32_t lane = 0;
  if (!loom_yaml_u32(&r->yaml, path, text, 0, VLS - 1, &lane))
    return false;
  *out = (uint8_t)lane;
  return lane != MGMT || loom_yaml_fail(&r->yaml, path, "%d is management traffic", MGMT);
}

static bool read_lanes(const struct loom_spec_reader *r, uint32_t i, const struct lanes *l,
                       uint8_t out[LOOM_SPEC_LAYERS], uint32_t *count) {
  struct loom_path list = loom_spec_at("classes", i, l->all_key);
  *count = l->one ? 1 : l->count;
  if (l->one && l->count)
    return loom_yaml_fail(&r->yaml, list.text, "not together with %s", l->one_key);
  if (l->one)
    return read_lane(r, loom_spec_at("classes", i, l->one_key).text, l->one, &out[0]);
  for (uint32_t j = 0; j < l->count; j++)
    if (!read_lane(r, loom_spec_at(list.text, j, NULL).text, l->all[j], &out[j]))
      return false;
  return true;
}

static bool read_class_lanes(const struct loom_spec_reader *r, uint32_t i,
                             const struct loom_raw_class *raw) {
  struct loom_spec_class *c = &r->spec->traffic_class[i];
  const struct lanes vl = {"vl", "vls", raw->vl, raw->vls, raw->vls_count};
  const struct lanes sc = {"sc", "scs", raw->sc, raw->scs, raw->scs_count};
  uint32_t scs = 0;
  if (!loom_device_is_opa(r->spec->kind) && (raw->sc || raw->scs_count))
    return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, raw->sc ? "sc" : "scs").text,
                          "only opa and mport have service channels");
  if (!read_lanes(r, i, &vl, c->vl, &c->layers) || !read_lanes(r, i, &sc, c->sc, &scs))
    return false;
  if (!c->layers)
    return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, "vl").text, "missing key");
  if (!scs)
    memcpy(c->sc, c->vl, sizeof c->sc);
  else if (scs != c->layers)
    return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, "scs").text,
                          "has %u, but there are %u VLs", (unsigned)scs, (unsigned)c->layers);
  return true;
}

static bool read_class_name(const struct loom_spec_reader *r, uint32_t i, const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  struct loom_spec *s = r->spec;
  struct loom_path path = loom_spec_at("classes", i, "name");
  if (strspn(text, letters) != strlen(text))
    return loom_yaml_fail(&r->yaml, path.text,
                          "has other characters than letters, digits, - and _");
  if (!strcmp(text, "all"))
    return loom_yaml_fail(&r->yaml, path.text, "`all` is the name of all classes together");
  for (uint32_t j = 0; j < i; j++)
    if (!strcmp(s->traffic_class[j].name, text))
      return loom_yaml_fail(&r->yaml, path.text, "is already that of classes[%u]", (unsigned)j);
  return loom_spec_text(r, path.text, text, s->traffic_class[i].name,
                        sizeof s->traffic_class[i].name);
}

/* Packets of a train (DT-10); without the key a train is one packet. */
static bool read_class_packet(const struct loom_spec_reader *r, uint32_t i, const char *text) {
  const struct loom_spec *s = r->spec;
  struct loom_spec_class *c = &r->spec->traffic_class[i];
  struct loom_path path = loom_spec_at("classes", i, "packet");
  uint32_t bytes = 0;
  c->packet = c->mtu;
  if (!text)
    return true;
  if (loom_device_is_elite5(s->kind))
    return loom_yaml_fail(&r->yaml, path.text, "%s cuts messages into its own packets and segments",
                          loom_device_names[s->kind]);
  if (s->central_least)
    return loom_yaml_fail(&r->yaml, path.text,
                          "with `central: least` packets of a train may overtake each other");
  if (loom_spec_by_load(s))
    return loom_yaml_fail(&r->yaml, path.text,
                          "by load packets of a train may overtake each other");
  if (!loom_yaml_u32(&r->yaml, path.text, text, LOOM_HOST_MTU_MIN * LOOM_FLIT_BYTES,
                     c->mtu * LOOM_FLIT_BYTES, &bytes))
    return false;
  if (bytes % LOOM_FLIT_BYTES)
    return loom_yaml_fail(&r->yaml, path.text, "is no multiple of %d", LOOM_FLIT_BYTES);
  if (c->mtu * LOOM_FLIT_BYTES % bytes)
    return loom_yaml_fail(&r->yaml, path.text, "the mtu, %u, is no multiple of it",
                          (unsigned)c->mtu * LOOM_FLIT_BYTES);
  c->packet = bytes / LOOM_FLIT_BYTES;
  c->trains = true;
  return true;
}

static bool read_class(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_class *raw) {
  struct loom_spec *s = r->spec;
  struct loom_spec_class *c = &s->traffic_class[i];
  bool elite5 = loom_device_is_elite5(s->kind);
  uint32_t bytes = 0;
  struct loom_path mtu = loom_spec_at("classes", i, "mtu");
  if (!read_class_name(r, i, raw->name) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("classes", i, "sl").text, raw->sl, 0,
                     elite5 ? 3 : VLS - 1, &c->sl) ||
      !loom_yaml_u32(&r->yaml, mtu.text, raw->mtu, LOOM_HOST_MTU_MIN * LOOM_FLIT_BYTES,
                     elite5 ? 4096 : MTU_MAX, &bytes))
    return false;
  if (bytes % LOOM_FLIT_BYTES)
    return loom_yaml_fail(&r->yaml, mtu.text, "is no multiple of %d", LOOM_FLIT_BYTES);
  c->mtu = bytes / LOOM_FLIT_BYTES;
  if (elite5 && s->traffic_class[0].mtu && c->mtu != s->traffic_class[0].mtu)
    return loom_yaml_fail(&r->yaml, mtu.text, "all classes of %s have the same",
                          loom_device_names[s->kind]);
  if (elite5 && (raw->vl || raw->vls_count || raw->sc || raw->scs_count))
    return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, NULL).text,
                          "%s takes any VC: no vl, vls, sc, scs", loom_device_names[s->kind]);
  c->layers = 1;
  return read_class_packet(r, i, raw->packet) && (elite5 || read_class_lanes(r, i, raw));
}

/* What a service channel means must be the same wherever it stands (OP-18). */
static bool check_channels(const struct loom_spec_reader *r, uint32_t i, uint32_t j) {
  const struct loom_spec_class *c = &r->spec->traffic_class[i], *d = &r->spec->traffic_class[j];
  for (uint32_t a = 0; a < c->layers; a++)
    for (uint32_t b = 0; b < d->layers; b++)
      if (c->sc[a] == d->sc[b] && (c->sl != d->sl || c->vl[a] != d->vl[b] || a != b))
        return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, NULL).text,
                              "SC %u has another SL, VL or layer in classes[%u]",
                              (unsigned)c->sc[a], (unsigned)j);
  return true;
}

/* The management lane is the last one; the others have a lane of their own number. */
static bool check_lane(const struct loom_spec_reader *r, uint32_t i, uint32_t vl) {
  uint32_t vls = parameter(r, "VLS");
  return vl < vls - 1 || (vls > 16 && vl < vls) ||
         loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, NULL).text,
                        "VL %u has no lane in a switch with %u VLS", (unsigned)vl, (unsigned)vls);
}

static bool check_class(const struct loom_spec_reader *r, uint32_t i) {
  const struct loom_spec *s = r->spec;
  const struct loom_spec_class *c = &s->traffic_class[i];
  uint32_t room = s->host_units;
  if (parameter(r, "ARB_KEY") && c->sl >= parameter(r, "KEYS"))
    return loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, "sl").text,
                          "%u is no key of schedulers with %u KEYS", (unsigned)c->sl,
                          (unsigned)parameter(r, "KEYS"));
  for (uint32_t l = 0; l < c->layers; l++)
    if (!check_lane(r, i, c->vl[l]))
      return false;
  for (uint32_t j = 0; j < i && loom_device_is_opa(s->kind); j++)
    if (!check_channels(r, i, j))
      return false;
  static const char *const cells[] = {"CELLS_IN", "CELLS_OUT", "CELLS_CENTRAL"};
  for (unsigned b = 0; b < 3; b++)
    if (loom_parameter_find(s->kind, cells[b]) && parameter(r, cells[b]) < room)
      room = parameter(r, cells[b]);
  return loom_spec_train(c) <= room ||
         loom_yaml_fail(&r->yaml, loom_spec_at("classes", i, "mtu").text,
                        "does not fit into the smallest buffer, %u bytes", (unsigned)room * UNIT);
}

static bool read_classes(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  struct loom_spec *s = r->spec;
  bool good = true;
  if (!raw->classes_count)
    return loom_yaml_fail(&r->yaml, "classes", "missing key");
  for (; s->classes < raw->classes_count; s->classes++)
    good = read_class(r, s->classes, &raw->classes[s->classes]) && good;
  return good;
}

/* Classes beside switches and hosts. */
static bool check_classes(const struct loom_spec_reader *r) {
  struct loom_spec *s = r->spec;
  uint32_t highest = 0;
  bool good = true;
  if (loom_device_is_elite5(s->kind))
    return true;
  for (uint32_t i = 0; i < s->classes; i++)
    for (uint32_t l = 0; l < s->traffic_class[i].layers; l++)
      highest = s->traffic_class[i].vl[l] > highest ? s->traffic_class[i].vl[l] : highest;
  loom_parameter_default(&s->parameters, "VLS",
                         highest < MGMT      ? highest + 2
                         : highest < VLS - 1 ? highest + 2
                                             : VLS);
  for (uint32_t i = 0; i < s->classes; i++)
    good = check_class(r, i) && good;
  return good;
}

/* ---- shares of buffers ----------------------------------------------------------------------- */

static bool read_share(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_share *raw) {
  struct loom_spec *s = r->spec;
  struct loom_path path = loom_spec_at("vls", i, "vl");
  uint32_t reserved = 0, most = 0;
  uint8_t vl = 0;
  if (!read_lane(r, path.text, raw->vl, &vl) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("vls", i, "reserved").text, raw->reserved, 0,
                     4096 * UNIT, &reserved) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("vls", i, "max").text, raw->max, UNIT, 4096 * UNIT,
                     &most))
    return false;
  if (reserved % UNIT || most % UNIT)
    return loom_yaml_fail(&r->yaml,
                          loom_spec_at("vls", i, reserved % UNIT ? "reserved" : "max").text,
                          "is no multiple of %d", UNIT);
  if (s->share[vl].reserved_given || s->share[vl].most_given)
    return loom_yaml_fail(&r->yaml, path.text, "VL %u stands twice", (unsigned)vl);
  if (!raw->reserved && !raw->max)
    return loom_yaml_fail(&r->yaml, loom_spec_at("vls", i, NULL).text, "give reserved or max");
  s->share[vl] = (struct loom_spec_share){.reserved_given = raw->reserved != NULL,
                                          .most_given = raw->max != NULL,
                                          .reserved = reserved / UNIT,
                                          .most = most / UNIT};
  if (raw->max && raw->reserved && most < reserved)
    return loom_yaml_fail(&r->yaml, loom_spec_at("vls", i, "max").text, "is below reserved");
  return true;
}

static bool read_shares(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  if (raw->vls_count && loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, "vls", "%s has none", loom_device_names[r->spec->kind]);
  for (uint32_t i = 0; i < raw->vls_count; i++)
    if (!read_share(r, i, &raw->vls[i]))
      return false;
  return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct entries {
  const char *key;
  const struct loom_raw_entry *raw;
  uint32_t count;
  struct loom_spec_entry *out;
  uint32_t *used;
};

static bool add_entry(const struct loom_spec_reader *r, const struct entries *e, uint32_t i,
                      uint32_t key, uint32_t weight) {
  if (*e->used == LOOM_SPEC_TABLE)
    return loom_yaml_fail(&r->yaml, loom_spec_at(e->key, i, NULL).text,
                          "the table has more than %d entries", LOOM_SPEC_TABLE);
  e->out[(*e->used)++] = (struct loom_spec_entry){.key = (uint8_t)key, .weight = (uint8_t)weight};
  return true;
}

/* Where switches arbitrate VLs, an entry of an SL stands for one of each VL of its classes. */
static bool add_vls(const struct loom_spec_reader *r, const struct entries *e, uint32_t i,
                    uint32_t sl, uint32_t weight) {
  uint32_t seen = 0;
  for (uint32_t c = 0; c < r->spec->classes; c++) {
    const struct loom_spec_class *class = &r->spec->traffic_class[c];
    for (uint32_t l = 0; class->sl == sl && l < class->layers; l++) {
      if (seen >> class->vl[l] & 1)
        continue;
      seen |= UINT32_C(1) << class->vl[l];
      if (!add_entry(r, e, i, class->vl[l], weight))
        return false;
    }
  }
  return seen || loom_yaml_fail(&r->yaml, loom_spec_at(e->key, i, "sl").text, "no class has SL %u",
                                (unsigned)sl);
}

static bool read_entry(const struct loom_spec_reader *r, const struct entries *e, uint32_t i) {
  const struct loom_raw_entry *raw = &e->raw[i];
  bool by_sl = parameter(r, "ARB_KEY");
  uint32_t key = 0, weight = 0;
  uint8_t vl = 0;
  if (!raw->sl == !raw->vl)
    return loom_yaml_fail(&r->yaml, loom_spec_at(e->key, i, NULL).text, "give sl or vl");
  if (raw->vl && by_sl)
    return loom_yaml_fail(&r->yaml, loom_spec_at(e->key, i, "vl").text,
                          "the switches arbitrate SLs (ARB_KEY 1)");
  if (!loom_yaml_u32(&r->yaml, loom_spec_at(e->key, i, "weight").text, raw->weight, 0, 255,
                     &weight) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at(e->key, i, "sl").text, raw->sl, 0, VLS - 1, &key) ||
      (raw->vl && !read_lane(r, loom_spec_at(e->key, i, "vl").text, raw->vl, &vl)))
    return false;
  if (raw->sl && !by_sl)
    return add_vls(r, e, i, key, weight);
  return add_entry(r, e, i, raw->vl ? vl : key, weight);
}

static bool read_entries(const struct loom_spec_reader *r, const struct entries *e, uint32_t room) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < e->count; i++)
    if (!read_entry(r, e, i))
      return false;
  if (*e->used > room)
    return loom_yaml_fail(&r->yaml, e->key, "%u entries, but the switch has %u", (unsigned)*e->used,
                          (unsigned)room);
  for (uint32_t i = 0; i < *e->used; i++)
    sum += e->out[i].weight;
  return !e->count || sum || loom_yaml_fail(&r->yaml, e->key, "no entry has a weight above 0");
}

static uint32_t common_divisor(uint32_t a, uint32_t b) { return b ? common_divisor(b, a % b) : a; }

uint32_t loom_spec_price_of_all(const struct loom_spec_tables *t) {
  uint32_t all = 1;
  for (uint32_t i = 0; i < t->high_count && all <= PRICE_MAX; i++)
    all *= t->high[i].weight / common_divisor(all, t->high[i].weight);
  return all;
}

/* The simple bandwidth table has one entry a key (SC-02); deficit round robin and fair queueing,
 * too, a quantum or the inverse of a price. */
static bool check_keys(const struct loom_spec_reader *r, uint32_t sched) {
  const struct loom_spec_tables *t = &r->spec->tables;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < t->high_count; i++) {
    if (seen >> t->high[i].key & 1)
      return loom_yaml_fail(&r->yaml, "table", "key %u stands twice: %s has one weight for each",
                            (unsigned)t->high[i].key, loom_spec_schedulers[sched]);
    if (sched >= DRR && !t->high[i].weight)
      return loom_yaml_fail(&r->yaml, "table", "key %u has weight 0: %s is 1..%u",
                            (unsigned)t->high[i].key, sched == DRR ? "a quantum" : "a weight",
                            (unsigned)WEIGHT_MAX);
    seen |= UINT32_C(1) << t->high[i].key;
  }
  return sched != SCFQ || loom_spec_price_of_all(t) <= PRICE_MAX ||
         loom_yaml_fail(&r->yaml, "table",
                        "weights of scfq need a least common multiple of at most %u",
                        (unsigned)PRICE_MAX);
}

static bool read_mode(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw,
                      uint32_t sched) {
  static const char *const sbt[] = {"text", "literal", "sumzero", NULL};
  static const char *const ibarb[] = {"roundup", "deficit", NULL};
  static const char *const low[] = {"entry", "packet", NULL};
  struct loom_spec_tables *t = &r->spec->tables;
  unsigned mode = 0, grant = 0;
  if (raw->mode && sched != SBT && sched != IBARB)
    return loom_yaml_fail(&r->yaml, "mode", "scheduler %s has none", loom_spec_schedulers[sched]);
  if (sched != IBARB && (raw->limit || raw->low_grant))
    return loom_yaml_fail(&r->yaml, raw->limit ? "limit" : "low_grant", "scheduler %s has none",
                          loom_spec_schedulers[sched]);
  t->limit = 1;
  if (!loom_yaml_word(&r->yaml, "mode", raw->mode, sched == SBT ? sbt : ibarb, &mode) ||
      !loom_yaml_word(&r->yaml, "low_grant", raw->low_grant, low, &grant) ||
      !loom_yaml_u32(&r->yaml, "limit", raw->limit, 0, 255, &t->limit))
    return false;
  t->mode = mode | grant << 1;
  return true;
}

/* Tables and limit from opensm.conf are of VLs. */
static bool check_opensm(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw,
                         uint32_t sched) {
  if (sched != IBARB)
    return loom_yaml_fail(&r->yaml, "opensm", "scheduler %s does not have it",
                          loom_spec_schedulers[sched]);
  if (raw->high_count || raw->low_count || raw->limit)
    return loom_yaml_fail(&r->yaml, "opensm", "not together with high, low and limit");
  return !parameter(r, "ARB_KEY") ||
         loom_yaml_fail(&r->yaml, "opensm", "the switches arbitrate SLs (ARB_KEY 1)");
}

/* Which tables a scheduler must and may have. */
static bool check_tables(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw,
                         uint32_t sched) {
  bool one = sched == SBT || sched == DTABLE || sched >= DRR;
  const char *name = loom_spec_schedulers[sched];
  if (raw->dtable && (sched != DTABLE || raw->table_count))
    return loom_yaml_fail(
        &r->yaml, "dtable",
        sched == DTABLE ? "not together with table" : "scheduler %s does not have it", name);
  if (one != (raw->table_count || raw->dtable))
    return loom_yaml_fail(
        &r->yaml, "table",
        one ? "missing key: scheduler %s needs it" : "scheduler %s does not have it", name);
  if (raw->opensm)
    return check_opensm(r, raw, sched);
  if ((sched == IBARB) != (raw->high_count > 0))
    return loom_yaml_fail(&r->yaml, "high",
                          sched == IBARB ? "missing key: scheduler %s needs it"
                                         : "scheduler %s does not have it",
                          name);
  return sched == IBARB || !raw->low_count ||
         loom_yaml_fail(&r->yaml, "low", "scheduler %s does not have it", name);
}

static bool read_tables(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  struct loom_spec_tables *t = &r->spec->tables;
  if (loom_device_is_elite5(r->spec->kind)) {
    const char *key = raw->table_count  ? "table"
                      : raw->high_count ? "high"
                      : raw->low_count  ? "low"
                      : raw->dtable     ? "dtable"
                      : raw->opensm     ? "opensm"
                      : raw->limit      ? "limit"
                      : raw->mode       ? "mode"
                      : raw->low_grant  ? "low_grant"
                                        : NULL;
    return !key ||
           loom_yaml_fail(&r->yaml, key, "%s has no tables", loom_device_names[r->spec->kind]);
  }
  uint32_t sched = parameter(r, "SCHED");
  bool by_key = sched == SBT || sched >= DRR;
  const struct entries table = {"table", raw->table, raw->table_count, t->high, &t->high_count};
  const struct entries high = {"high", raw->high, raw->high_count, t->high, &t->high_count};
  const struct entries low = {"low", raw->low, raw->low_count, t->low, &t->low_count};
  return check_tables(r, raw, sched) && read_mode(r, raw, sched) &&
         read_entries(r, sched == IBARB ? &high : &table,
                      parameter(r, sched == IBARB ? "N_HIGH"
                                   : by_key       ? "KEYS"
                                                  : "ENTRIES")) &&
         read_entries(r, &low, parameter(r, "N_LOW")) && (!by_key || check_keys(r, sched)) &&
         (!raw->dtable || loom_spec_text(r, "dtable", raw->dtable, t->dtable, sizeof t->dtable)) &&
         (!raw->opensm || loom_spec_text(r, "opensm", raw->opensm, t->opensm, sizeof t->opensm));
}

bool loom_spec_read_devices(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  bool device = read_switch(r, raw->device);
  bool link = read_link(r, raw->link);
  bool host = read_host(r, raw->host);
  bool classes = read_classes(r, raw);
  if (!device || !host || !classes || !check_classes(r))
    return false;
  bool shares = read_shares(r, raw);
  return read_tables(r, raw) && shares && link;
}
