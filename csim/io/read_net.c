/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_net.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/discovered.h"
#include "io/link_rate.h"
#include "io/read_links.h"
#include "io/words.h"

/* What is remembered of a port while the file is read; of port 0: of the device. */
struct claim {
  uint32_t line; /* where the port, or the device, stands; 0: nowhere */
  uint32_t lid;  /* that its line gives the peer, 0: none */
};

enum { LMC_MAX = 7 };

struct entry {
  const char *name;
  uint32_t device;
};

struct reader {
  struct loom_words words;
  struct loom_topo *t;
  struct claim *claim; /* by port of the fabric */
  struct entry *entry; /* devices by name, each name once */
  uint32_t entries;
  struct loom_description *description; /* by device */
  uint32_t *first; /* by device: the first one of that name, itself if there is no other */
  uint32_t device; /* whose ports are being read, LOOM_TOPO_NONE: none */
  bool again;      /* its ports have been read: it stands in the file twice */
  uint64_t guid;   /* of the device whose header comes next, 0: unknown */
  size_t lmc_line; /* line of the first LMC of a port, 0: there was none */
};

/* ---- words of a line ------------------------------------------------------------------------- */

/* A quoted text without its quotes; it may be empty. */
static bool read_quoted(struct loom_words *w, const char *key, const char **text, size_t *size) {
  loom_words_skip_blanks(w);
  if (!loom_words_take(w, "\""))
    return loom_words_refuse(w, key, "must stand in double quotes");
  const char *stop = memchr(w->at, '"', (size_t)(w->end - w->at));
  if (!stop)
    return loom_words_refuse(w, key, "the closing quote is missing");
  *text = w->at;
  *size = (size_t)(stop - w->at);
  w->at = stop + 1;
  return true;
}

static bool read_name(struct loom_words *w, const char *key, char name[LOOM_TOPO_NAME]) {
  const char *text = NULL;
  size_t size = 0;
  if (!read_quoted(w, key, &text, &size))
    return false;
  if (!size || size >= LOOM_TOPO_NAME)
    return loom_words_refuse(w, key, "a name has 1..%d characters", LOOM_TOPO_NAME - 1);
  for (size_t i = 0; i < size; i++)
    if (text[i] < ' ' || text[i] > '~' || text[i] == '#' || text[i] == '@')
      return loom_words_refuse(w, key, "a name is plain text without `#` and `@`");
  memcpy(name, text, size);
  name[size] = 0;
  return true;
}

/* A description without its quotes. It may have quotes in it, and nothing that follows has any, so
 * the last one of the line closes it. */
static bool read_description(struct loom_words *w, struct loom_description *d) {
  loom_words_skip_blanks(w);
  if (!loom_words_take(w, "\""))
    return loom_words_refuse(w, "description", "must stand in double quotes");
  const char *stop = w->end;
  while (stop > w->at && stop[-1] != '"')
    stop--;
  if (stop == w->at)
    return loom_words_refuse(w, "description", "the closing quote is missing");
  *d = (struct loom_description){.text = w->at, .size = (size_t)(stop - 1 - w->at)};
  w->at = stop;
  return true;
}

/* `(0123abcd)`, a GUID that ibnetdiscover prints after a port; 0: there is none. */
static bool read_guid(struct loom_words *w, uint64_t *guid) {
  *guid = 0;
  if (!loom_words_take(w, "("))
    return true;
  return loom_words_guid(w, guid) &&
         (loom_words_take(w, ")") || loom_words_refuse(w, "guid", "the closing `)` is missing"));
}

/* ` (scp)`, which ibnetdiscover prints after adapters of a chassis. */
static void skip_mark(struct loom_words *w) {
  loom_words_skip_blanks(w);
  loom_words_take(w, "(scp)");
}

/* ---- headers of devices ---------------------------------------------------------------------- */

struct header {
  enum loom_topo_kind kind;
  uint32_t ports;
  char name[LOOM_TOPO_NAME];
  struct loom_description description;
  uint32_t lid; /* of a switch */
  uint32_t lmc; /* of its port 0 */
};

/* `# "description" [base|enhanced port 0 [lid N lmc M]]`; an enhanced port 0 is an end, and may
 * have an LMC. */
static bool read_header_comment(struct loom_words *w, struct header *h) {
  uint32_t lmc_max = 0;
  loom_words_skip_blanks(w);
  if (w->at == w->end)
    return true;
  if (!loom_words_take(w, "#"))
    return loom_words_refuse(w, "device", "something follows the name");
  if (!read_description(w, &h->description))
    return false;
  skip_mark(w);
  loom_words_skip_blanks(w);
  if (loom_words_take(w, "enhanced port 0"))
    lmc_max = LMC_MAX;
  else if (!loom_words_take(w, "base port 0"))
    return loom_words_end(w, "description");
  loom_words_skip_blanks(w);
  if (!loom_words_take(w, "lid "))
    return loom_words_end(w, "port 0");
  if (!loom_words_number(w, "lid", 0, LOOM_TOPO_LID_MAX, &h->lid))
    return false;
  loom_words_skip_blanks(w);
  if (loom_words_take(w, "lmc ") && !loom_words_number(w, "lmc", 0, lmc_max, &h->lmc))
    return false;
  return loom_words_end(w, "lid");
}

static bool read_header(struct loom_words *w, struct header *h) {
  *h = (struct header){.kind = LOOM_TOPO_HCA};
  if (loom_words_take(w, "Switch"))
    h->kind = LOOM_TOPO_SWITCH;
  else if (!loom_words_take(w, "Hca") && !loom_words_take(w, "Ca") && !loom_words_take(w, "Rt"))
    return loom_words_refuse(w, "device", "a line starts with `Hca`, `Switch`, `[` or `#`");
  if (w->at == w->end || !loom_words_is_blank(*w->at))
    return loom_words_refuse(w, "device", "no number of ports");
  loom_words_skip_blanks(w);
  if (!loom_words_number(w, "ports", 1, LOOM_TOPO_PORTS, &h->ports) ||
      !read_name(w, "name", h->name) || !read_header_comment(w, h))
    return false;
  return !h->lid || h->kind == LOOM_TOPO_SWITCH ||
         loom_words_refuse(w, "lid", "an HCA has no port 0");
}

/* ---- ports ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* `4xQDR`, `4x???` or `?????`: Mb/s, 0 for what is not known. */
static bool read_rate(struct loom_words *w, uint32_t *rate) {
  uint32_t lanes = 0;
  uint32_t lane = 0;
  loom_words_skip_blanks(w);
  if (!loom_take_width(w, &lanes))
    return loom_words_refuse(w, "speed", "must be a width and a speed, such as `4xQDR`");
  if (!loom_take_speed(w, &lane))
    return loom_words_refuse(w, "speed",
                             "must be SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR or ??? after "
                             "the width");
  *rate = loom_link_rate(lanes, lane);
  return true;
}

static bool read_lid(struct loom_words *w, uint32_t *lid) {
  loom_words_skip_blanks(w);
  if (!loom_words_take(w, "lid "))
    return loom_words_refuse(w, "lid", "must be `lid N`");
  return loom_words_number(w, "lid", 0, LOOM_TOPO_LID_MAX, lid);
}

/* `lid N lmc M`: all ports of HCAs have the same M. */
static bool read_own_lid(struct reader *r, uint32_t *own) {
  struct loom_words *w = &r->words;
  uint32_t lmc = 0;
  if (!read_lid(w, own))
    return false;
  if (!loom_words_take(w, " lmc "))
    return loom_words_refuse(w, "lmc", "must be `lmc N` after the LID");
  if (!loom_words_number(w, "lmc", 0, LMC_MAX, &lmc))
    return false;
  if (!*own)
    return true; /* the subnet manager has not been there */
  if (r->lmc_line && lmc != r->t->lmc)
    return loom_words_refuse(w, "lmc", "%" PRIu32 " is not %" PRIu32 ", that of line %zu", lmc,
                             r->t->lmc, r->lmc_line);
  r->t->lmc = lmc;
  r->lmc_line = w->line;
  return true;
}

/* ` s=4 w=2 v=4 slot 3` or some of it: what `ibnetdiscover -f` prints of a port, and the slot of a
 * chassis. */
static bool skip_details(struct loom_words *w) {
  static const char *const keys[] = {"s=", "w=", "v=", "slot "};
  size_t i = 0;
  uint32_t value = 0;
  do {
    loom_words_skip_blanks(w);
    for (i = 0; i < sizeof keys / sizeof keys[0] && !loom_words_take(w, keys[i]); i++)
      ;
    if (i < sizeof keys / sizeof keys[0] &&
        !loom_words_lax_number(w, "details", false, UINT16_MAX, &value))
      return false;
  } while (i < sizeof keys / sizeof keys[0]);
  skip_mark(w);
  return true;
}

/* `# "peer" lid N 4xQDR`: N is the LID of an HCA's own port, or the peer's in a line of a switch.
 * ibnetdiscover's `# lid N lmc 0 "peer" lid M 4xQDR` has both. */
static bool read_port_comment(struct reader *r, uint32_t *own, uint32_t *far, uint32_t *rate) {
  struct loom_words *w = &r->words;
  loom_words_skip_blanks(w);
  if (w->at == w->end)
    return true;
  if (!loom_words_take(w, "#"))
    return loom_words_refuse(w, "port", "something follows the peer");
  loom_words_skip_blanks(w);
  bool node = r->t->device[r->device].kind == LOOM_TOPO_HCA;
  struct loom_description peer; /* stands in the peer's header, too */
  bool both = node && w->at < w->end && *w->at == 'l';
  if (both && !read_own_lid(r, own))
    return false;
  if (!read_description(w, &peer) || !read_lid(w, node && !both ? own : far) ||
      !read_rate(w, rate) || !skip_details(w))
    return false;
  return loom_words_end(w, "speed");
}

/* `[port]`, with `[ext 3]` after it if the port has another number on the front of its chassis. */
static bool read_port_number(struct loom_words *w, const char *key, uint32_t max, uint32_t *port) {
  if (!loom_words_take(w, "["))
    return loom_words_refuse(w, key, "must be `[port]`");
  uint32_t front = 0;
  if (!loom_words_number(w, key, 1, max, port))
    return false;
  if (loom_words_take(w, "][ext ") && !loom_words_lax_number(w, key, false, UINT16_MAX, &front))
    return false;
  return loom_words_take(w, "]") || loom_words_refuse(w, key, "the closing `]` is missing");
}

/* *guid: of the peer's port. */
static bool read_peer(struct reader *r, struct loom_topo_port *port, uint64_t *guid) {
  struct loom_words *w = &r->words;
  char name[LOOM_TOPO_NAME];
  uint32_t number = 0;
  if (!read_name(w, "peer", name))
    return false;
  const struct entry wanted = {.name = name};
  const struct entry *found = bsearch(&wanted, r->entry, r->entries, sizeof *r->entry, by_name);
  if (!found)
    return loom_words_refuse(w, "peer", "there is no device \"%s\"", name);
  loom_words_skip_blanks(w);
  if (!read_port_number(w, "peer port", r->t->device[found->device].ports, &number))
    return false;
  port->device = found->device;
  port->port = (uint16_t)number;
  const char *after = w->at;
  loom_words_skip_blanks(w);
  if (w->at < w->end && *w->at == '(')
    return read_guid(w, guid);
  w->at = after;
  return true;
}

/* A port of a device that stands in the file twice says the same both times. */
static bool check_again(const struct reader *r, const struct loom_topo_port *first,
                        const struct loom_topo_port *second, const struct claim *claim) {
  return (first->device == second->device && first->port == second->port) ||
         loom_words_refuse(&r->words, "peer", "is another one in line %" PRIu32, claim->line);
}

static bool read_port(struct reader *r) {
  struct loom_words *w = &r->words;
  uint32_t number = 0;
  uint32_t own = 0;
  if (r->device == LOOM_TOPO_NONE)
    return loom_words_refuse(w, "port", "belongs to no device: an empty line ends a device");
  const struct loom_topo_device *device = &r->t->device[r->device];
  uint32_t rate = 0;
  uint64_t guid = 0;
  uint64_t far_guid = 0; /* stands in the line of that port, too */
  if (!read_port_number(w, "port", device->ports, &number) || !read_guid(w, &guid))
    return false;
  struct claim *claim = &r->claim[device->first + number];
  struct loom_topo_port *port = loom_topo_port(r->t, r->device, number), was = *port;
  if (claim->line && !r->again)
    return loom_words_refuse(w, "port", "[%" PRIu32 "] stands in line %" PRIu32 ", too", number,
                             claim->line);
  if (!read_peer(r, port, &far_guid) || !read_port_comment(r, &own, &claim->lid, &rate) ||
      (claim->line && !check_again(r, &was, port, claim)))
    return false;
  claim->line = (uint32_t)w->line;
  port->lid = (uint16_t)own;
  r->t->rate[device->first + number] = rate;
  if (guid)
    r->t->guid[device->first + number] = guid;
  return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Goes to the next line; false: there is none. */
static bool take_line(struct loom_words *w) {
  if (!loom_words_line(w))
    return false;
  loom_words_cut_blanks(w);
  return true;
}

/* `vendid=...` and the like, which ibnetdiscover prints before a device; what the device has for a
 * GUID goes to *guid. */
static bool is_property(const struct loom_words *w, uint64_t *guid) {
  static const char *const keys[] = {
      "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "hcaguid=", "rtguid="};
  enum { KEYS = sizeof keys / sizeof keys[0], FIRST_OF_DEVICE = 3 };
  for (size_t i = 0; i < KEYS; i++) {
    struct loom_words value = *w;
    if (!loom_words_take(&value, keys[i]))
      continue;
    loom_words_take(&value, "0x");
    for (*guid = i < FIRST_OF_DEVICE ? *guid : 0;
         i >= FIRST_OF_DEVICE && value.at < value.end && loom_words_hex(*value.at) >= 0; value.at++)
      *guid = *guid << 4 | (uint64_t)loom_words_hex(*value.at);
    return true;
  }
  return false;
}

/* Lines above groups of devices. */
static bool is_title(const struct loom_words *w) {
  return loom_words_starts(w, "Non-Chassis Nodes") || loom_words_starts(w, "Chassis ") ||
         loom_words_starts(w, "Hostname: ");
}

/* Nothing of a fabric but perhaps the GUID of the next device. */
static bool is_skipped(const struct loom_words *w, uint64_t *guid) {
  return w->at == w->end || *w->at == '#' || is_property(w, guid) || is_title(w);
}

/* First pass: how much room is needed. */
static bool measure(struct reader *r, uint32_t *devices, uint32_t *ports) {
  struct loom_words *w = &r->words;
  struct header h;
  while (take_line(w)) {
    if (is_skipped(w, &r->guid) || *w->at == '[')
      continue;
    if (!read_header(w, &h))
      return false;
    ++*devices;
    *ports += h.ports + 1;
    if (*devices > LOOM_TOPO_DEVICES || *ports > LOOM_TOPO_ALL_PORTS)
      return loom_words_refuse(w, "device", "the fabric is too large");
  }
  return *devices || loom_words_refuse(w, "device", "the file has no device");
}

/* Second pass: the devices, so that ports can name them. */
static bool add_devices(struct reader *r) {
  struct loom_words *w = &r->words;
  struct header h;
  w->line = 0;
  r->guid = 0;
  while (take_line(w)) {
    if (is_skipped(w, &r->guid) || *w->at == '[')
      continue;
    if (!read_header(w, &h))
      return false;
    uint32_t d = loom_topo_add(r->t, h.kind, h.ports, "%s", h.name);
    loom_topo_port(r->t, d, 0)->lid = (uint16_t)h.lid;
    r->t->device[d].lmc = h.lmc;
    r->t->guid[r->t->device[d].first] = r->guid ? r->guid : loom_guid_in(h.name);
    r->guid = 0;
    r->claim[r->t->device[d].first].line = (uint32_t)w->line;
    r->first[d] = d;
    r->description[d] = h.description;
    r->entry[d] = (struct entry){.name = r->t->device[d].name, .device = d};
  }
  return true;
}

static uint32_t line_of(const struct reader *r, uint32_t d, uint32_t port) {
  return r->claim[r->t->device[d].first + port].line;
}

static int by_name_and_place(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  int order = by_name(x, y);
  return order ? order : (x->device > y->device) - (x->device < y->device);
}

/* Two devices of one name. A switch of a chassis stands twice in what `ibnetdiscover -g` prints:
 * the later one becomes the earlier one. */
static bool merge(struct reader *r, uint32_t early, uint32_t late) {
  const struct loom_words *w = &r->words;
  const struct loom_topo_device *a = &r->t->device[early], *b = &r->t->device[late];
  struct loom_topo_port *port = loom_topo_port(r->t, late, 0);
  if (!loom_guid_in(a->name) || a->kind != b->kind || a->ports != b->ports ||
      port->lid != loom_topo_port(r->t, early, 0)->lid)
    return loom_fail(w->err, w->src->name, line_of(r, late, 0), "name",
                     "\"%s\" is the name in line %" PRIu32 ", too", a->name, line_of(r, early, 0));
  port->lid = 0;
  r->first[late] = early;
  return true;
}

static bool sort_names(struct reader *r) {
  qsort(r->entry, r->t->devices, sizeof *r->entry, by_name_and_place);
  for (uint32_t i = 0; i < r->t->devices; i++) {
    const struct entry *last = r->entries ? &r->entry[r->entries - 1] : NULL;
    const struct entry here = r->entry[i];
    if (!last || by_name(last, &here) != 0)
      r->entry[r->entries++] = here;
    else if (!merge(r, last->device, here.device))
      return false;
  }
  return true;
}

/* Third pass: cables. An empty line ends a device. */
static bool read_ports(struct reader *r) {
  struct loom_words *w = &r->words;
  uint32_t devices = 0;
  w->line = 0;
  r->device = LOOM_TOPO_NONE;
  while (take_line(w)) {
    if (w->at == w->end)
      r->device = LOOM_TOPO_NONE;
    else if (is_skipped(w, &r->guid))
      continue;
    else if (*w->at != '[') {
      r->device = r->first[devices];
      r->again = r->device != devices++;
    } else if (!read_port(r))
      return false;
  }
  return true;
}

/* ---- what the whole must be ------------------------------------------------------------------ */

/* LIDs that lines give to their peers agree with the peers', or are taken over. */
static bool settle_lid(struct reader *r, uint32_t d, uint32_t p) {
  const struct loom_words *w = &r->words;
  const struct loom_topo_port *near = loom_topo_port(r->t, d, p);
  uint32_t lid = r->claim[r->t->device[d].first + p].lid;
  if (!lid || near->device == LOOM_TOPO_NONE)
    return true;
  bool node = r->t->device[near->device].kind == LOOM_TOPO_HCA;
  struct loom_topo_port *far = loom_topo_port(r->t, near->device, node ? near->port : 0);
  if (!far->lid)
    far->lid = (uint16_t)lid;
  return far->lid == lid || loom_fail(w->err, w->src->name, line_of(r, d, p), "lid",
                                      "the peer has LID %u, not %" PRIu32, (unsigned)far->lid, lid);
}

static bool settle_lids(struct reader *r) {
  for (uint32_t d = 0; d < r->t->devices; d++)
    for (uint32_t p = 1; p <= r->t->device[d].ports; p++)
      if (!settle_lid(r, d, p))
        return false;
  return true;
}

static bool judge_cables(const struct reader *r) {
  struct loom_topo_verdict v = loom_topo_check(r->t);
  return v.fault == LOOM_TOPO_SOUND ||
         loom_refuse_cable(r->t, v, r->words.src->name, line_of(r, v.device, v.port), r->words.err);
}

/* A fabric without GUIDs needs no room for them; its speeds mean nothing, ibsim reads none. */
static void drop_unknown(struct loom_topo *t) {
  uint32_t i = 0;
  while (i < t->ports && !t->guid[i])
    i++;
  if (i < t->ports)
    return;
  free(t->guid);
  free(t->rate);
  t->guid = NULL;
  t->rate = NULL;
}

static bool read_fabric(struct reader *r) {
  uint32_t devices = 0;
  uint32_t ports = 0;
  if (!measure(r, &devices, &ports) || !loom_keeps_promise(&r->words, devices))
    return false;
  r->t = loom_topo_create(devices, ports);
  if (r->t) {
    r->t->guid = calloc((size_t)ports + 1, sizeof *r->t->guid);
    r->t->rate = calloc((size_t)ports + 1, sizeof *r->t->rate);
  }
  r->claim = calloc((size_t)ports + 1, sizeof *r->claim);
  r->entry = calloc((size_t)devices + 1, sizeof *r->entry);
  r->description = calloc((size_t)devices + 1, sizeof *r->description);
  r->first = calloc((size_t)devices + 1, sizeof *r->first);
  if (!r->t || !r->t->guid || !r->t->rate || !r->claim || !r->entry || !r->first || !r->description)
    return loom_fail(r->words.err, r->words.src->name, 0, "file", "out of memory");
  if (!add_devices(r) || !sort_names(r) || !read_ports(r))
    return false;
  drop_unknown(r->t);
  return settle_lids(r) && judge_cables(r) &&
         (!r->t->guid || loom_settle_discovered(r->t, r->description, r->first) ||
          loom_fail(r->words.err, r->words.src->name, 0, "file", "out of memory"));
}

struct loom_topo *loom_read_net(const struct loom_source *src, struct loom_error *err) {
  struct reader r = {.words = {.src = src, .err = err}};
  if (loom_is_links(src))
    return loom_read_links(src, err);
  err->line[0] = 0;
  bool ok = read_fabric(&r);
  free(r.claim);
  free(r.entry);
  free(r.first);
  free(r.description);
  if (ok)
    return r.t;
  loom_topo_destroy(r.t);
  return NULL;
}
