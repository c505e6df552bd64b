/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the version of Loom: that of the headers, and that of the library that runs */
#ifndef LOOM_VERSION_H
#define LOOM_VERSION_H

#define LOOM_VERSION_MAJOR 0
#define LOOM_VERSION_MINOR 1
#define LOOM_VERSION_PATCH 0
#define LOOM_VERSION "0.1.0"
/* For #if: 1.2.3 is 10203. */
#define LOOM_VERSION_NUMBER                                                                        \
  (LOOM_VERSION_MAJOR * 10000 + LOOM_VERSION_MINOR * 100 + LOOM_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* LOOM_VERSION_NUMBER and LOOM_VERSION of the library that the program found when it was started,
 * which may be newer than its headers. */
unsigned loom_version_number(void);
const char *loom_version(void);
/* The revision of the source that it was built from: 12 digits as git names it, `-dirty` behind
 * them if files were changed; `unknown`: not built in a repository. */
const char *loom_revision(void);

#ifdef __cplusplus
}
#endif

#endif
