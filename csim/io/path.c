/* SPDX-License-Identifier: Apache-2.0 */
#include "io/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *loom_path_in(const char *folder, const char *name, const char *end) {
  size_t room = strlen(folder) + strlen(name) + strlen(end) + 2;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s/%s%s", folder, name, end);
  return path;
}
