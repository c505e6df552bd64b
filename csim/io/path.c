/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* readlink */
#include "io/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4096 };

char *loom_path_in(const char *folder, const char *name, const char *end) {
  size_t room = strlen(folder) + strlen(name) + strlen(end) + 2;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s/%s%s", folder, name, end);
  return path;
}

bool loom_path_library(const char *folder, const char *name, char *path, size_t size) {
  const char *const places[] = {folder, "../lib/loom"};
  char self[ROOM];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = 0;
  char *slash = strrchr(self, '/');
  if (!slash)
    return false;
  *slash = 0;
  for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
    int written = snprintf(path, size, "%.2000s/%s/%s", self, places[i], name);
    if (written >= 0 && (size_t)written < size && !access(path, R_OK))
      return true;
  }
  return false;
}
