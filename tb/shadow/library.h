/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - circuits beside the twins of a fabric, as a library: build/libloom_shadow.so, which
 * `loom run` loads for a fabric file with `shadow:`
 *
 * Page: docs/cosim.md.
 */
#ifndef LOOM_TB_SHADOW_LIBRARY_H
#define LOOM_TB_SHADOW_LIBRARY_H

#include "run/circuits.h"

extern const struct loom_shadow_library loom_shadow_library;

#endif
