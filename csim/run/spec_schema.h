/* SPDX-License-Identifier: Apache-2.0 */
/* spec_schema.h - the fabric file as it is written: every scalar is text, NULL where an optional
 * key is missing
 *
 * Inside the readers of the fabric file. */
#ifndef LOOM_RUN_SPEC_SCHEMA_H
#define LOOM_RUN_SPEC_SCHEMA_H

#include "io/yaml.h"
#include "run/spec.h"

/* Bounds of numbers. */
#define LOOM_SPEC_CYCLES (UINT64_C(1) << 40)
#define LOOM_SPEC_WAIT UINT64_C(1000000000)  /* cycles between collectives */
#define LOOM_SPEC_DELAY UINT64_C(1000000000) /* cycles until a fault is cured */
enum { LOOM_SPEC_HOSTS = 65536, LOOM_SPEC_ROUNDS = 1000000 };
enum { LOOM_SPEC_MESSAGE = 1 << 24 /* bytes */, LOOM_SPEC_BURST = 1024 };
enum { LOOM_SPEC_PICOSECONDS = 1000000 }; /* of a cycle */
/* Of 10^9: 0.0001, 0.5. */
enum { LOOM_SPEC_PRECISION_LEAST = 100000, LOOM_SPEC_PRECISION_MOST = 500000000 };
enum { LOOM_SPEC_ARITY = 64, LOOM_SPEC_JOBS = 1024, LOOM_SPEC_TREES = 64 };
enum { LOOM_SPEC_QUEUE = 1024, LOOM_SPEC_TAKE = 1000000 }; /* of an Elan5: messages, cycles */
enum { LOOM_SPEC_RATE = 10000000 };                        /* Mb/s */
enum { LOOM_SPEC_CENTIMETRES = 200000 };                   /* of a cable */

/* Words; NULL ends them. */
extern const char *const loom_spec_schedulers[];
extern const char *const loom_spec_stages[];
extern const char *const loom_spec_central[];

struct loom_raw_list {
  char **text;
  uint32_t text_count;
};

struct loom_raw_topology {
  char *kind, *file, *k, *n, *size, *nodes, *trunk, *radix, *ports, *links, *rails;
  char *full, *spread, *blade;
  char *top, *hosted;
  char *routers, *leaves, *spines, *globals, *groups, *q;
  char *down, *up;
};

struct loom_raw_routing {
  char *engine, *layering, *vls, *cover, *ties, *choose, *trunk;
  char *lmc, *lfts, *path_records, *allow_cycles;
  char **loads;
  uint32_t loads_count;
  char **roots;
  uint32_t roots_count;
};

struct loom_raw_parameters {
  char *value[LOOM_PARAMETERS];
};

struct loom_raw_switch {
  char *kind, *scheduler, *stages, *central;
  char *choice, *threshold, *activity, *expire; /* of elite5 */
  char **preempt;
  uint32_t preempt_count;
  struct loom_raw_parameters *parameters;
};

struct loom_raw_link {
  char *latency, *host_latency, *length, *host_length, *bit_errors, *rate;
};

struct loom_raw_host {
  char *buffer, *queue, *take, *paths;
};

struct loom_raw_class {
  char *name, *sl, *sc, *vl, *mtu, *packet;
  char **scs, **vls;
  uint32_t scs_count, vls_count;
};

struct loom_raw_share {
  char *vl, *reserved, *max;
};

struct loom_raw_entry {
  char *sl, *vl, *weight;
};

struct loom_raw_offer {
  char *class_name, *operation, *pattern, *size, *load, *process, *burst, *messages, *shift, *heat,
      *file;
  char *tasks, *mapping, *grid, *nodes;
  char *kind, *algorithm, *arity, *jobs, *trees, *gap, *skew; /* of collectives */
  char **targets;
  uint32_t targets_count;
};

struct loom_raw_intra {
  char *latency, *bandwidth, *table;
};

struct loom_raw_trace {
  char *file, *class_name, *start, *mapping, *names, *collectives, *ops, *triggers;
  char *program, *tasks, *rounds, *bytes;
  struct loom_raw_intra *intra;
  char **places;
  uint32_t places_count;
};

struct loom_raw_fault {
  char *at, *what, *link, *device, *chance;
};

struct loom_raw_management {
  char *cure, *delay;
};

struct loom_raw_run {
  char *warmup, *measure, *drain, *seeds, *seed, *interval, *watchdog, *until, *cycle, *precision,
      *limit;
  char **stats;
  uint32_t stats_count;
};

struct loom_raw_fabric {
  char *name, *limit, *mode, *low_grant, *dtable, *opensm;
  struct loom_raw_topology *topology;
  struct loom_raw_routing *routing;
  struct loom_raw_switch *device;
  struct loom_raw_link *link;
  struct loom_raw_host *host;
  struct loom_raw_class *classes;
  struct loom_raw_share *vls;
  struct loom_raw_entry *table, *high, *low;
  struct loom_raw_offer *traffic;
  struct loom_raw_trace *traces;
  struct loom_raw_fault *faults;
  struct loom_raw_management *management;
  struct loom_raw_run *run;
  char **shadow;
  uint32_t classes_count, vls_count, table_count, high_count, low_count, traffic_count,
      traces_count, faults_count, shadow_count;
};

/* The schema is put together at run time: names of parameters come from the devices' lists. */
struct loom_spec_schema {
  struct loom_yaml_field parameter[LOOM_PARAMETERS + 1];
  struct loom_yaml_field device[12];
  struct loom_yaml_field top[28];
  struct loom_yaml_schema value;
};
void loom_spec_schema(struct loom_spec_schema *s);

/* What a conversion needs to know. */
struct loom_spec_reader {
  struct loom_yaml yaml;
  struct loom_spec *spec;
};

struct loom_path loom_spec_at(const char *list, uint32_t index, const char *key);
/* `true` or `false`; NULL leaves it. */
bool loom_spec_flag(const struct loom_spec_reader *r, const char *path, const char *text,
                    bool *value);
/* Copies a text that is not longer than `size` - 1 and has none but plain characters. */
bool loom_spec_text(const struct loom_spec_reader *r, const char *path, const char *text, char *out,
                    size_t size);

/* The class of this name, of entry i of a list. */
bool loom_spec_class(const struct loom_spec_reader *r, const char *list, uint32_t i,
                     const char *name, uint32_t *traffic_class);
/* The kind of entry i of `traffic`, which has no key that is not of this kind. */
bool loom_spec_read_kind(const struct loom_spec_reader *r, uint32_t i,
                         const struct loom_raw_offer *raw, enum loom_spec_kind *kind);
bool loom_spec_read_collective(const struct loom_spec_reader *r, uint32_t i,
                               const struct loom_raw_offer *raw, enum loom_spec_kind kind);

/* Parts of the conversion, in this order. */
bool loom_spec_read_shape(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw);
bool loom_spec_read_devices(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw);
bool loom_spec_read_traffic(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw);
bool loom_spec_read_faults(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw);

#endif
