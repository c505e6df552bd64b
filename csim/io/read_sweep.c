/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml.h"

struct raw_point {
  char *name;
  char **set;
  uint32_t set_count;
};

/* Loads from the first to the last, one step apart. */
struct raw_saturation {
  char *from, *to, *step;
};

struct raw_axis {
  char *key, *name;
  struct raw_saturation *saturation;
  char **values;
  uint32_t values_count;
  struct raw_point *points;
  uint32_t points_count;
};

struct raw_sweep {
  char *name, *fabric, *seeds;
  char **set;
  uint32_t set_count;
  struct raw_axis *grid;
  uint32_t grid_count;
};

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };
enum { TEXT_MAX = 250, SEEDS_MAX = 1000 };
/* Loads of a search have up to six decimals. */
enum { LOAD_DIGITS = 6, LOAD_ONE = 1000000, LOAD_MAX = 1000 };

#define NUMBER(key, need, type, digits, least, most)                                               \
  LOOM_YAML_NUMBER_KEY(#key, need, type, key, digits, least, most)
#define TEXT(key, need, type, max) LOOM_YAML_TEXT_KEY(#key, need, type, key, max)
#define LIST(key, need, type, entry, max) LOOM_YAML_LIST_KEY(#key, need, type, key, entry, max)

static const struct loom_yaml_schema text_schema = LOOM_YAML_TEXT_OF(TEXT_MAX);

static const struct loom_yaml_field point_fields[] = {
    TEXT(name, NEEDED, raw_point, LOOM_SWEEP_LABEL),
    LIST(set, MAY_MISS, raw_point, &text_schema, LOOM_SWEEP_SETS),
    {.key = NULL},
};
static const struct loom_yaml_schema point_schema = LOOM_YAML_MAP_OF(raw_point, point_fields);

static const struct loom_yaml_field saturation_fields[] = {
    NUMBER(from, NEEDED, raw_saturation, LOAD_DIGITS, 1, (uint64_t)LOAD_MAX *LOAD_ONE),
    NUMBER(to, NEEDED, raw_saturation, LOAD_DIGITS, 1, (uint64_t)LOAD_MAX *LOAD_ONE),
    NUMBER(step, NEEDED, raw_saturation, LOAD_DIGITS, 1, (uint64_t)LOAD_MAX *LOAD_ONE),
    {.key = NULL},
};

static const struct loom_yaml_field axis_fields[] = {
    TEXT(key, MAY_MISS, raw_axis, TEXT_MAX),
    TEXT(name, MAY_MISS, raw_axis, LOOM_SWEEP_LABEL),
    LOOM_YAML_MAP_KEY("saturation", MAY_MISS, raw_axis, saturation, raw_saturation,
                      saturation_fields),
    LIST(values, MAY_MISS, raw_axis, &text_schema, LOOM_SWEEP_VALUES),
    LIST(points, MAY_MISS, raw_axis, &point_schema, LOOM_SWEEP_VALUES),
    {.key = NULL},
};
static const struct loom_yaml_schema axis_schema = LOOM_YAML_MAP_OF(raw_axis, axis_fields);

static const struct loom_yaml_field sweep_fields[] = {
    TEXT(name, NEEDED, raw_sweep, 63),
    TEXT(fabric, NEEDED, raw_sweep, TEXT_MAX),
    NUMBER(seeds, MAY_MISS, raw_sweep, 0, 1, SEEDS_MAX),
    LIST(set, MAY_MISS, raw_sweep, &text_schema, LOOM_SWEEP_SETS - 1),
    LIST(grid, NEEDED, raw_sweep, &axis_schema, LOOM_SWEEP_AXES),
    {.key = NULL},
};
const struct loom_yaml_schema loom_sweep_schema = LOOM_YAML_MAP_OF(raw_sweep, sweep_fields);

static struct loom_path at(const char *list, uint32_t i, const char *key) {
  return loom_path(key ? "%s[%u].%s" : "%s[%u]", list, (unsigned)i, key);
}

/* ---- conversion ------------------------------------------------------------------------------ */

static bool is_plain(const char *text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~')
      return false;
  return true;
}

/* A change: a path and a value. */
static bool add_edit(const struct loom_yaml *yaml, const char *where, struct loom_sweep_value *v,
                     const char *path, const char *value) {
  size_t length = strlen(path) + 1;
  char *text = malloc(length + strlen(value) + 1);
  if (!text)
    return loom_yaml_no_memory(yaml, where);
  memcpy(text, path, length);
  memcpy(text + length, value, strlen(value) + 1);
  v->text[v->sets] = text;
  v->edit[v->sets++] = (struct loom_edit){text, text + length};
  return true;
}

/* `path=value`. */
static bool add_set(const struct loom_yaml *yaml, const char *where, struct loom_sweep_value *v,
                    const char *text) {
  char path[TEXT_MAX + 1];
  const char *sign = strchr(text, '=');
  if (!sign || sign == text)
    return loom_yaml_fail(yaml, where, "`%.40s` is not KEY=VALUE", text);
  snprintf(path, sizeof path, "%.*s", (int)(sign - text), text);
  return add_edit(yaml, where, v, path, sign + 1);
}

static bool add_sets(const struct loom_yaml *yaml, const char *list, struct loom_sweep_value *v,
                     char *const *set, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!add_set(yaml, at(list, i, NULL).text, v, set[i]))
      return false;
  return true;
}

static bool set_label(const struct loom_yaml *yaml, const char *where, char *label,
                      const char *text) {
  if (!is_plain(text))
    return loom_yaml_fail(yaml, where, "has a character that is not plain");
  if (strlen(text) > LOOM_SWEEP_LABEL)
    return loom_yaml_fail(yaml, where, "has more than %d characters: give it a name",
                          LOOM_SWEEP_LABEL);
  memcpy(label, text, strlen(text) + 1);
  return true;
}

static bool read_values(const struct loom_yaml *yaml, struct loom_sweep_axis *a, const char *path,
                        const struct raw_axis *raw) {
  for (; a->values < raw->values_count; a->values++) {
    struct loom_path where = at(loom_path("%s.values", path).text, a->values, NULL);
    struct loom_sweep_value *v = &a->value[a->values];
    if (!set_label(yaml, where.text, v->label, raw->values[a->values]) ||
        !add_edit(yaml, where.text, v, raw->key, raw->values[a->values]))
      return false;
  }
  return true;
}

static bool read_points(const struct loom_yaml *yaml, struct loom_sweep_axis *a, const char *path,
                        const struct raw_axis *raw) {
  for (; a->values < raw->points_count; a->values++) {
    const struct raw_point *p = &raw->points[a->values];
    struct loom_path where = at(loom_path("%s.points", path).text, a->values, NULL);
    struct loom_sweep_value *v = &a->value[a->values];
    if (!set_label(yaml, where.text, v->label, p->name) ||
        !add_sets(yaml, loom_path("%s.set", where.text).text, v, p->set, p->set_count))
      return false;
  }
  return true;
}

/* One of the bounds of a search, in units of 10^-LOAD_DIGITS. */
static bool read_load(const struct loom_yaml *yaml, const char *path, const char *key,
                      const char *text, uint64_t *value) {
  return loom_yaml_number(yaml, loom_path("%s.saturation.%s", path, key).text, text, LOAD_DIGITS, 1,
                          (uint64_t)LOAD_MAX * LOAD_ONE, value);
}

/* As people write it: without zeros at its end. */
static void print_load(char *text, size_t size, uint64_t load) {
  snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, load / LOAD_ONE, LOAD_DIGITS, load % LOAD_ONE);
  size_t length = strlen(text);
  while (text[length - 1] == '0')
    text[--length] = 0;
  if (text[length - 1] == '.')
    text[length - 1] = 0;
}

/* The loads among which saturation is searched. */
static bool read_saturation(const struct loom_yaml *yaml, struct loom_sweep_axis *a,
                            const char *path, const struct raw_axis *raw) {
  const struct raw_saturation *r = raw->saturation;
  struct loom_path where = loom_path("%s.saturation", path);
  uint64_t from = 0, to = 0, step = 0;
  if (strcmp(raw->key, "load") != 0 && strncmp(raw->key, "load.", 5) != 0)
    return loom_yaml_fail(yaml, where.text, "is searched along load or load.CLASS, not %.40s",
                          raw->key);
  if (!read_load(yaml, path, "from", r->from, &from) || !read_load(yaml, path, "to", r->to, &to) ||
      !read_load(yaml, path, "step", r->step, &step))
    return false;
  if (to < from || (to - from) / step >= LOOM_SWEEP_VALUES)
    return loom_yaml_fail(yaml, where.text, "has %s loads, 1 to %d are possible",
                          to < from ? "no" : "too many", LOOM_SWEEP_VALUES);
  for (uint64_t load = from; load <= to; load += step, a->values++) {
    struct loom_sweep_value *v = &a->value[a->values];
    print_load(v->label, sizeof v->label, load);
    if (!add_edit(yaml, where.text, v, raw->key, v->label))
      return false;
  }
  return true;
}

/* As it stands in the name of a directory, where `=` and `,` divide names and labels. */
static char in_folder(char c) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return strchr(plain, c) ? c : '_';
}

static bool same_folder(const char *a, const char *b) {
  while (*a && in_folder(*a) == in_folder(*b)) {
    a++;
    b++;
  }
  return *a == *b;
}

static bool check_labels(const struct loom_yaml *yaml, const struct loom_sweep_axis *a,
                         const char *path) {
  for (uint32_t i = 0; i < a->values; i++)
    for (uint32_t j = 0; j < i; j++)
      if (same_folder(a->value[i].label, a->value[j].label))
        return loom_yaml_fail(yaml, path, "`%s` and `%s` would share a directory",
                              a->value[j].label, a->value[i].label);
  return true;
}

/* An axis is of one of three kinds. */
static bool check_kind(const struct loom_yaml *yaml, uint32_t i, const struct raw_axis *raw) {
  int kinds = (raw->values_count > 0) + (raw->saturation != NULL) + (raw->points_count > 0);
  if (kinds != 1 || (raw->points_count > 0) != (raw->key == NULL))
    return loom_yaml_fail(yaml, at("grid", i, NULL).text,
                          "give key and values, key and saturation, or name and points");
  return raw->key || raw->name || loom_yaml_fail(yaml, at("grid", i, "name").text, "missing key");
}

static bool read_axis(const struct loom_yaml *yaml, struct loom_sweep *s, uint32_t i,
                      const struct raw_axis *raw) {
  struct loom_sweep_axis *a = &s->axis[i];
  struct loom_path path = at("grid", i, NULL);
  if (!check_kind(yaml, i, raw))
    return false;
  a->value = calloc(LOOM_SWEEP_VALUES, sizeof *a->value);
  if (!a->value)
    return loom_yaml_no_memory(yaml, path.text);
  if (!set_label(yaml, path.text, a->name, raw->name ? raw->name : raw->key))
    return false;
  for (uint32_t j = 0; j < i; j++)
    if (!strcmp(s->axis[j].name, a->name))
      return loom_yaml_fail(yaml, path.text, "another axis is called `%s`", a->name);
  if (raw->saturation) {
    if (s->search < i)
      return loom_yaml_fail(yaml, path.text, "another axis is searched for saturation");
    s->search = i;
    return read_saturation(yaml, a, path.text, raw);
  }
  return (raw->key ? read_values(yaml, a, path.text, raw) : read_points(yaml, a, path.text, raw)) &&
         check_labels(yaml, a, path.text);
}

/* Names of points are those of directories. */
static bool check_names(const struct loom_yaml *yaml, const struct loom_sweep *s) {
  char name[LOOM_SWEEP_NAME];
  for (uint32_t p = 0; p < s->points; p++) {
    loom_sweep_point_name(s, p, name);
    if (strlen(name) > LOOM_SWEEP_FOLDER)
      return loom_yaml_fail(yaml, "grid",
                            "the name of a point would have %zu characters, %d are the most",
                            strlen(name), LOOM_SWEEP_FOLDER);
  }
  return true;
}

static bool read_grid(const struct loom_yaml *yaml, struct loom_sweep *s,
                      const struct raw_sweep *raw) {
  s->points = 1;
  s->search = raw->grid_count;
  for (uint32_t i = 0; i < raw->grid_count; i++) {
    s->axes = i + 1; /* what it owns is given back, whole or not */
    if (!read_axis(yaml, s, i, &raw->grid[i]))
      return false;
    s->points *= s->axis[i].values;
    if (s->points > LOOM_SWEEP_POINTS)
      return loom_yaml_fail(yaml, "grid", "has more than %d points", LOOM_SWEEP_POINTS);
  }
  return check_names(yaml, s);
}

/* The fabric file stands beside the sweep file. */
static bool find_fabric(const struct loom_yaml *yaml, struct loom_sweep *s, const char *file) {
  const char *name = yaml->src->name;
  const char *slash = file[0] == '/' ? NULL : strrchr(name, '/');
  size_t head = slash ? (size_t)(slash - name) + 1 : 0;
  s->fabric = malloc(head + strlen(file) + 1);
  if (!s->fabric)
    return loom_yaml_no_memory(yaml, "fabric");
  memcpy(s->fabric, name, head);
  memcpy(s->fabric + head, file, strlen(file) + 1);
  return is_plain(file) || loom_yaml_fail(yaml, "fabric", "has a character that is not plain");
}

static bool convert(const struct loom_yaml *yaml, struct loom_sweep *s,
                    const struct raw_sweep *raw) {
  uint32_t seeds = 0;
  snprintf(s->name, sizeof s->name, "%s", raw->name);
  if (!is_plain(s->name))
    return loom_yaml_fail(yaml, "name", "has a character that is not plain");
  return find_fabric(yaml, s, raw->fabric) &&
         loom_yaml_u32(yaml, "seeds", raw->seeds, 1, SEEDS_MAX, &seeds) &&
         (!raw->seeds || add_edit(yaml, "seeds", &s->all, "run.seeds", raw->seeds)) &&
         add_sets(yaml, "set", &s->all, raw->set, raw->set_count) && read_grid(yaml, s, raw);
}

bool loom_read_sweep(struct loom_sweep *sweep, const struct loom_source *src,
                     struct loom_error *err) {
  struct loom_yaml yaml = {.src = src, .schema = &loom_sweep_schema, .err = err};
  void *raw = NULL;
  memset(sweep, 0, sizeof *sweep);
  bool ok = loom_yaml_load(&yaml, &raw) && convert(&yaml, sweep, raw);
  loom_yaml_free(&yaml);
  if (!ok)
    loom_sweep_free(sweep);
  return ok;
}

static void free_value(struct loom_sweep_value *v) {
  for (uint32_t i = 0; i < v->sets; i++)
    free(v->text[i]);
}

void loom_sweep_free(struct loom_sweep *sweep) {
  for (uint32_t a = 0; a < sweep->axes; a++) {
    for (uint32_t v = 0; sweep->axis[a].value && v < LOOM_SWEEP_VALUES; v++)
      free_value(&sweep->axis[a].value[v]);
    free(sweep->axis[a].value);
  }
  free_value(&sweep->all);
  free(sweep->fabric);
  memset(sweep, 0, sizeof *sweep);
}

/* ---- points ---------------------------------------------------------------------------------- */

uint32_t loom_sweep_place(const struct loom_sweep *sweep, uint32_t point, uint32_t axis) {
  for (uint32_t a = sweep->axes; a-- > axis + 1;)
    point /= sweep->axis[a].values;
  return point % sweep->axis[axis].values;
}

uint32_t loom_sweep_moved(const struct loom_sweep *sweep, uint32_t point, uint32_t axis,
                          uint32_t value) {
  uint32_t between = 1; /* points from one value of this axis to the next */
  for (uint32_t a = axis + 1; a < sweep->axes; a++)
    between *= sweep->axis[a].values;
  return point + value * between - loom_sweep_place(sweep, point, axis) * between;
}

static char *add_plain(char *at, const char *text) {
  while (*text)
    *at++ = in_folder(*text++);
  return at;
}

void loom_sweep_point_name(const struct loom_sweep *sweep, uint32_t point,
                           char name[LOOM_SWEEP_NAME]) {
  for (uint32_t a = 0; a < sweep->axes; a++) {
    if (a)
      *name++ = ',';
    name = add_plain(name, sweep->axis[a].name);
    *name++ = '=';
    name = add_plain(name, sweep->axis[a].value[loom_sweep_place(sweep, point, a)].label);
  }
  *name = '\0';
}

size_t loom_sweep_edits(const struct loom_sweep *sweep, uint32_t point,
                        struct loom_edit edit[(LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS]) {
  size_t count = 0;
  for (uint32_t i = 0; i < sweep->all.sets; i++)
    edit[count++] = sweep->all.edit[i];
  for (uint32_t a = 0; a < sweep->axes; a++) {
    const struct loom_sweep_value *v = &sweep->axis[a].value[loom_sweep_place(sweep, point, a)];
    for (uint32_t i = 0; i < v->sets; i++)
      edit[count++] = v->edit[i];
  }
  return count;
}
