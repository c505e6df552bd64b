/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - the version of the library */
#include <loom/version.h>

#ifndef LOOM_REVISION /* the make file knows it */
#define LOOM_REVISION "unknown"
#endif

unsigned loom_version_number(void) { return LOOM_VERSION_NUMBER; }

const char *loom_version(void) { return LOOM_VERSION; }

const char *loom_revision(void) { return LOOM_REVISION; }
