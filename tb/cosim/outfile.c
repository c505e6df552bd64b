/* SPDX-License-Identifier: Apache-2.0 */
/* outfile.c - recorded vectors, see outfile.h */
#include "tb/cosim/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tb/cosim/refuse.h"

enum { PORTS_MAX = 128, BITS_MAX = 1 << 16, CYCLES_MAX = 10000000 };

/* ---- writing --------------------------------------------------------------------------------- */

struct out_writer {
  FILE *f;
  const struct dut *dut;
  const void *cfg;
  uint64_t left;
  char *digits; /* bits of a side, one char each, lowest first */
};

static uint32_t side_bits(const struct dut *dut, const void *cfg, enum field_dir dir) {
  uint32_t bits = 0;
  for (size_t i = 0; i < dut->field_count; i++)
    if (dut->fields[i].dir == dir)
      bits += dut->fields[i].lanes(cfg) * dut->fields[i].bits(cfg);
  return bits;
}

struct out_writer *out_create(const char *path, const struct circuit *c, uint64_t seed,
                              uint64_t cycles) {
  struct out_writer *w = calloc(1, sizeof *w);
  FILE *f = w ? fopen(path, "w") : NULL;
  if (!f) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(w);
    return NULL;
  }
  w->f = f;
  w->dut = c->dut;
  w->cfg = c->api->cfg;
  w->left = cycles;
  uint32_t in = side_bits(w->dut, w->cfg, FIELD_IN), out = side_bits(w->dut, w->cfg, FIELD_OUT);
  w->digits = calloc((in > out ? in : out) + 4, 1);
  fprintf(f, "// loom-out 1 %s %s seed %" PRIu64 " cycles %" PRIu64 "\n", w->dut->name,
          c->api->config, seed, cycles);
  for (size_t i = 0; i < w->dut->field_count; i++) {
    const struct field *fd = &w->dut->fields[i];
    if (fd->dir != FIELD_PROBE)
      fprintf(f, "// %s %s %" PRIu32 " %" PRIu32 "\n", fd->dir == FIELD_IN ? "in" : "out", fd->name,
              fd->lanes(w->cfg), fd->bits(w->cfg));
  }
  return w;
}

static void write_side(struct out_writer *w, enum field_dir dir, const void *base, bool defined) {
  static const char hex[] = "0123456789abcdef";
  uint32_t n = 0;
  for (size_t i = 0; i < w->dut->field_count; i++) {
    const struct field *f = &w->dut->fields[i];
    uint32_t bits = f->bits(w->cfg), lanes = f->lanes(w->cfg);
    for (uint32_t l = 0; f->dir == dir && l < lanes; l++) {
      uint64_t v = field_get(f, base, l);
      for (uint32_t b = 0; b < bits; b++)
        w->digits[n++] = (char)(v >> b & 1);
    }
  }
  memset(w->digits + n, 0, 3);
  for (uint32_t d = (n + 3) / 4; d-- > 0;) {
    const char *bit = w->digits + 4 * d;
    putc(defined ? hex[bit[0] | bit[1] << 1 | bit[2] << 2 | bit[3] << 3] : 'x', w->f);
  }
}

void out_write(struct out_writer *w, const void *in, const void *out, bool defined) {
  write_side(w, FIELD_OUT, out, defined);
  putc('_', w->f);
  write_side(w, FIELD_IN, in, true);
  putc('\n', w->f);
  w->left--;
}

bool out_finish(struct out_writer *w) {
  fputs("// end\n", w->f);
  bool good = !ferror(w->f) && w->left == 0;
  good &= fclose(w->f) == 0;
  free(w->digits);
  free(w);
  return good;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
  const char *name, *at, *end;
  uint64_t line;
  FILE *err;
};

static bool refuse(const struct reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(const struct reader *r, const char *key, const char *format, ...) {
  va_list args;
  va_start(args, format);
  refuse_line(r->err, r->name, r->line, key, format, args);
  va_end(args);
  return false;
}

/* The next line without its newline; a last line without one is refused: the file was cut. */
static bool next_line(struct reader *r, const char **line, size_t *length) {
  r->line++;
  size_t left = (size_t)(r->end - r->at);
  const char *stop = left ? memchr(r->at, '\n', left) : NULL;
  if (!stop)
    return refuse(r, "end", "the file ends here, it was cut short");
  *line = r->at;
  *length = (size_t)(stop - r->at);
  r->at = stop + 1;
  return true;
}

/* Copies the line for sscanf; refuses what is too long for a comment or has a NUL in it. */
static bool comment(const struct reader *r, char *to, size_t size, const char *line,
                    size_t length) {
  if (length >= size || memchr(line, 0, length))
    return refuse(r, "head", "not a line of the head");
  memcpy(to, line, length);
  to[length] = 0;
  return true;
}

static bool read_port(struct out_file *f, const struct reader *r, const char *text) {
  char dir[4];
  struct out_port p = {0};
  int used = 0;
  if (f->port_count == PORTS_MAX)
    return refuse(r, "port", "more than %d ports", PORTS_MAX);
  if (sscanf(text, "// %3s %31[a-z0-9_] %9" SCNu32 " %9" SCNu32 "%n", dir, p.name, &p.lanes,
             &p.bits, &used) != 4 ||
      text[used] || (strcmp(dir, "in") != 0 && strcmp(dir, "out") != 0))
    return refuse(r, "port", "must be `// in|out name lanes bits`");
  if (p.bits < 1 || p.bits > 64 || p.lanes < 1 || p.lanes > 1024)
    return refuse(r, p.name, "width out of range");
  p.input = dir[0] == 'i';
  uint32_t *bits = p.input ? &f->in_bits : &f->out_bits;
  p.at = *bits;
  *bits += p.lanes * p.bits;
  if (*bits > BITS_MAX)
    return refuse(r, p.name, "more than %d bits a cycle", BITS_MAX);
  f->ports[f->port_count++] = p;
  return true;
}

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_side(const struct reader *r, const char *text, uint32_t bits, uint8_t *to,
                      uint8_t *care) {
  uint32_t digits = (bits + 3) / 4;
  for (uint32_t d = 0; d < digits; d++) {
    char c = text[digits - 1 - d];
    bool open = care && c == 'x';
    int value = open ? 0 : digit(c);
    if (value < 0)
      return refuse(r, "word", "not a hexadecimal digit");
    if (d == digits - 1 && bits % 4 && value >> bits % 4)
      return refuse(r, "word", "a bit above the ports");
    to[d / 2] |= (uint8_t)(value << d % 2 * 4);
    if (care && !open)
      care[d / 2] |= (uint8_t)(0xf << d % 2 * 4);
  }
  return true;
}

static bool read_words(struct out_file *f, struct reader *r) {
  uint32_t out_digits = (f->out_bits + 3) / 4, in_digits = (f->in_bits + 3) / 4;
  f->in_bytes = (in_digits + 1) / 2;
  f->out_bytes = (out_digits + 1) / 2;
  /* Before memory is taken: the file must be long enough to hold what its head promises. */
  if ((uint64_t)(r->end - r->at) / (out_digits + in_digits + 2) < f->cycles)
    return refuse(r, "cycles", "fewer words than the head says");
  f->in = calloc(f->cycles, f->in_bytes);
  f->out = calloc(f->cycles, f->out_bytes);
  f->care = calloc(f->cycles, f->out_bytes);
  if (!f->in || !f->out || !f->care)
    return refuse(r, "file", "out of memory");
  for (uint64_t c = 0; c < f->cycles; c++) {
    const char *line = "";
    size_t length = 0;
    if (!next_line(r, &line, &length))
      return false;
    if (length != out_digits + 1 + in_digits || line[out_digits] != '_')
      return refuse(r, "word", "must be %u digits, '_', %u digits", out_digits, in_digits);
    if (!read_side(r, line, f->out_bits, f->out + c * f->out_bytes, f->care + c * f->out_bytes) ||
        !read_side(r, line + out_digits + 1, f->in_bits, f->in + c * f->in_bytes, NULL))
      return false;
  }
  return true;
}

static bool parse(struct out_file *f, struct reader *r) {
  const char *line = "";
  size_t length = 0;
  char text[128];
  int used = 0;
  if (!next_line(r, &line, &length) || !comment(r, text, sizeof text, line, length))
    return false;
  if (sscanf(text,
             "// loom-out 1 %31[a-z0-9_] %31[a-z0-9_] seed %20" SCNu64 " cycles %9" SCNu64 "%n",
             f->dut, f->config, &f->seed, &f->cycles, &used) != 4 ||
      text[used])
    return refuse(r, "head", "must be `// loom-out 1 device configuration seed N cycles N`");
  if (f->cycles < 1 || f->cycles > CYCLES_MAX)
    return refuse(r, "cycles", "must be 1..%d", CYCLES_MAX);
  while (r->end - r->at >= 2 && r->at[0] == '/') {
    if (!next_line(r, &line, &length) || !comment(r, text, sizeof text, line, length) ||
        !read_port(f, r, text))
      return false;
  }
  if (!f->in_bits || !f->out_bits)
    return refuse(r, "port", "no input or no output");
  if (!read_words(f, r) || !next_line(r, &line, &length))
    return false;
  if (length != 6 || memcmp(line, "// end", 6) != 0 || r->at != r->end)
    return refuse(r, "end", "must be `// end` after the last word, with nothing after it");
  return true;
}

bool out_parse(struct out_file *f, const char *name, const char *text, size_t size, FILE *err) {
  struct reader r = {name, text, text + size, 0, err};
  memset(f, 0, sizeof *f);
  f->ports = calloc(PORTS_MAX, sizeof *f->ports);
  if (f->ports && parse(f, &r))
    return true;
  out_free(f);
  return false;
}

bool out_load(struct out_file *f, const char *path, FILE *err) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, room = 0, got = 0;
  if (!file) {
    fprintf(err, "%s:0: file: cannot open: %s\n", path, strerror(errno));
    return false;
  }
  do {
    size += got;
    if (size == room) {
      room = room ? 2 * room : 1 << 16;
      char *more = realloc(text, room);
      if (!more)
        break;
      text = more;
    }
    got = fread(text + size, 1, room - size, file);
  } while (got);
  bool good = text && !ferror(file) && feof(file) && out_parse(f, path, text, size, err);
  if (ferror(file))
    fprintf(err, "%s:0: file: cannot read: %s\n", path, strerror(errno));
  fclose(file);
  free(text);
  return good;
}

bool out_fits(const struct out_file *f, const char *name, const struct dut *dut, const void *cfg,
              FILE *err) {
  size_t p = 0;
  bool good = strcmp(f->dut, dut->name) == 0;
  for (size_t i = 0; good && i < dut->field_count; i++) {
    const struct field *fd = &dut->fields[i];
    if (fd->dir == FIELD_PROBE)
      continue;
    good = p < f->port_count && f->ports[p].input == (fd->dir == FIELD_IN) &&
           strcmp(f->ports[p].name, fd->name) == 0 && f->ports[p].lanes == fd->lanes(cfg) &&
           f->ports[p].bits == fd->bits(cfg);
    p++;
  }
  if (good && p == f->port_count)
    return true;
  fprintf(err, "%s:1: port: the ports are not those of %s in this configuration\n", name,
          dut->name);
  return false;
}

void out_free(struct out_file *f) {
  free(f->in);
  free(f->out);
  free(f->care);
  free(f->ports);
  memset(f, 0, sizeof *f);
}

uint64_t out_value(const struct out_file *f, const uint8_t *side, uint32_t bytes, uint64_t cycle,
                   uint32_t at, uint32_t bits) {
  (void)f;
  const uint8_t *word = side + cycle * bytes;
  uint64_t v = 0;
  for (uint32_t b = 0; b < bits; b++)
    v |= (uint64_t)(word[(at + b) / 8] >> (at + b) % 8 & 1) << b;
  return v;
}
