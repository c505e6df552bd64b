/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - paths of files in folders */
#ifndef LOOM_IO_PATH_H
#define LOOM_IO_PATH_H

/* `folder/nameend`: the caller's. NULL: no memory. */
char *loom_path_in(const char *folder, const char *name, const char *end);

#endif
