/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - the version of the library */
#include <loom/version.h>

unsigned loom_version_number(void) { return LOOM_VERSION_NUMBER; }

const char *loom_version(void) { return LOOM_VERSION; }
