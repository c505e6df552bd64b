/* SPDX-License-Identifier: Apache-2.0 */
/* save.h - files that are written as a whole or not at all */
#ifndef LOOM_IO_SAVE_H
#define LOOM_IO_SAVE_H

#include "io/source.h"

/* Puts `size` bytes into the file `name`: beside it first, then in its place, so that a file that
 * is there keeps what it has until the new one is complete and on the disk. What is no plain file,
 * such as a device, is written to. False: nothing changed, *err says why. */
bool loom_save(const char *name, const char *text, size_t size, struct loom_error *err);

/* Removes what a process left in `folder` that was killed while it made the file `name` there. */
void loom_save_clean(const char *folder, const char *name);

#endif
