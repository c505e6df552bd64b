/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - files of a unit test, and folders for them */
#ifndef LOOM_TB_UNIT_SCRATCH_H
#define LOOM_TB_UNIT_SCRATCH_H

#include <stddef.h>

#include "io/source.h"

enum { SCRATCH_FOLDER = 32 };

/* Makes an empty folder below build/; its name. The test removes it. */
void scratch_make(char folder[SCRATCH_FOLDER]);
/* Writes a file: a text, or any bytes. */
void scratch_write(const char *path, const char *text);
void scratch_write_bytes(const char *path, const char *bytes, size_t size);
/* A file that is there; the test frees it. */
struct loom_source scratch_read(const char *path);

#endif
