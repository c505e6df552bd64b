/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath, mkdtemp, strsignal */

#include "run/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/path.h"

enum { OWN_WORDS = 16, PATH_ROOM = 4096 };

extern char **environ;

/* The command line of mpirun, and the texts that it points to. */
struct line {
  char **word;
  size_t words;
  char *mpirun; /* cut into words */
  char library[PATH_ROOM + 16], folder[PATH_ROOM + 16], clock[64], ranks[16];
};

/* ---- the recorder ---------------------------------------------------------------------------- */

static bool take_library(struct line *l, const struct loom_recording *r, struct loom_error *err) {
  char path[PATH_ROOM];
  char whole[PATH_ROOM];
  const char *before = getenv("LD_PRELOAD");
  if (r->library)
    snprintf(path, sizeof path, "%s", r->library);
  else if (!loom_path_library("record", "libloom_record.so", path, sizeof path))
    return loom_fail(err, "libloom_record.so", 0, "file", "is not there: `make record' builds it");
  if (!realpath(path, whole))
    return loom_fail(err, path, 0, "file", "cannot open: %s", strerror(errno));
  int length = snprintf(l->library, sizeof l->library, "LD_PRELOAD=%s%s%s", whole,
                        before ? ":" : "", before ? before : "");
  return length < (int)sizeof l->library ||
         loom_fail(err, "LD_PRELOAD", 0, "environment", "is too long");
}

/* ---- the command line ------------------------------------------------------------------------ */

static void add(struct line *l, char *word) { l->word[l->words++] = word; }

static bool make_line(struct line *l, const struct loom_recording *r, struct loom_error *err) {
  static char n[] = "-n";
  static char many[] = "--oversubscribe";
  static char root[] = "--allow-run-as-root";
  static char x[] = "-x";
  char whole[PATH_ROOM];
  size_t command = 0;
  while (r->command[command])
    command++;
  l->mpirun = strdup(r->mpirun);
  l->word = calloc(strlen(r->mpirun) + command + OWN_WORDS, sizeof *l->word);
  if (!l->mpirun || !l->word || !realpath(r->folder, whole))
    return loom_fail(err, r->folder, 0, "file", "cannot open: %s", strerror(errno));
  snprintf(l->folder, sizeof l->folder, "LOOM_RECORD=%s", whole);
  snprintf(l->clock, sizeof l->clock, "LOOM_RECORD_CLOCK=%s", r->clock);
  snprintf(l->ranks, sizeof l->ranks, "%" PRIu32, r->ranks);
  char *rest = NULL;
  for (char *w = strtok_r(l->mpirun, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
    add(l, w);
  char *const own[] = {n, l->ranks, many, x, l->library, x, l->folder, x, l->clock};
  for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
    add(l, own[i]);
  if (!geteuid())
    add(l, root);
  for (size_t i = 0; i < command; i++)
    add(l, r->command[i]);
  return true;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Starts it with the signals of the keyboard as they are; this process shall outlive them. */
static int start(pid_t *pid, const struct line *l) {
  posix_spawnattr_t attributes;
  sigset_t keyboard;
  const char *command = l->word[0];
  if (!command)
    return ENOENT;
  sigemptyset(&keyboard);
  sigaddset(&keyboard, SIGINT);
  sigaddset(&keyboard, SIGQUIT);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &keyboard);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int reason = posix_spawnp(pid, command, NULL, &attributes, l->word, environ);
  posix_spawnattr_destroy(&attributes);
  return reason;
}

static int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

/* What a rank said before it ended the program; false: nothing. */
static bool was_refused(const struct loom_recording *r, struct loom_error *err) {
  char text[300] = "";
  char *name = loom_path_in(r->folder, "refused", "");
  FILE *file = name ? fopen(name, "r") : NULL;
  bool said = file && fgets(text, sizeof text, file);
  if (file)
    fclose(file);
  free(name);
  text[strcspn(text, "\n")] = 0;
  loom_error_clear(err);
  if (said)
    snprintf(err->line, sizeof err->line, "%s", text);
  return said;
}

static enum loom_recording_end judge(const struct loom_recording *r, int status,
                                     struct loom_error *err) {
  if (was_refused(r, err))
    return LOOM_RECORDING_REFUSED;
  if (WIFEXITED(status) && !WEXITSTATUS(status))
    return LOOM_RECORDING_DONE;
  if (WIFEXITED(status))
    snprintf(err->line, sizeof err->line, "`%.200s` ended with status %d: no trace is written",
             r->command[0], WEXITSTATUS(status));
  else
    snprintf(err->line, sizeof err->line,
             "`%.200s` was ended by a signal (%s): no trace is written", r->command[0],
             strsignal(WTERMSIG(status)));
  return LOOM_RECORDING_FAILED;
}

static enum loom_recording_end run_line(const struct loom_recording *r, const struct line *l,
                                        struct loom_error *err) {
  struct sigaction ignored = {.sa_handler = SIG_IGN};
  struct sigaction kept[2];
  pid_t pid = 0;
  sigaction(SIGINT, &ignored, &kept[0]);
  sigaction(SIGQUIT, &ignored, &kept[1]);
  int reason = start(&pid, l);
  int status = reason ? 0 : wait_for(pid);
  sigaction(SIGINT, &kept[0], NULL);
  sigaction(SIGQUIT, &kept[1], NULL);
  if (!reason)
    return judge(r, status, err);
  loom_fail(err, l->word[0], 0, "--mpirun", "cannot start: %s", strerror(reason));
  return LOOM_RECORDING_REFUSED;
}

enum loom_recording_end loom_recording_run(const struct loom_recording *r, struct loom_error *err) {
  struct line l = {.word = NULL};
  enum loom_recording_end end = LOOM_RECORDING_REFUSED;
  if (take_library(&l, r, err) && make_line(&l, r, err))
    end = run_line(r, &l, err);
  free(l.mpirun);
  free(l.word);
  return end;
}

/* ---- folders --------------------------------------------------------------------------------- */

char *loom_recording_folder(const char *beside, struct loom_error *err) {
  size_t room = strlen(beside) + sizeof ".logsXXXXXX";
  char *name = malloc(room);
  if (name)
    snprintf(name, room, "%s.logsXXXXXX", beside);
  if (name && mkdtemp(name))
    return name;
  loom_fail(err, beside, 0, "file", "cannot make a folder beside it: %s", strerror(errno));
  free(name);
  return NULL;
}

static void remove_file(const char *folder, const char *name, const char *end) {
  char *path = loom_path_in(folder, name, end);
  if (path)
    unlink(path);
  free(path);
}

void loom_recording_remove(const char *folder, uint32_t ranks) {
  char end[16];
  for (uint32_t r = 0; r < ranks; r++) {
    snprintf(end, sizeof end, ".%" PRIu32, r);
    remove_file(folder, "rank", end);
  }
  remove_file(folder, "refused", "");
  rmdir(folder);
}
