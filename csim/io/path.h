/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - paths of files in folders */
#ifndef LOOM_IO_PATH_H
#define LOOM_IO_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* `folder/nameend`: the caller's. NULL: no memory. */
char *loom_path_in(const char *folder, const char *name, const char *end);
/* The path of a library that the command loads by itself: in `folder` beside the command where it
 * was built, or where `make install` puts it. False: it is not there. */
bool loom_path_library(const char *folder, const char *name, char *path, size_t size);

#endif
