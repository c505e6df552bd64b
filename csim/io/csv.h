/* SPDX-License-Identifier: Apache-2.0 */
/* csv.h - fields of tables for programs, as RFC 4180 has them (docs/fabric.md) */
#ifndef LOOM_IO_CSV_H
#define LOOM_IO_CSV_H

#include <stdio.h>

/* A text as one field: in double quotes if it has a comma, a quote or the end of a line in it, each
 * quote doubled. Every text that a table shows goes through this; numbers need not. */
void loom_csv_text(FILE *out, const char *text);

#endif
