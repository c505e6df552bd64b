/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - the fields of a head flit, for LOOM_GET and LOOM_PUT64 (docs/link.md; OP-18, IB-02) */
#ifndef LOOM_HEAD_H
#define LOOM_HEAD_H

#include <loom/bits.h>

#define LOOM_NAMES "loom/link.fields"
#include <loom/names.h>

#endif
