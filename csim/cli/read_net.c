#include "cli/read_net.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is remembered of a port while the file is read; of port 0: of the device. */
struct claim {
  uint32_t line; /* where the port, or the device, stands; 0: nowhere */
  uint32_t lid;  /* that its line gives the peer, 0: none */
};

struct entry {
  const char *name;
  uint32_t device;
};

struct reader {
  const struct loom_source *src;
  struct loom_error *err;
  struct loom_topo *t;
  struct claim *claim; /* by port of the fabric */
  struct entry *entry; /* devices by name */
  const char *at;
  const char *end; /* of the line */
  size_t line;
  uint32_t device; /* whose ports are being read, LOOM_TOPO_NONE: none */
};

/* ---- words of a line ------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void skip_blanks(struct reader *r) {
  while (r->at < r->end && is_blank(*r->at))
    r->at++;
}

static bool refuse(const struct reader *r, const char *key, const char *message) {
  return loom_fail(r->err, r->src->name, r->line, key, "%s", message);
}

/* Takes `text` if it is next. */
static bool take(struct reader *r, const char *text) {
  size_t size = strlen(text);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0)
    return false;
  r->at += size;
  return true;
}

static bool read_number(struct reader *r, const char *key, uint32_t min, uint32_t max,
                        uint32_t *value) {
  const char *start = r->at;
  uint32_t sum = 0;
  for (; r->at < r->end && is_digit(*r->at); r->at++)
    if (sum <= max)
      sum = sum * 10 + (uint32_t)(*r->at - '0');
  if (r->at == start)
    return refuse(r, key, "missing number");
  if (*start == '0' && r->at - start > 1)
    return refuse(r, key, "number with a leading zero");
  if (sum < min || sum > max)
    return loom_fail(r->err, r->src->name, r->line, key, "%.*s is outside %" PRIu32 "..%" PRIu32,
                     (int)(r->at - start > 20 ? 20 : r->at - start), start, min, max);
  *value = sum;
  return true;
}

/* A quoted text without its quotes; it may be empty. */
static bool read_quoted(struct reader *r, const char *key, const char **text, size_t *size) {
  skip_blanks(r);
  if (!take(r, "\""))
    return refuse(r, key, "must stand in double quotes");
  const char *stop = memchr(r->at, '"', (size_t)(r->end - r->at));
  if (!stop)
    return refuse(r, key, "the closing quote is missing");
  *text = r->at;
  *size = (size_t)(stop - r->at);
  r->at = stop + 1;
  return true;
}

static bool read_name(struct reader *r, const char *key, char name[LOOM_TOPO_NAME]) {
  const char *text = NULL;
  size_t size = 0;
  if (!read_quoted(r, key, &text, &size))
    return false;
  if (!size || size >= LOOM_TOPO_NAME)
    return loom_fail(r->err, r->src->name, r->line, key, "a name has 1..%d characters",
                     LOOM_TOPO_NAME - 1);
  for (size_t i = 0; i < size; i++)
    if (text[i] < ' ' || text[i] > '~' || text[i] == '#' || text[i] == '@')
      return refuse(r, key, "a name is plain text without `#` and `@`");
  memcpy(name, text, size);
  name[size] = 0;
  return true;
}

/* `(0123abcd)`, a GUID that ibnetdiscover prints; it is not kept. */
static bool skip_guid(struct reader *r) {
  if (!take(r, "("))
    return true;
  const char *start = r->at;
  while (r->at < r->end && strchr("0123456789abcdefABCDEF", *r->at) && *r->at)
    r->at++;
  return (r->at > start && take(r, ")")) || refuse(r, "guid", "must be hexadecimal in `(...)`");
}

static bool at_end(struct reader *r, const char *key) {
  skip_blanks(r);
  return r->at == r->end || refuse(r, key, "something follows that is not understood");
}

/* ---- headers of devices ---------------------------------------------------------------------- */

/* `# "description" [base|enhanced port 0 [lid N lmc M]]` */
static bool read_header_comment(struct reader *r, uint32_t *lid) {
  const char *text = NULL;
  size_t size = 0;
  uint32_t lmc = 0;
  skip_blanks(r);
  if (r->at == r->end)
    return true;
  if (!take(r, "#"))
    return refuse(r, "device", "something follows the name");
  if (!read_quoted(r, "description", &text, &size))
    return false;
  skip_blanks(r);
  if (!take(r, "base port 0") && !take(r, "enhanced port 0"))
    return at_end(r, "description");
  skip_blanks(r);
  if (!take(r, "lid "))
    return at_end(r, "port 0");
  if (!read_number(r, "lid", 0, LOOM_TOPO_LID_MAX, lid))
    return false;
  skip_blanks(r);
  if (take(r, "lmc ") && !read_number(r, "lmc", 0, 0, &lmc))
    return false;
  return at_end(r, "lid");
}

struct header {
  enum loom_topo_kind kind;
  uint32_t ports;
  char name[LOOM_TOPO_NAME];
  uint32_t lid; /* of a switch */
};

static bool read_header(struct reader *r, struct header *h) {
  *h = (struct header){.kind = LOOM_TOPO_HCA};
  if (take(r, "Switch"))
    h->kind = LOOM_TOPO_SWITCH;
  else if (!take(r, "Hca") && !take(r, "Ca"))
    return refuse(r, "device", "a line starts with `Hca`, `Switch`, `[` or `#`");
  if (r->at == r->end || !is_blank(*r->at))
    return refuse(r, "device", "no number of ports");
  skip_blanks(r);
  if (!read_number(r, "ports", 1, LOOM_TOPO_PORTS, &h->ports) || !read_name(r, "name", h->name) ||
      !read_header_comment(r, &h->lid))
    return false;
  return !h->lid || h->kind == LOOM_TOPO_SWITCH || refuse(r, "lid", "an HCA has no port 0");
}

/* ---- ports ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* `4xQDR`; it is not kept. */
static bool skip_speed(struct reader *r) {
  static const char *const speeds[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR"};
  skip_blanks(r);
  if (!take(r, "1x") && !take(r, "2x") && !take(r, "4x") && !take(r, "8x") && !take(r, "12x"))
    return refuse(r, "speed", "must be a width and a speed, such as `4xQDR`");
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
    if (take(r, speeds[i]))
      return true;
  return refuse(r, "speed", "must be SDR, DDR, QDR, FDR10, FDR, EDR, HDR or NDR after the width");
}

static bool read_lid(struct reader *r, uint32_t *lid) {
  skip_blanks(r);
  if (!take(r, "lid "))
    return refuse(r, "lid", "must be `lid N`");
  return read_number(r, "lid", 0, LOOM_TOPO_LID_MAX, lid);
}

/* `# "peer" lid N 4xQDR`: N is the LID of an HCA's own port, or the peer's in a line of a switch.
 * ibnetdiscover's `# lid N lmc 0 "peer" lid M 4xQDR` has both. */
static bool read_port_comment(struct reader *r, uint32_t *own, uint32_t *far) {
  const char *text = NULL;
  size_t size = 0;
  uint32_t lmc = 0;
  skip_blanks(r);
  if (r->at == r->end)
    return true;
  if (!take(r, "#"))
    return refuse(r, "port", "something follows the peer");
  skip_blanks(r);
  bool node = r->t->device[r->device].kind == LOOM_TOPO_HCA;
  bool both = node && r->at < r->end && *r->at == 'l';
  if (both && (!read_lid(r, own) || !take(r, " lmc ") || !read_number(r, "lmc", 0, 0, &lmc)))
    return r->err->line[0] ? false : refuse(r, "lmc", "must be `lmc 0`");
  if (!read_quoted(r, "description", &text, &size) || !read_lid(r, node && !both ? own : far) ||
      !skip_speed(r))
    return false;
  return at_end(r, "speed");
}

/* `[port]` */
static bool read_port_number(struct reader *r, const char *key, uint32_t max, uint32_t *port) {
  if (!take(r, "["))
    return refuse(r, key, "must be `[port]`");
  if (!read_number(r, key, 1, max, port))
    return false;
  return take(r, "]") || refuse(r, key, "the closing `]` is missing");
}

static bool read_peer(struct reader *r, struct loom_topo_port *port) {
  char name[LOOM_TOPO_NAME];
  uint32_t number = 0;
  if (!read_name(r, "peer", name))
    return false;
  const struct entry wanted = {.name = name};
  const struct entry *found = bsearch(&wanted, r->entry, r->t->devices, sizeof *r->entry, by_name);
  if (!found)
    return loom_fail(r->err, r->src->name, r->line, "peer", "there is no device \"%s\"", name);
  skip_blanks(r);
  if (!read_port_number(r, "peer port", r->t->device[found->device].ports, &number))
    return false;
  port->device = found->device;
  port->port = (uint16_t)number;
  return skip_guid(r);
}

static bool read_port(struct reader *r) {
  uint32_t number = 0;
  uint32_t own = 0;
  if (r->device == LOOM_TOPO_NONE)
    return refuse(r, "port", "belongs to no device: an empty line ends a device");
  const struct loom_topo_device *device = &r->t->device[r->device];
  if (!read_port_number(r, "port", device->ports, &number) || !skip_guid(r))
    return false;
  struct claim *claim = &r->claim[device->first + number];
  struct loom_topo_port *port = loom_topo_port(r->t, r->device, number);
  if (claim->line)
    return loom_fail(r->err, r->src->name, r->line, "port",
                     "[%" PRIu32 "] stands in line %" PRIu32 ", too", number, claim->line);
  claim->line = (uint32_t)r->line;
  if (!read_peer(r, port) || !read_port_comment(r, &own, &claim->lid))
    return false;
  port->lid = (uint16_t)own;
  return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Sets the reader on the line that starts at `start`; the start of the next. */
static const char *take_line(struct reader *r, const char *start) {
  const char *stop = r->src->text + r->src->size;
  const char *newline = memchr(start, '\n', (size_t)(stop - start));
  r->at = start;
  r->end = newline ? newline : stop;
  if (r->end > start && r->end[-1] == '\r')
    r->end--;
  while (r->end > start && is_blank(r->end[-1]))
    r->end--;
  r->line++;
  return newline ? newline + 1 : stop;
}

/* `vendid=...` and the like, which ibnetdiscover prints before a device. */
static bool is_property(const struct reader *r) {
  static const char *const keys[] = {
      "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "hcaguid="};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    size_t size = strlen(keys[i]);
    if ((size_t)(r->end - r->at) > size && !memcmp(r->at, keys[i], size))
      return true;
  }
  return false;
}

/* Nothing of a fabric. */
static bool is_skipped(const struct reader *r) {
  return r->at == r->end || *r->at == '#' || is_property(r);
}

/* First pass: how much room is needed. */
static bool measure(struct reader *r, uint32_t *devices, uint32_t *ports) {
  const char *stop = r->src->text + r->src->size;
  struct header h;
  for (const char *next = r->src->text; next < stop;) {
    next = take_line(r, next);
    if (is_skipped(r) || *r->at == '[')
      continue;
    if (!read_header(r, &h))
      return false;
    ++*devices;
    *ports += h.ports + 1;
    if (*devices > LOOM_TOPO_DEVICES || *ports > LOOM_TOPO_ALL_PORTS)
      return refuse(r, "device", "the fabric is too large");
  }
  return *devices || refuse(r, "device", "the file has no device");
}

/* Second pass: the devices, so that ports can name them. */
static bool add_devices(struct reader *r) {
  const char *stop = r->src->text + r->src->size;
  struct header h;
  r->line = 0;
  for (const char *next = r->src->text; next < stop;) {
    next = take_line(r, next);
    if (is_skipped(r) || *r->at == '[')
      continue;
    if (!read_header(r, &h))
      return false;
    uint32_t d = loom_topo_add(r->t, h.kind, h.ports, "%s", h.name);
    loom_topo_port(r->t, d, 0)->lid = (uint16_t)h.lid;
    r->claim[r->t->device[d].first].line = (uint32_t)r->line;
    r->entry[d] = (struct entry){.name = r->t->device[d].name, .device = d};
  }
  return true;
}

static uint32_t line_of(const struct reader *r, uint32_t d, uint32_t port) {
  return r->claim[r->t->device[d].first + port].line;
}

static bool sort_names(struct reader *r) {
  qsort(r->entry, r->t->devices, sizeof *r->entry, by_name);
  for (uint32_t i = 1; i < r->t->devices; i++)
    if (!by_name(&r->entry[i - 1], &r->entry[i])) {
      uint32_t a = line_of(r, r->entry[i - 1].device, 0);
      uint32_t b = line_of(r, r->entry[i].device, 0);
      return loom_fail(r->err, r->src->name, a > b ? a : b, "name",
                       "\"%s\" is the name in line %" PRIu32 ", too", r->entry[i].name,
                       a > b ? b : a);
    }
  return true;
}

/* Third pass: cables. An empty line ends a device. */
static bool read_ports(struct reader *r) {
  const char *stop = r->src->text + r->src->size;
  uint32_t devices = 0;
  r->line = 0;
  r->device = LOOM_TOPO_NONE;
  for (const char *next = r->src->text; next < stop;) {
    next = take_line(r, next);
    if (r->at == r->end)
      r->device = LOOM_TOPO_NONE;
    else if (is_skipped(r))
      continue;
    else if (*r->at != '[')
      r->device = devices++;
    else if (!read_port(r))
      return false;
  }
  return true;
}

/* ---- what the whole must be ------------------------------------------------------------------ */

/* LIDs that lines give to their peers agree with the peers', or are taken over. */
static bool settle_lid(struct reader *r, uint32_t d, uint32_t p) {
  const struct loom_topo_port *near = loom_topo_port(r->t, d, p);
  uint32_t lid = r->claim[r->t->device[d].first + p].lid;
  if (!lid || near->device == LOOM_TOPO_NONE)
    return true;
  bool node = r->t->device[near->device].kind == LOOM_TOPO_HCA;
  struct loom_topo_port *far = loom_topo_port(r->t, near->device, node ? near->port : 0);
  if (!far->lid)
    far->lid = (uint16_t)lid;
  return far->lid == lid || loom_fail(r->err, r->src->name, line_of(r, d, p), "lid",
                                      "the peer has LID %u, not %" PRIu32, (unsigned)far->lid, lid);
}

static bool settle_lids(struct reader *r) {
  for (uint32_t d = 0; d < r->t->devices; d++)
    for (uint32_t p = 1; p <= r->t->device[d].ports; p++)
      if (!settle_lid(r, d, p))
        return false;
  return true;
}

static bool judge_cables(struct reader *r) {
  struct loom_topo_verdict v = loom_topo_check(r->t);
  size_t line = v.fault == LOOM_TOPO_SOUND ? 0 : line_of(r, v.device, v.port);
  switch (v.fault) {
  case LOOM_TOPO_SOUND:
    return true;
  case LOOM_TOPO_LOOP:
    return loom_fail(r->err, r->src->name, line, "peer", "is the device itself");
  case LOOM_TOPO_BAD_LID:
  case LOOM_TOPO_DOUBLE_LID:
    return loom_fail(r->err, r->src->name, line, "lid", "%u is the LID of another port, too",
                     (unsigned)loom_topo_port(r->t, v.device, v.port)->lid);
  case LOOM_TOPO_NOWHERE:
  case LOOM_TOPO_ONE_SIDED:
    break;
  }
  const struct loom_topo_port *near = loom_topo_port(r->t, v.device, v.port);
  return loom_fail(r->err, r->src->name, line, "peer", "[%u] of \"%.40s\" does not lead back here",
                   (unsigned)near->port, r->t->device[near->device].name);
}

/* A first line `# devices: N` promises N devices and an end of the last line. */
static bool check_promise(struct reader *r, uint32_t devices) {
  uint32_t promised = 0;
  size_t last = r->line;
  r->line = 0;
  take_line(r, r->src->text);
  if (!take(r, "# devices:"))
    return true;
  skip_blanks(r);
  if (!read_number(r, "devices", 1, LOOM_TOPO_DEVICES, &promised) || !at_end(r, "devices"))
    return false;
  if (promised != devices)
    return loom_fail(r->err, r->src->name, last, "devices",
                     "the file has %" PRIu32 ", the first line says %" PRIu32, devices, promised);
  r->line = last;
  return r->src->text[r->src->size - 1] == '\n' ||
         refuse(r, "devices", "the file is cut short: the last line does not end");
}

static bool read_fabric(struct reader *r) {
  uint32_t devices = 0;
  uint32_t ports = 0;
  if (!measure(r, &devices, &ports) || !check_promise(r, devices))
    return false;
  r->t = loom_topo_create(devices, ports);
  r->claim = calloc((size_t)ports + 1, sizeof *r->claim);
  r->entry = calloc((size_t)devices + 1, sizeof *r->entry);
  if (!r->t || !r->claim || !r->entry)
    return loom_fail(r->err, r->src->name, 0, "file", "out of memory");
  return add_devices(r) && sort_names(r) && read_ports(r) && settle_lids(r) && judge_cables(r);
}

struct loom_topo *loom_read_net(const struct loom_source *src, struct loom_error *err) {
  struct reader r = {.src = src, .err = err};
  err->line[0] = 0;
  bool ok = read_fabric(&r);
  free(r.claim);
  free(r.entry);
  if (ok)
    return r.t;
  loom_topo_destroy(r.t);
  return NULL;
}
