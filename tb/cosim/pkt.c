/* SPDX-License-Identifier: Apache-2.0 */
/* pkt.c - packet streams from text files, see pkt.h */
#include "tb/cosim/pkt.h"

#include <errno.h>
#include <inttypes.h>
#include <loom/head.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tb/cosim/refuse.h"

enum { WORDS_MAX = 8, SIZE_MAX_BYTES = 1 << 24 };

struct parser {
  struct pkt_file *f;
  const char *name;
  size_t line;
  FILE *err;
  size_t packet_room, write_room;
  bool ended;
};

static bool refuse(const struct parser *p, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(const struct parser *p, const char *key, const char *format, ...) {
  va_list args;
  va_start(args, format);
  refuse_line(p->err, p->name, p->line, key, format, args);
  va_end(args);
  return false;
}

/* Reads all of `word` as a number up to `max`: decimal, or hexadecimal with 0x. */
static bool number(const struct parser *p, const char *key, const char *word, uint64_t max,
                   uint64_t *value) {
  int base = strncmp(word, "0x", 2) == 0 ? 16 : 10;
  const char *digits = base == 16 ? word + 2 : word;
  size_t n = strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
  if (n == 0 || n > 18 || digits[n])
    return refuse(p, key, "not a number");
  *value = strtoull(digits, NULL, base);
  if (*value > max)
    return refuse(p, key, "must be at most %" PRIu64, max);
  return true;
}

static bool small(const struct parser *p, const char *key, const char *word, uint32_t max,
                  uint32_t *value) {
  uint64_t v = 0;
  if (!number(p, key, word, max, &v))
    return false;
  *value = (uint32_t)v;
  return true;
}

static void *grow(void *list, size_t count, size_t *room, size_t size) {
  if (count < *room)
    return list;
  size_t more = *room ? 2 * *room : 64;
  void *bigger = realloc(list, more * size);
  if (bigger)
    *room = more;
  return bigger;
}

static bool add_write(struct parser *p, char **word, size_t words) {
  struct pkt_write w;
  struct pkt_file *f = p->f;
  if (words != 4)
    return refuse(p, "write", "must be CYCLE write ADDRESS DATA");
  if (!number(p, "cycle", word[0], f->cycles, &w.cycle) ||
      !small(p, "address", word[2], 0xfff, &w.addr) ||
      !small(p, "data", word[3], UINT32_MAX, &w.data))
    return false;
  if (f->writes && w.cycle < f->write[f->writes - 1].cycle)
    return refuse(p, "cycle", "before that of the write above");
  if (f->writes == PKT_MAX)
    return refuse(p, "write", "more than %d writes", PKT_MAX);
  void *list = grow(f->write, f->writes, &p->write_room, sizeof w);
  if (!list)
    return refuse(p, "file", "out of memory");
  f->write = list;
  f->write[f->writes++] = w;
  return true;
}

static bool add_packet(struct parser *p, char **word, size_t words) {
  struct pkt_packet k = {0};
  struct pkt_file *f = p->f;
  uint32_t port;
  if (words < 5 || words > 7)
    return refuse(p, "packet", "must be CYCLE PORT VL[/SC] DEST LENGTH [ID] [FLAGS]");
  char *slash = strchr(word[2], '/');
  if (slash)
    *slash = 0;
  if (!number(p, "cycle", word[0], f->cycles, &k.cycle) || !small(p, "port", word[1], 0, &port) ||
      !small(p, "vl", word[2], 31, &k.vl) ||
      !small(p, "sc", slash ? slash + 1 : word[2], 31, &k.sc) ||
      !small(p, "dest", word[3], 0xffff, &k.dest) || !small(p, "length", word[4], 4095, &k.length))
    return false;
  if (k.length == 0)
    return refuse(p, "length", "must be at least 1");
  k.id = (uint32_t)f->packets & ((1u << LOOM_HEAD_ID_BITS) - 1);
  if (words > 5 && !small(p, "id", word[5], (1u << LOOM_HEAD_ID_BITS) - 1, &k.id))
    return false;
  if (words > 6 && strcmp(word[6], "n") != 0)
    return refuse(p, "flags", "`%.31s`: only n is known", word[6]);
  k.no_tail = words > 6;
  if (f->packets && k.cycle < f->packet[f->packets - 1].cycle)
    return refuse(p, "cycle", "before that of the packet above");
  if (f->packets == PKT_MAX)
    return refuse(p, "packet", "more than %d packets", PKT_MAX);
  void *list = grow(f->packet, f->packets, &p->packet_room, sizeof k);
  if (!list)
    return refuse(p, "file", "out of memory");
  f->packet = list;
  f->packet[f->packets++] = k;
  return true;
}

static bool name_word(const struct parser *p, const char *key, char *to, size_t size,
                      const char *word) {
  size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");
  if (to[0])
    return refuse(p, key, "a second time");
  if (n == 0 || n >= size || word[n])
    return refuse(p, key, "not a name");
  memcpy(to, word, n + 1);
  return true;
}

static bool head_line(struct parser *p, char **word, size_t words) {
  struct pkt_file *f = p->f;
  if (words == 1 && strcmp(word[0], "end") == 0) {
    p->ended = true;
    return f->cycles || refuse(p, "end", "before device, config and cycles");
  }
  if (words != 2)
    return refuse(p, "line", "must be device NAME, config NAME, cycles N, a packet, write or end");
  if (strcmp(word[0], "device") == 0)
    return name_word(p, "device", f->device, sizeof f->device, word[1]);
  if (strcmp(word[0], "config") == 0)
    return name_word(p, "config", f->config, sizeof f->config, word[1]);
  if (strcmp(word[0], "cycles") != 0)
    return refuse(p, "key", "`%.31s` is not one", word[0]);
  if (f->cycles || !f->device[0] || !f->config[0])
    return refuse(p, "cycles", "must come once, after device and config");
  return number(p, "cycles", word[1], 100000000, &f->cycles) &&
         (f->cycles || refuse(p, "cycles", "must be at least 1"));
}

static bool one_line(struct parser *p, char *line) {
  char *word[WORDS_MAX];
  size_t words = 0;
  line[strcspn(line, "#")] = 0;
  for (char *at = line;;) {
    at += strspn(at, " \t");
    if (!*at)
      break;
    if (words == WORDS_MAX)
      return refuse(p, "line", "more than %d words", WORDS_MAX);
    word[words++] = at;
    at += strcspn(at, " \t");
    if (*at)
      *at++ = 0;
  }
  if (words == 0)
    return true;
  if (p->ended)
    return refuse(p, "end", "something follows it");
  if (word[0][0] < '0' || word[0][0] > '9')
    return head_line(p, word, words);
  if (!p->f->cycles)
    return refuse(p, "cycles", "device, config and cycles must come first");
  return words > 1 && strcmp(word[1], "write") == 0 ? add_write(p, word, words)
                                                    : add_packet(p, word, words);
}

static bool parse(struct parser *p, const char *text, size_t size) {
  const char *end = text + size;
  char line[256];
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    p->line++;
    if (!stop)
      return refuse(p, "end", "the file is cut short: the last line does not end");
    size_t length = (size_t)(stop - text);
    if (length >= sizeof line || memchr(text, 0, length))
      return refuse(p, "line", "not text of less than %zu characters", sizeof line);
    memcpy(line, text, length);
    line[length] = 0;
    if (!one_line(p, line))
      return false;
    text = stop + 1;
  }
  p->line++;
  return p->ended || refuse(p, "end", "the file is cut short: it must end with a line `end`");
}

bool pkt_parse(struct pkt_file *f, const char *name, const char *text, size_t size, FILE *err) {
  struct parser p = {.f = f, .name = name, .err = err};
  memset(f, 0, sizeof *f);
  if (parse(&p, text, size))
    return true;
  pkt_free(f);
  return false;
}

bool pkt_load(struct pkt_file *f, const char *path, FILE *err) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(SIZE_MAX_BYTES + 1);
  bool good = false;
  memset(f, 0, sizeof *f);
  if (!file || !text) {
    fprintf(err, "%s:0: file: cannot open: %s\n", path, strerror(errno));
  } else {
    size_t size = fread(text, 1, SIZE_MAX_BYTES + 1, file);
    if (ferror(file) || size > SIZE_MAX_BYTES)
      fprintf(err, "%s:0: file: cannot read it, or larger than %d bytes\n", path, SIZE_MAX_BYTES);
    else
      good = pkt_parse(f, path, text, size, err);
  }
  if (file)
    fclose(file);
  free(text);
  return good;
}

void pkt_free(struct pkt_file *f) {
  free(f->packet);
  free(f->write);
  memset(f, 0, sizeof *f);
}
