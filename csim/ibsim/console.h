/* SPDX-License-Identifier: Apache-2.0 */
/* console.h - lines that change the fabric while it is served (docs/ibsim.md) */
#ifndef LOOM_IBSIM_CONSOLE_H
#define LOOM_IBSIM_CONSOLE_H

#include "ibsim/subnet.h"

enum loom_console_outcome {
  LOOM_CONSOLE_DONE,
  LOOM_CONSOLE_STATUS, /* somebody is to say how traffic goes */
  LOOM_CONSOLE_QUIT,
  LOOM_CONSOLE_WRONG
};

enum { LOOM_CONSOLE_REPLY = 200 };

/* Does what a line says. `reply`, LOOM_CONSOLE_REPLY bytes, says what was done, or what is wrong.
 */
enum loom_console_outcome loom_console_line(struct loom_subnet *s, const char *line, char *reply);

/* Finds the cable end `"NAME"[PORT]`, or without quotes `NAME[PORT]`. False: *why, of
 * LOOM_CONSOLE_REPLY bytes, says what is wrong. */
bool loom_console_place(const struct loom_subnet *s, const char *text,
                        struct loom_subnet_place *place, char *why);

#endif
