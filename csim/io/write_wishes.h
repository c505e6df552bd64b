/* SPDX-License-Identifier: Apache-2.0 */
/* write_wishes.h - tables that meet wishes, as files (docs/vlarb.md) */
#ifndef LOOM_IO_WRITE_WISHES_H
#define LOOM_IO_WRITE_WISHES_H

#include <stdio.h>

#include "io/read_wishes.h"
#include "qos/vlarb_solve.h"

/* opensm.conf: the tables, the limit, the SLs. */
void loom_write_wishes_conf(FILE *file, const struct loom_wishes *wishes,
                            const struct loom_wish_answer *answer);

/* A scheduler fixture (docs/formats.md): the tables, saturated VLs with packets of the MTU, and the
 * shares that must come out within `tolerance` parts per million. */
void loom_write_wishes_fixture(FILE *file, const struct loom_wishes *wishes,
                               const struct loom_wish_answer *answer, uint32_t tolerance);

#endif
