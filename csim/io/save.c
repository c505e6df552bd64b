/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath */

#include "io/save.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

static bool fail(struct loom_error *err, const char *name, int reason) {
  return loom_fail(err, name, 0, "file", "cannot write: %s", strerror(reason));
}

#define PART ".part" /* of a file that is being made, before the number of the process */

/* Writes everything, onto the disk if it is to stay, and closes; 0 or the reason why not. */
static int write_all(int file, const char *text, size_t size, bool stays) {
  int reason = 0;
  for (size_t done = 0; done < size && !reason;) {
    ssize_t n = write(file, text + done, size - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      reason = n ? errno : EIO;
  }
  if (stays && !reason && fsync(file) && errno != EINVAL) /* a file system that cannot */
    reason = errno;
  if (close(file) && !reason)
    reason = errno;
  return reason;
}

/* A file that is being made beside `target`, and then takes its place. */
static int replace(const char *target, const char *text, size_t size) {
  size_t room = strlen(target) + 32;
  char *part = malloc(room);
  if (!part)
    return ENOMEM;
  snprintf(part, room, "%s" PART "%ld", target, (long)getpid());
  int file = open(part, O_WRONLY | O_CREAT | O_EXCL, 0666);
  int reason = file < 0 ? errno : write_all(file, text, size, true);
  if (!reason && rename(part, target))
    reason = errno;
  if (reason && file >= 0)
    unlink(part);
  free(part);
  return reason;
}

bool loom_save(const char *name, const char *text, size_t size, struct loom_error *err) {
  struct stat found;
  int reason = 0;
  if (stat(name, &found) || S_ISDIR(found.st_mode)) {
    reason = replace(name, text, size);
  } else if (!S_ISREG(found.st_mode)) {
    int file = open(name, O_WRONLY);
    reason = file < 0 ? errno : write_all(file, text, size, false);
  } else {
    char *target = realpath(name, NULL); /* through links, which stay */
    reason = target ? replace(target, text, size) : errno;
    free(target);
  }
  return !reason || fail(err, name, reason);
}

/* `NAME.part123` of this name, as `replace` makes it. */
static bool is_part(const char *entry, const char *name) {
  size_t length = strlen(name);
  const char *end = entry + length + strlen(PART);
  return !strncmp(entry, name, length) && !strncmp(entry + length, PART, strlen(PART)) && *end &&
         !end[strspn(end, "0123456789")];
}

void loom_save_clean(const char *folder, const char *name) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char *path = is_part(e->d_name, name) ? loom_path_in(folder, e->d_name, "") : NULL;
    if (path)
      unlink(path);
    free(path);
  }
  if (dir)
    closedir(dir);
}
