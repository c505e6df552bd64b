/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/link_rate.h"
#include "io/port_list.h"

struct reader {
  struct loom_words words;
  struct loom_port_list list;
  bool headed;                  /* iblinkinfo: there was a header, */
  bool begins;                  /* and no port after it yet */
  struct loom_listed_port head; /* what it says */
};

/* ---- words of a line ------------------------------------------------------------------------- */

/* Goes to the next line that says something; false: there is none. */
static bool take_line(struct loom_words *w) {
  while (loom_words_line(w)) {
    loom_words_cut_blanks(w);
    loom_words_skip_blanks(w);
    if (w->at < w->end && *w->at != '#')
      return true;
  }
  return false;
}

/* The first or the last place of `text` in the rest of the line; NULL: there is none. */
static const char *place_of(const struct loom_words *w, const char *text, bool last) {
  const char *found = NULL;
  size_t size = strlen(text);
  for (const char *c = w->at; (size_t)(w->end - c) >= size && (last || !found); c++)
    if (!memcmp(c, text, size))
      found = c;
  return found;
}

static bool must_take(struct loom_words *w, const char *key, const char *text) {
  loom_words_skip_blanks(w);
  return loom_words_take(w, text) || loom_words_refuse(w, key, "must be `%s` here", text);
}

static bool read_guid(struct loom_words *w, uint64_t *guid) {
  return must_take(w, "guid", "0x") && loom_words_guid(w, guid);
}

static bool read_lid(struct loom_words *w, uint32_t *lid) {
  loom_words_skip_blanks(w);
  return loom_words_number(w, "lid", 0, LOOM_TOPO_LID_MAX, lid);
}

static bool read_port(struct loom_words *w, uint32_t *port) {
  loom_words_skip_blanks(w);
  return loom_words_number(w, "port", 1, LOOM_TOPO_PORTS, port);
}

static struct loom_description text_to(struct loom_words *w, const char *stop, size_t skip) {
  const struct loom_description d = {.text = w->at, .size = (size_t)(stop - w->at)};
  w->at = stop + skip;
  return d;
}

static bool no_memory(const struct reader *r) {
  return loom_fail(r->words.err, r->words.src->name, 0, "file", "out of memory, or too many ports");
}

/* ---- ibnetdiscover -p ------------------------------------------------------------------------ */

/* `SW` or `CA`, LID, port, GUID. */
static bool read_end(struct loom_words *w, bool *is_switch, struct loom_port_key *key) {
  loom_words_skip_blanks(w);
  *is_switch = loom_words_take(w, "SW ");
  if (!*is_switch && !loom_words_take(w, "CA ") && !loom_words_take(w, "RT "))
    return loom_words_refuse(w, "device", "must be SW, CA or RT");
  return read_lid(w, &key->lid) && read_port(w, &key->port) && read_guid(w, &key->guid);
}

static bool read_report_rate(struct loom_words *w, uint32_t *rate) {
  uint32_t lanes = 0;
  uint32_t lane = 0;
  loom_words_skip_blanks(w);
  if (!loom_take_width(w, &lanes))
    return loom_words_refuse(w, "speed", "must be a width and a speed, such as `4x QDR`");
  loom_words_skip_blanks(w);
  if (!loom_take_speed(w, &lane))
    return loom_words_refuse(w, "speed", "is none of InfiniBand's");
  *rate = loom_link_rate(lanes, lane);
  return true;
}

/* ` ( 'near' - 'far' )`, or ` 'near'`. */
static bool read_report_names(struct loom_words *w, struct loom_listed_port *p) {
  if (!must_take(w, "description", p->linked ? "( '" : "'"))
    return false;
  const char *stop = place_of(w, p->linked ? "' - '" : "'", !p->linked);
  if (!stop)
    return loom_words_refuse(w, "description", "the closing quote is missing");
  p->name = text_to(w, stop, p->linked ? 5 : 1);
  if (p->linked) {
    stop = place_of(w, "' )", true);
    if (!stop)
      return loom_words_refuse(w, "description", "the closing quote is missing");
    p->far_name = text_to(w, stop, 3);
  }
  return loom_words_end(w, "description");
}

static bool same_text(struct loom_description a, struct loom_description b) {
  return a.size == b.size && (!a.size || !memcmp(a.text, b.text, a.size));
}

/* A port of the device of the line before: of a switch all have one GUID, those of an adapter are
 * numbered as its ports are. */
static bool goes_on(const struct loom_listed_port *last, const struct loom_listed_port *p) {
  if (last->is_switch != p->is_switch || !same_text(last->name, p->name) ||
      last->key.port == p->key.port)
    return false;
  return p->is_switch ? last->key.guid == p->key.guid
                      : last->key.guid - last->key.port == p->key.guid - p->key.port;
}

static bool add(struct reader *r, const struct loom_listed_port *p) {
  struct loom_listed_port *to = loom_port_list_add(&r->list);
  if (!to)
    return no_memory(r);
  *to = *p;
  return true;
}

static bool read_report_line(struct reader *r) {
  struct loom_words *w = &r->words;
  struct loom_listed_port p = {.line = w->line};
  bool far_is_switch = false;
  if (!read_end(w, &p.is_switch, &p.key) || !read_report_rate(w, &p.rate))
    return false;
  loom_words_skip_blanks(w);
  p.linked = loom_words_take(w, "- ");
  if ((p.linked && !read_end(w, &far_is_switch, &p.far)) || !read_report_names(w, &p))
    return false;
  p.begins = !r->list.count || !goes_on(&r->list.port[r->list.count - 1], &p);
  return add(r, &p);
}

/* ---- iblinkinfo ------------------------------------------------------------------------------ */

/* `Switch: 0x0002c90000000002 leaf 1:`, `CA: node1 HCA-1:`; false: it is another line. */
static bool take_header(struct reader *r, bool *ok) {
  struct loom_words *w = &r->words;
  struct loom_listed_port head = {.line = w->line};
  *ok = true;
  if (loom_words_take(w, "Switch: ") || loom_words_take(w, "Switch "))
    head.is_switch = true;
  else if (!loom_words_take(w, "CA: ") && !loom_words_take(w, "Router: "))
    return false;
  if (head.is_switch && !read_guid(w, &head.key.guid))
    *ok = false;
  else if (w->end[-1] != ':' || w->end == w->at)
    *ok = loom_words_refuse(w, "description", "must end in `:`");
  else
    head.name = text_to(w, w->end - 1, 1);
  r->headed = r->begins = true;
  r->head = head;
  return true;
}

/* ` 12[  ]`: a port, and its number on the front. */
static bool read_bracketed(struct loom_words *w, uint32_t *port) {
  if (!read_port(w, port))
    return false;
  const char *stop = place_of(w, "]", false);
  if (w->at == w->end || *w->at != '[' || !stop)
    return loom_words_refuse(w, "port", "must be `port[number on the front]`");
  w->at = stop + 1;
  return true;
}

/* `undefined (0)`, as the tool prints what it does not know. */
static bool take_unknown(struct loom_words *w) {
  if (loom_words_take(w, "Extended speed") || loom_words_take(w, "No Extended Speed"))
    return true;
  const char *stop = place_of(w, ")", false);
  if (!stop || !loom_words_take(w, "undefined ("))
    return false;
  w->at = stop + 1;
  return true;
}

/* `4X   53.125 Gbps Active/  LinkUp`, or `Down/ Polling`: the rest tells the state of the port. */
static bool read_link(struct loom_words *w, uint32_t *rate) {
  uint32_t lanes = 0;
  uint32_t lane = 0;
  loom_words_skip_blanks(w);
  if (loom_take_width(w, &lanes) || take_unknown(w)) {
    loom_words_skip_blanks(w);
    if (!loom_take_signals(w, &lane) && !take_unknown(w))
      return loom_words_refuse(w, "speed", "is none of InfiniBand's");
  }
  *rate = loom_link_rate(lanes, lane);
  const char *stop = place_of(w, "==>", false);
  if (!stop || stop[-1] != ')')
    return loom_words_refuse(w, "port", "`)==>` is missing");
  w->at = stop + 3;
  return true;
}

/* `"description" (what it could be)` at the end of the line. */
static bool read_far_name(struct loom_words *w, struct loom_description *name) {
  if (!must_take(w, "description", "\""))
    return false;
  const char *stop = place_of(w, "\" (", true);
  if (!stop || w->end[-1] != ')')
    return loom_words_refuse(w, "description",
                             "must be `\"description\" ( )` at the end of the line");
  *name = text_to(w, stop, 1);
  return true;
}

/* What is at the cable: `0x0002c90000000002   7    1[  ] "leaf 1" ( )`, with the GUID in lines of
 * `-l`; `[  ] "" ( )`: nothing. */
static bool read_far(struct loom_words *w, bool guids, struct loom_listed_port *p) {
  loom_words_skip_blanks(w);
  if (w->at < w->end && *w->at == '[')
    return must_take(w, "peer", "[  ] \"\" ( )") &&
           (w->at == w->end || loom_words_refuse(w, "peer", "must be nothing"));
  if (loom_words_take(w, "\"Port not available\""))
    return true;
  p->linked = true;
  return (!guids || read_guid(w, &p->far.guid)) && read_lid(w, &p->far.lid) &&
         read_bracketed(w, &p->far.port) && read_far_name(w, &p->far_name);
}

/* `"description"` of a line of `-l`, up to the link. */
static bool read_near_name(struct loom_words *w, const char *link, struct loom_description *name) {
  const char *stop = link;
  w->at++;
  while (stop > w->at && *stop != '"')
    stop--;
  if (*stop != '"')
    return loom_words_refuse(w, "description", "the closing quote is missing");
  *name = text_to(w, stop, 1);
  return true;
}

/* Of lines of `-l` nobody says what the device is: a switch has one GUID at several ports. */
static void join_lone(struct reader *r, struct loom_listed_port *p) {
  struct loom_listed_port *last = r->list.count ? &r->list.port[r->list.count - 1] : NULL;
  if (last && last->key.guid == p->key.guid) {
    last->is_switch = p->is_switch = true;
    for (uint32_t i = r->list.count - 1; !r->list.port[i].begins; i--)
      r->list.port[i - 1].is_switch = true;
  }
  p->begins = !last || !goes_on(last, p);
}

static bool read_link_line(struct reader *r) {
  struct loom_words *w = &r->words;
  struct loom_listed_port p = {.line = w->line};
  const char *link = place_of(w, "==(", false);
  if (!link)
    return loom_words_refuse(w, "port", "a line is a header or has `==(`");
  if (*w->at == '0' && !read_guid(w, &p.key.guid))
    return false;
  loom_words_skip_blanks(w);
  bool lone = *w->at == '"';
  if (lone && (!p.key.guid || !read_near_name(w, link, &p.name)))
    return p.key.guid ? false : loom_words_refuse(w, "guid", "is missing");
  if (!lone && !r->headed)
    return loom_words_refuse(w, "port", "belongs to no device");
  if (!lone && r->head.is_switch)
    p.key.guid = r->head.key.guid;
  if (!read_lid(w, &p.key.lid) || !read_bracketed(w, &p.key.port) || !must_take(w, "port", "==(") ||
      !read_link(w, &p.rate) || !read_far(w, lone, &p))
    return false;
  if (lone) {
    join_lone(r, &p);
  } else {
    p.is_switch = r->head.is_switch;
    p.name = r->head.name;
    p.begins = r->begins;
    r->begins = false;
  }
  return add(r, &p);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_report(const struct loom_words *w) {
  return loom_words_starts(w, "SW ") || loom_words_starts(w, "CA ") || loom_words_starts(w, "RT ");
}

static bool is_header(const struct loom_words *w) {
  return loom_words_starts(w, "Switch: 0x") || loom_words_starts(w, "Switch 0x") ||
         loom_words_starts(w, "CA: ") || loom_words_starts(w, "Router: ");
}

bool loom_is_links(const struct loom_source *src) {
  struct loom_words w = {.src = src};
  return take_line(&w) &&
         (is_report(&w) || is_header(&w) || (place_of(&w, "==(", false) && *w.at == '0'));
}

/* Those that only others name are not counted. */
static uint32_t count_devices(const struct loom_port_list *list) {
  uint32_t devices = 0;
  for (uint32_t i = 0; i < list->count; i++)
    devices += list->port[i].begins;
  return devices;
}

static bool read_lines(struct reader *r) {
  struct loom_words *w = &r->words;
  if (!take_line(w))
    return loom_words_refuse(w, "device", "the file has no device");
  bool report = is_report(w);
  do {
    bool ok = true;
    if (report ? !read_report_line(r) : !take_header(r, &ok) && !read_link_line(r))
      return false;
    if (!ok)
      return false;
  } while (take_line(w));
  return loom_keeps_promise(w, count_devices(&r->list));
}

struct loom_topo *loom_read_links(const struct loom_source *src, struct loom_error *err) {
  struct reader r = {.words = {.src = src, .err = err}};
  err->line[0] = 0;
  struct loom_topo *t = read_lines(&r) ? loom_port_list_fabric(&r.list, src->name, err) : NULL;
  free(r.list.port);
  return t;
}
