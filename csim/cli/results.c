#define _GNU_SOURCE /* open_memstream */

#include "cli/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/save.h"
#include "cli/yaml_edit.h"

enum { PATH_ROOM = 64 };

static bool fail(struct loom_error *err, const char *name, const char *what) {
  return loom_fail(err, name, 0, "directory", "%s: %s", what, strerror(errno));
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static const char *base_of(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static bool name_taken(const struct loom_kept *k, const char *name) {
  static const char *const own[] = {"summary.json", "series.csv", "latency.csv", "fabric.yaml",
                                    NULL};
  for (unsigned i = 0; own[i]; i++)
    if (!strcmp(own[i], name))
      return true;
  for (uint32_t i = 0; i < k->files; i++)
    if (!strcmp(k->file[i].name, name))
      return true;
  return false;
}

/* The changes that make a file name its copies. */
struct renames {
  uint32_t count;
  struct loom_path_name {
    char path[32];
  } path[LOOM_KEPT_FILES];
  struct loom_edit edit[LOOM_KEPT_FILES];
};

static bool keep_file(struct loom_kept *k, struct renames *r, const struct loom_setup *s,
                      const char *file, const char *path, struct loom_error *err) {
  struct loom_kept_file *to = &k->file[k->files];
  if (!file[0])
    return true;
  snprintf(to->name, sizeof to->name, "%s", base_of(file));
  if (name_taken(k, to->name))
    snprintf(to->name, sizeof to->name, "%u-%.200s", (unsigned)k->files, base_of(file));
  char *from = loom_setup_path(s, file);
  bool ok = from && loom_source_read_all(&to->content, from, err);
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

/* A file of an entry of a list. */
static bool keep_of(struct loom_kept *k, struct renames *r, const struct loom_setup *s,
                    const char *file, const char *list, uint32_t i, const char *key,
                    struct loom_error *err) {
  char path[32];
  snprintf(path, sizeof path, "%s[%u].%s", list, (unsigned)i, key);
  return keep_file(k, r, s, file, path, err);
}

static bool keep_all(struct loom_kept *k, struct renames *r, const struct loom_setup *s,
                     struct loom_error *err) {
  if (!keep_file(k, r, s, s->net, "topology.file", err) ||
      !keep_file(k, r, s, s->lfts, "routing.lfts", err) ||
      !keep_file(k, r, s, s->path_records, "routing.path_records", err) ||
      !keep_file(k, r, s, s->tables.dtable, "dtable", err) ||
      !keep_file(k, r, s, s->tables.opensm, "opensm", err))
    return false;
  for (uint32_t i = 0; i < s->offers; i++)
    if (!keep_of(k, r, s, s->offer[i].file, "traffic", i, "file", err))
      return false;
  for (uint32_t i = 0; i < s->traces; i++)
    if (!keep_of(k, r, s, s->trace[i].file, "traces", i, "file", err) ||
        !keep_of(k, r, s, s->trace[i].names, "traces", i, "names", err) ||
        !keep_of(k, r, s, s->trace[i].table, "traces", i, "intra.table", err))
      return false;
  return true;
}

bool loom_keep(struct loom_kept *kept, const struct loom_source *src,
               const struct loom_setup *setup, struct loom_error *err) {
  struct renames *r = calloc(1, sizeof *r);
  memset(kept, 0, sizeof *kept);
  bool ok = r && keep_all(kept, r, setup, err);
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

/* ---- directories ----------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name) {
  size_t room = strlen(folder) + strlen(name) + 2;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s/%s", folder, name);
  return path;
}

/* A name beside a directory; the caller's. */
static char *beside(const char *folder, const char *what) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  char *path = malloc(length + PATH_ROOM);
  if (path)
    snprintf(path, length + PATH_ROOM, "%.*s~%s%ld", (int)length, folder, what, (long)getpid());
  return path;
}

/* Removes a directory that has nothing but files in it. */
static void remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char *path = join(folder, e->d_name);
    if (path && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      unlink(path);
    free(path);
  }
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* Whether a directory is there, has anything in it, has a summary. */
struct found {
  bool there, filled, results;
};

static struct found look(const char *folder) {
  struct found f = {false, false, false};
  DIR *dir = opendir(folder);
  f.there = dir != NULL;
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    f.filled = f.filled || (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0);
    f.results = f.results || !strcmp(e->d_name, "summary.json");
  }
  if (dir)
    closedir(dir);
  return f;
}

bool loom_results_may(const char *folder, struct loom_error *err) {
  struct stat s;
  if (stat(folder, &s))
    return errno == ENOENT || fail(err, folder, "cannot be used");
  if (!S_ISDIR(s.st_mode))
    return loom_fail(err, folder, 0, "directory", "is no directory");
  struct found f = look(folder);
  return !f.filled || f.results ||
         loom_fail(err, folder, 0, "directory", "holds something else than results");
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text, size_t size,
                       struct loom_error *err) {
  char *path = join(folder, name);
  bool ok = path ? loom_save(path, text, size, err)
                 : loom_fail(err, folder, 0, "directory", "out of memory");
  free(path);
  return ok;
}

/* A file that is printed. */
static bool write_printed(const char *folder, const char *name, const struct loom_report *report,
                          void print(const struct loom_report *, FILE *), struct loom_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file)
    print(report, file);
  bool ok = file && !ferror(file);
  if (file)
    ok = !fclose(file) && ok;
  ok = ok ? write_text(folder, name, text, size, err)
          : loom_fail(err, folder, 0, "directory", "out of memory");
  free(text);
  return ok;
}

char *loom_results_summary(const struct loom_report *report, size_t *size) {
  json_t *root = loom_report_json(report);
  char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
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
  bool ok = summary ? write_text(folder, "summary.json", summary, size, err)
                    : loom_fail(err, folder, 0, "directory", "out of memory");
  free(summary);
  ok = ok && write_printed(folder, "series.csv", report, loom_report_series, err) &&
       write_printed(folder, "latency.csv", report, loom_report_latency, err) &&
       write_text(folder, "fabric.yaml", kept->yaml.text, kept->yaml.size, err);
  for (uint32_t i = 0; ok && i < kept->files; i++)
    ok = write_text(folder, kept->file[i].name, kept->file[i].content.text,
                    kept->file[i].content.size, err);
  return ok;
}

/* Puts a directory in the place of another, which is gone then. */
static bool replace(const char *part, const char *folder, struct loom_error *err) {
  char *old = look(folder).results ? beside(folder, "old") : NULL;
  if (old && rename(folder, old)) {
    bool bad = fail(err, folder, "cannot be replaced");
    free(old);
    return bad;
  }
  if (rename(part, folder)) {
    fail(err, folder, "cannot be made");
    if (old && rename(old, folder))
      fail(err, folder, "what was there has another name now");
    free(old);
    return false;
  }
  if (old)
    remove_folder(old);
  free(old);
  return true;
}

/* `NAME~part123` or `NAME~old123`, as `beside` makes them; no point of a sweep has such a name. */
static bool is_left_over(const char *name) {
  const char *sign = strrchr(name, '~');
  size_t word = sign && !strncmp(sign, "~part", 5) ? 5 : sign && !strncmp(sign, "~old", 4) ? 4 : 0;
  return word && sign[word] && !sign[word + strspn(sign + word, "0123456789")];
}

void loom_results_clean(const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char *path = is_left_over(e->d_name) ? join(folder, e->d_name) : NULL;
    if (path)
      remove_folder(path);
    free(path);
  }
  if (dir)
    closedir(dir);
}

bool loom_results_write(const char *folder, const struct loom_report *report,
                        const struct loom_kept *kept, struct loom_error *err) {
  char *part = loom_results_may(folder, err) ? beside(folder, "part") : NULL;
  if (!part)
    return err->line[0] ? false : loom_fail(err, folder, 0, "directory", "out of memory");
  bool made = !mkdir(part, 0777);
  bool ok = made ? fill(part, report, kept, err) && replace(part, folder, err)
                 : fail(err, folder, "cannot be made");
  if (made && !ok)
    remove_folder(part);
  free(part);
  return ok;
}
