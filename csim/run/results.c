/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath, renameat2 */

#include "run/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/json_memory.h"
#include "io/path.h"
#include "io/save.h"
#include "io/text_stream.h"
#include "io/yaml_edit.h"
#include "run/plot_names.h"
#include "run/read_fabric.h"
#include "run/statistics.h"

#define LOOM_RESULTS_FABRIC "fabric.yaml"

enum { PATH_ROOM = 64, NAME_ROOM = NAME_MAX + sizeof LOOM_PLOT_FOLDER + 1 };

static bool fail(struct loom_error *err, const char *name, const char *what) {
  return loom_fail(err, name, 0, "directory", "%s: %s", what, strerror(errno));
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static const char *base_of(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

/* Of the files that runs write. */
static bool is_own(const char *name) {
  static const char *const own[] = {LOOM_RESULTS_SUMMARY, "series.csv", "latency.csv",
                                    LOOM_RESULTS_FABRIC};
  for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
    if (!strcmp(own[i], name))
      return true;
  for (unsigned i = 0; i < LOOM_STATISTICS_FILES; i++)
    if (!strcmp(loom_statistics_file[i].name, name))
      return true;
  return false;
}

static bool name_taken(const struct loom_kept *k, const char *name) {
  for (uint32_t i = 0; i < k->files; i++)
    if (!strcmp(k->file[i].name, name))
      return true;
  return is_own(name);
}

/* Takes a file that a spec names (or an empty name) and the path of its key. False: stop. */
typedef bool take_file(void *context, const char *file, const char *path);

/* A file of an entry of a list. */
static bool take_of(take_file *take, void *context, const char *file, const char *list, uint32_t i,
                    const char *key) {
  char path[32];
  snprintf(path, sizeof path, "%s[%u].%s", list, (unsigned)i, key);
  return take(context, file, path);
}

/* All files that a spec names. */
static bool take_all(const struct loom_spec *s, take_file *take, void *context) {
  if (!take(context, s->net, "topology.file") || !take(context, s->lfts, "routing.lfts") ||
      !take(context, s->path_records, "routing.path_records") ||
      !take(context, s->tables.dtable, "dtable") || !take(context, s->tables.opensm, "opensm"))
    return false;
  for (uint32_t i = 0; i < s->offers; i++)
    if (!take_of(take, context, s->offer[i].file, "traffic", s->offer[i].entry, "file"))
      return false;
  for (uint32_t i = 0; i < s->traces; i++)
    if (!take_of(take, context, s->trace[i].file, "traces", i, "file") ||
        !take_of(take, context, s->trace[i].names, "traces", i, "names") ||
        !take_of(take, context, s->trace[i].table, "traces", i, "intra.table"))
      return false;
  return true;
}

/* The changes that make a file name its copies. */
struct renames {
  uint32_t count;
  struct loom_path_name {
    char path[32];
  } path[LOOM_KEPT_FILES];
  struct loom_edit edit[LOOM_KEPT_FILES];
};

struct keeping {
  struct loom_kept *kept;
  struct renames *renames;
  const struct loom_spec *spec;
  struct loom_error *err;
};

static bool keep_file(void *context, const char *file, const char *path) {
  const struct keeping *g = context;
  struct loom_kept *k = g->kept;
  struct renames *r = g->renames;
  struct loom_kept_file *to = &k->file[k->files];
  if (!file[0])
    return true;
  snprintf(to->name, sizeof to->name, "%s", base_of(file));
  if (name_taken(k, to->name))
    snprintf(to->name, sizeof to->name, "%u-%.200s", (unsigned)k->files, base_of(file));
  char *from = loom_spec_path(g->spec, file);
  bool ok = from ? loom_source_read_all(&to->content, from, g->err)
                 : loom_fail(g->err, file, 0, "file", "out of memory");
  free(from);
  if (!ok)
    return false;
  to->content.name = to->name;
  snprintf(r->path[r->count].path, sizeof r->path[r->count].path, "%s", path);
  r->edit[r->count] = (struct loom_edit){r->path[r->count].path, to->name};
  r->count++;
  k->files++;
  return true;
}

bool loom_keep(struct loom_kept *kept, const struct loom_source *src, const struct loom_spec *spec,
               struct loom_error *err) {
  struct renames *r = calloc(1, sizeof *r);
  struct keeping keeping = {.kept = kept, .renames = r, .spec = spec, .err = err};
  memset(kept, 0, sizeof *kept);
  if (!r)
    return loom_fail(err, src->name, 0, "file", "out of memory");
  bool ok = take_all(spec, keep_file, &keeping);
  if (ok && r->count)
    ok = loom_yaml_edit(src, r->edit, r->count, &kept->yaml, err);
  else if (ok && !loom_source_copy(&kept->yaml, src->name, src->text, src->size))
    ok = loom_fail(err, src->name, 0, "file", "out of memory");
  free(r);
  if (!ok)
    loom_kept_free(kept);
  return ok;
}

void loom_kept_free(struct loom_kept *kept) {
  loom_source_free(&kept->yaml);
  for (uint32_t i = 0; i < kept->files; i++)
    loom_source_free(&kept->file[i].content);
  kept->files = 0;
}

uint64_t loom_kept_hash(const struct loom_kept *kept, uint64_t hash) {
  hash = loom_hash(hash, kept->yaml.text, kept->yaml.size);
  for (uint32_t i = 0; i < kept->files; i++)
    hash = loom_hash(hash, kept->file[i].content.text, kept->file[i].content.size);
  return hash;
}

/* ---- directories ----------------------------------------------------------------------------- */

/* A name beside a directory; the caller's. */
static char *beside(const char *place, const char *what) {
  size_t room = strlen(place) + PATH_ROOM;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s~%s%ld", place, what, (long)getpid());
  return path;
}

static bool is_entry(const struct dirent *e) {
  return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* Removes a directory that has nothing but files in it, and perhaps figures. */
static bool remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char *path = is_entry(e) ? loom_path_in(folder, e->d_name, "") : NULL;
    if (path && unlink(path) && !strcmp(e->d_name, LOOM_PLOT_FOLDER))
      remove_folder(path);
    free(path);
  }
  if (dir)
    closedir(dir);
  return rmdir(folder) == 0;
}

/* ---- what is in them ------------------------------------------------------------------------- */

/* Whether there is a summary, and the names, by their letters, of the first thing that is there and
 * of the first that no run wrote; empty: none. */
struct found {
  bool results;
  char first[NAME_ROOM], strange[NAME_ROOM];
};

static void keep_first(char first[NAME_ROOM], const char *name) {
  if (!first[0] || strcmp(name, first) < 0)
    snprintf(first, NAME_ROOM, "%s", name);
}

static bool is_file(const char *path) {
  struct stat s;
  return !lstat(path, &s) && S_ISREG(s.st_mode);
}

static bool is_folder(const char *path) {
  struct stat s;
  return !lstat(path, &s) && S_ISDIR(s.st_mode);
}

/* Finds what is no figure of a run. */
static void look_at_figures(struct found *f, const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char name[NAME_ROOM];
    snprintf(name, sizeof name, LOOM_PLOT_FOLDER "/%s", e->d_name);
    if (is_entry(e) && !loom_plot_is_figure(e->d_name))
      keep_first(f->strange, name);
  }
  if (dir)
    closedir(dir);
  else
    keep_first(f->strange, LOOM_PLOT_FOLDER);
}

/* Stops at the file of this name. */
static bool is_other(void *name, const char *file, const char *path) {
  (void)path;
  return strcmp(name, file) != 0;
}

/* `kept`: what fabric.yaml says there. */
static void look_at(struct found *f, const char *folder, char *name, const struct loom_spec *kept) {
  char *path = loom_path_in(folder, name, "");
  bool known = is_own(name) || (kept && !take_all(kept, is_other, name));
  keep_first(f->first, name);
  f->results = f->results || !strcmp(name, LOOM_RESULTS_SUMMARY);
  if (path && !strcmp(name, LOOM_PLOT_FOLDER) && is_folder(path))
    look_at_figures(f, path);
  else if (!path || !known || !is_file(path))
    keep_first(f->strange, name);
  free(path);
}

/* The configuration beside results; NULL: it cannot be read. */
static struct loom_spec *kept_setup(const char *folder) {
  char *path = loom_path_in(folder, LOOM_RESULTS_FABRIC, "");
  struct loom_spec *spec = calloc(1, sizeof *spec);
  struct loom_source src = {.text = NULL};
  struct loom_error err;
  bool ok = path && spec && is_file(path) && loom_source_read(&src, path, &err) &&
            loom_read_fabric(spec, &src, &err);
  if (!ok) {
    free(spec);
    spec = NULL;
  }
  loom_source_free(&src);
  free(path);
  return spec;
}

static struct found look(const char *folder) {
  struct found f = {.results = false};
  struct loom_spec *kept = kept_setup(folder);
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    if (is_entry(e))
      look_at(&f, folder, e->d_name, kept);
  if (dir)
    closedir(dir);
  if (kept)
    loom_spec_free(kept);
  free(kept);
  return f;
}

bool loom_results_none(const char *folder, struct loom_error *err) {
  struct stat s;
  if (stat(folder, &s))
    return errno == ENOENT || fail(err, folder, "cannot be used");
  if (!S_ISDIR(s.st_mode))
    return loom_fail(err, folder, 0, "directory", "is no directory");
  struct found f = look(folder);
  return !f.first[0] ||
         loom_fail(err, folder, 0, "directory", "holds no sweep but `%.100s`", f.first);
}

/* ---- where they go --------------------------------------------------------------------------- */

/* The directory itself: without slashes at its end, and where a link leads. The caller's; NULL:
 * *err says why. */
static char *place_of(const char *folder, struct loom_error *err) {
  struct stat s;
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  char *place = strndup(folder, length);
  if (!place || lstat(place, &s) || !S_ISLNK(s.st_mode)) {
    if (!place)
      loom_fail(err, folder, 0, "directory", "out of memory");
    return place;
  }
  char *target = realpath(place, NULL);
  if (!target)
    fail(err, folder, "is a link that leads nowhere");
  free(place);
  return target;
}

/* A directory can be made or replaced there. */
static bool may_change(const char *place, const char *folder, struct loom_error *err) {
  const char *last = base_of(place);
  if (!last[strspn(last, ".")] && strlen(last) < 3)
    return loom_fail(err, folder, 0, "directory", "cannot be replaced: give its own name");
  char *parent = strndup(place, (size_t)(last - place));
  if (!parent)
    return loom_fail(err, folder, 0, "directory", "out of memory");
  bool ok = !access(parent[0] ? parent : ".", W_OK | X_OK) || fail(err, folder, "cannot be made");
  free(parent);
  return ok;
}

static bool may_replace(const char *place, const char *folder, struct loom_error *err) {
  struct stat s;
  if (stat(place, &s))
    return errno == ENOENT || fail(err, folder, "cannot be used");
  if (!S_ISDIR(s.st_mode))
    return loom_fail(err, folder, 0, "directory", "is no directory");
  if (access(place, R_OK | W_OK | X_OK))
    return fail(err, folder, "cannot be used");
  struct found f = look(place);
  if (f.first[0] && !f.results)
    return loom_fail(err, folder, 0, "directory", "holds no results but `%.100s`", f.first);
  return !f.strange[0] ||
         loom_fail(err, folder, 0, "directory", "holds `%.100s`, which no run wrote", f.strange);
}

static bool may_use(const char *place, const char *folder, struct loom_error *err) {
  return may_change(place, folder, err) && may_replace(place, folder, err);
}

/* ---- what a process that was killed has left ------------------------------------------------- */

/* `NAME~part123` or `NAME~old123`, as `beside` makes them; no point of a sweep has such a name. */
static bool is_left_over(const char *name, const char *what) {
  const char *sign = strrchr(name, '~');
  size_t word = sign && !strncmp(sign + 1, what, strlen(what)) ? 1 + strlen(what) : 0;
  return word && sign[word] && !sign[word + strspn(sign + word, "0123456789")];
}

/* Results whose place was empty when a process was killed go back there. False: it has others. */
static bool put_back(const char *old) {
  char *place = strndup(old, (size_t)(strrchr(old, '~') - old));
  bool ok = place && access(place, F_OK) && errno == ENOENT && !rename(old, place);
  free(place);
  return ok;
}

static void clean_one(const char *folder, const char *name) {
  bool old = is_left_over(name, "old");
  char *path = old || is_left_over(name, "part") ? loom_path_in(folder, name, "") : NULL;
  if (path && !(old && put_back(path)))
    remove_folder(path);
  free(path);
}

void loom_results_clean(const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    clean_one(folder, e->d_name);
  if (dir)
    closedir(dir);
}

/* Of results that are not there: those that a killed process left beside their place. */
static void look_beside(const char *place) {
  const char *last = base_of(place);
  char *parent = strndup(place, (size_t)(last - place));
  DIR *dir = !parent || !access(place, F_OK) ? NULL : opendir(parent[0] ? parent : ".");
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    bool mine = is_left_over(e->d_name, "old") && !strncmp(e->d_name, last, strlen(last)) &&
                e->d_name[strlen(last)] == '~';
    char *path = mine ? loom_path_in(parent[0] ? parent : ".", e->d_name, "") : NULL;
    if (path)
      put_back(path);
    free(path);
  }
  if (dir)
    closedir(dir);
  free(parent);
}

bool loom_results_may(const char *folder, struct loom_error *err) {
  char *place = place_of(folder, err);
  if (place)
    look_beside(place);
  bool ok = place && may_use(place, folder, err);
  free(place);
  return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text, size_t size,
                       struct loom_error *err) {
  char *path = loom_path_in(folder, name, "");
  bool ok = path ? loom_save(path, text, size, err)
                 : loom_fail(err, folder, 0, "directory", "out of memory");
  free(path);
  return ok;
}

/* What a file of results holds: what a report prints, or the lines of a statistic. */
struct printed {
  const char *name;
  void (*print)(const struct loom_report *, FILE *);
  uint32_t statistic;
};

static void print_lines(const struct loom_report *r, uint32_t statistic, FILE *out) {
  fputs(loom_statistics_file[statistic].head, out);
  for (uint32_t i = 0; i < r->points; i++) {
    const struct loom_point_lines *l = &r->point[i].lines[statistic];
    if (l->size)
      fwrite(l->text, 1, l->size, out);
  }
}

/* The text of a file of results: the caller's, NULL out of memory. */
static char *text_of(const struct printed *what, const struct loom_report *report, size_t *size) {
  char *text = NULL;
  FILE *file = loom_text_open(&text, size);
  if (file && what->print)
    what->print(report, file);
  else if (file)
    print_lines(report, what->statistic, file);
  bool ok = file && !ferror(file);
  if (file)
    ok = !fclose(file) && ok;
  if (ok)
    return text;
  free(text);
  return NULL;
}

static bool write_printed(const char *folder, const struct printed *what,
                          const struct loom_report *report, struct loom_error *err) {
  size_t size = 0;
  char *text = text_of(what, report, &size);
  bool ok = text ? write_text(folder, what->name, text, size, err)
                 : loom_fail(err, folder, 0, "directory", "out of memory");
  free(text);
  return ok;
}

bool loom_results_trace(const char *file, const struct loom_report *report,
                        struct loom_error *err) {
  struct printed trace = {.name = file};
  while (loom_statistics_file[trace.statistic].of != LOOM_STATISTIC_TRACE)
    trace.statistic++;
  size_t size = 0;
  char *text = text_of(&trace, report, &size);
  bool ok =
      text ? loom_save(file, text, size, err) : loom_fail(err, file, 0, "file", "out of memory");
  free(text);
  return ok;
}

static bool write_tables(const char *folder, const struct loom_report *report,
                         struct loom_error *err) {
  const struct printed series = {.name = "series.csv", .print = loom_report_series};
  const struct printed latency = {.name = "latency.csv", .print = loom_report_latency};
  bool ok =
      write_printed(folder, &series, report, err) && write_printed(folder, &latency, report, err);
  for (uint32_t i = 0; ok && i < LOOM_STATISTICS_FILES; i++) {
    const struct printed lines = {.name = loom_statistics_file[i].name, .statistic = i};
    if (report->spec->run.stats >> loom_statistics_file[i].of & 1)
      ok = write_printed(folder, &lines, report, err);
  }
  return ok;
}

char *loom_results_summary(const struct loom_report *report, size_t *size) {
  loom_json_watch();
  json_t *root = loom_report_json(report);
  char *text = root && !loom_json_lacked()
                   ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12))
                   : NULL;
  json_decref(root);
  if (!text)
    return NULL;
  *size = strlen(text);
  char *line = realloc(text, *size + 2);
  if (!line) {
    free(text);
    return NULL;
  }
  line[(*size)++] = '\n';
  line[*size] = 0;
  return line;
}

static bool fill(const char *folder, const struct loom_report *report, const struct loom_kept *kept,
                 struct loom_error *err) {
  size_t size = 0;
  char *summary = loom_results_summary(report, &size);
  bool ok = summary ? write_text(folder, LOOM_RESULTS_SUMMARY, summary, size, err)
                    : loom_fail(err, folder, 0, "directory", "out of memory");
  free(summary);
  ok = ok && write_tables(folder, report, err) &&
       write_text(folder, LOOM_RESULTS_FABRIC, kept->yaml.text, kept->yaml.size, err);
  for (uint32_t i = 0; ok && i < kept->files; i++)
    ok = write_text(folder, kept->file[i].name, kept->file[i].content.text,
                    kept->file[i].content.size, err);
  return ok;
}

/* The end of older results, whose place has new ones. */
static bool remove_old(const char *old, const char *folder, struct loom_error *err) {
  return remove_folder(old) ||
         loom_fail(err, folder, 0, "directory",
                   "is new, but what was there cannot be removed: it is `%s` now", base_of(old));
}

/* Where a file system cannot exchange two directories there is nothing in the place for a moment;
 * whoever is killed then leaves `NAME~old123` for loom_results_clean. */
static bool replace_in_two_steps(const char *part, const char *place, const char *folder,
                                 struct loom_error *err) {
  char *old = beside(place, "old");
  if (!old || rename(place, old)) {
    bool bad = fail(err, folder, "cannot be replaced");
    free(old);
    return bad;
  }
  bool ok = !rename(part, place) || fail(err, folder, "cannot be made");
  if (!ok && rename(old, place))
    loom_fail(err, folder, 0, "directory", "cannot be made, and what was there is `%s` now",
              base_of(old));
  ok = ok && remove_old(old, folder, err);
  free(old);
  return ok;
}

/* Puts a directory in the place of another, which is gone then. */
static bool replace(const char *part, const char *place, const char *folder,
                    struct loom_error *err) {
  if (!look(place).results)
    return !rename(part, place) || fail(err, folder, "cannot be made");
  if (!renameat2(AT_FDCWD, part, AT_FDCWD, place, RENAME_EXCHANGE))
    return remove_old(part, folder, err);
  return errno == EINVAL || errno == ENOSYS ? replace_in_two_steps(part, place, folder, err)
                                            : fail(err, folder, "cannot be replaced");
}

static bool write_at(const char *place, const char *folder, const struct loom_report *report,
                     const struct loom_kept *kept, struct loom_error *err) {
  char *part = beside(place, "part");
  if (!part)
    return loom_fail(err, folder, 0, "directory", "out of memory");
  bool made = !mkdir(part, 0777);
  bool ok = made ? fill(part, report, kept, err) && replace(part, place, folder, err)
                 : fail(err, folder, "cannot be made");
  if (made && !ok)
    remove_folder(part);
  free(part);
  return ok;
}

bool loom_results_write(const char *folder, const struct loom_report *report,
                        const struct loom_kept *kept, struct loom_error *err) {
  char *place = place_of(folder, err);
  bool ok = place && may_use(place, folder, err) && write_at(place, folder, report, kept, err);
  free(place);
  return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool holds(const char *folder, const char *name, const struct loom_source *content) {
  struct loom_source found = {.text = NULL};
  struct loom_error err;
  char *path = loom_path_in(folder, name, "");
  bool same = path && is_file(path) && loom_source_read_all(&found, path, &err) &&
              found.size == content->size && !memcmp(found.text, content->text, found.size);
  loom_source_free(&found);
  free(path);
  return same;
}

bool loom_results_keep(const char *folder, const struct loom_kept *kept) {
  bool same = holds(folder, LOOM_RESULTS_FABRIC, &kept->yaml);
  for (uint32_t i = 0; same && i < kept->files; i++)
    same = holds(folder, kept->file[i].name, &kept->file[i].content);
  return same;
}

static bool is_class(const json_t *class) { return json_is_string(json_object_get(class, "name")); }

static bool is_summary(const json_t *root) {
  const json_t *classes = json_object_get(root, "classes");
  bool ok = json_array_size(classes) > 0 && is_class(json_object_get(root, "all")) &&
            json_is_string(json_object_get(root, "outcome")) &&
            json_integer_value(json_object_get(root, "hosts")) > 0;
  for (size_t c = 0; ok && c < json_array_size(classes); c++)
    ok = is_class(json_array_get(classes, c));
  return ok;
}

/* NULL: there is no whole summary, *err says why. What cannot be read now may be whole. */
static json_t *read_summary(const char *path, struct loom_error *err) {
  struct loom_source src = {.text = NULL};
  json_error_t why = {.line = 0};
  if (access(path, F_OK) && errno == ENOENT)
    loom_fail(err, path, 0, "file", "is missing");
  else if (loom_source_read_all(&src, path, err)) {
    json_t *root = json_loadb(src.text, src.size, 0, &why);
    loom_source_free(&src);
    if (is_summary(root))
      return root;
    json_decref(root);
    if (loom_json_lacked())
      loom_fail(err, path, 0, "file", "out of memory");
    else
      loom_fail(err, path, why.line > 0 ? (size_t)why.line : 0, "file",
                "is no whole summary; remove its directory and run again");
  }
  return NULL;
}

json_t *loom_results_read(const char *folder, FILE *out) {
  struct loom_error err = {.line = ""};
  char *path = loom_path_in(folder, LOOM_RESULTS_SUMMARY, "");
  json_t *root = NULL;
  if (path)
    root = read_summary(path, &err);
  else
    loom_fail(&err, folder, 0, "directory", "out of memory");
  if (!root)
    loom_error_print(out, &err);
  free(path);
  return root;
}
