/* SPDX-License-Identifier: Apache-2.0 */
/* text_stream.h - a stream into memory that knows when memory ended
 *
 * open_memstream of the C library drops what it has no room for, and neither ferror nor fclose says
 * so: a table would miss some figures in its middle.
 */
#ifndef LOOM_IO_TEXT_STREAM_H
#define LOOM_IO_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* What is written becomes *text, with a NUL after its *size bytes: the caller's when fclose was 0.
 * When it was not, memory has ended and *text is NULL. NULL: out of memory. */
FILE *loom_text_open(char **text, size_t *size);

#endif
