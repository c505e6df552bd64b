/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/console.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD = 16 };

bool loom_console_place(const struct loom_subnet *s, const char *text,
                        struct loom_subnet_place *place, char *why) {
  char name[LOOM_TOPO_NAME];
  int end = 0;
  bool quoted = *text == '"';
  int read = quoted ? sscanf(text, "\"%63[^\"]\"[%" SCNu32 "]%n", name, &place->port, &end)
                    : sscanf(text, "%63[^[][%" SCNu32 "]%n", name, &place->port, &end);
  if (read != 2 || !end || text[end + (int)strspn(text + end, " \t")]) {
    snprintf(why, LOOM_CONSOLE_REPLY, "`%.60s` is no \"NAME\"[PORT]", text);
    return false;
  }
  place->device = loom_subnet_find(s, name);
  if (place->device == LOOM_TOPO_NONE) {
    snprintf(why, LOOM_CONSOLE_REPLY, "no device is called `%s`", name);
    return false;
  }
  if (place->port && place->port <= s->topo->device[place->device].ports &&
      loom_topo_port(s->topo, place->device, place->port)->device != LOOM_TOPO_NONE)
    return true;
  snprintf(why, LOOM_CONSOLE_REPLY, "%s has no cable at port %" PRIu32, name, place->port);
  return false;
}

/* As after a start. */
static void clear(struct loom_subnet *s, struct loom_subnet_place at) {
  uint8_t *info = loom_subnet_port(s, at.device, at.port)->info;
  loom_mad_put(info, LOOM_PORT_LID, 0);
  loom_mad_put(info, LOOM_PORT_LMC, 0);
  loom_mad_put(info, LOOM_PORT_SM_LID, 0);
}

static enum loom_console_outcome join(struct loom_subnet *s, const char *place, bool joined,
                                      bool clears, char *reply) {
  struct loom_subnet_place at;
  if (!loom_console_place(s, place, &at, reply))
    return LOOM_CONSOLE_WRONG;
  bool done = loom_subnet_join(s, at.device, at.port, joined);
  const char *name = s->topo->device[at.device].name;
  if (clears)
    clear(s, at);
  snprintf(reply, LOOM_CONSOLE_REPLY, "%s[%" PRIu32 "] %s%s", name, at.port,
           done ? "" : "was already ", joined ? "linked" : "unlinked");
  return done || clears ? LOOM_CONSOLE_DONE : LOOM_CONSOLE_WRONG;
}

enum loom_console_outcome loom_console_line(struct loom_subnet *s, const char *line, char *reply) {
  char word[WORD + 1] = "";
  int end = 0;
  *reply = '\0';
  line += strspn(line, " \t");
  if (!*line || *line == '#')
    return LOOM_CONSOLE_DONE;
  if (sscanf(line, "%16s %n", word, &end) == 1 && end) {
    if (!strcasecmp(word, "unlink"))
      return join(s, line + end, false, false, reply);
    if (!strcasecmp(word, "clear"))
      return join(s, line + end, false, true, reply);
    if (!strcasecmp(word, "relink"))
      return join(s, line + end, true, false, reply);
    if (!strcasecmp(word, "status"))
      return LOOM_CONSOLE_STATUS;
    if (!strcasecmp(word, "quit"))
      return LOOM_CONSOLE_QUIT;
  }
  snprintf(
      reply, LOOM_CONSOLE_REPLY,
      "`%s` is no command; those are Unlink, Relink and Clear, each with \"NAME\"[PORT], Status "
      "and Quit",
      word);
  return LOOM_CONSOLE_WRONG;
}
