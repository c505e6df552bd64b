/* SPDX-License-Identifier: Apache-2.0 */
/* outfile.h - recorded vectors: inputs and expected outputs of every cycle, for $readmemh
 *
 * Format (docs/cosim.md): comment lines with the ports, then one word a cycle. Readers refuse a
 * file that is cut short or that does not fit the device, with one line `file:line: key: reason`.
 */
#ifndef LOOM_TB_OUTFILE_H
#define LOOM_TB_OUTFILE_H

#include "tb/cosim/cosim.h"

struct out_writer;

struct out_writer *out_create(const char *path, const struct circuit *c, uint64_t seed,
                              uint64_t cycles);
/* `defined`: false writes don't-care digits instead of the outputs. */
void out_write(struct out_writer *w, const void *in, const void *out, bool defined);
/* False if anything could not be written or cycles are missing. */
bool out_finish(struct out_writer *w);

/* A whole file in memory: per cycle the packed words of the two sides. */
struct out_file {
  char dut[32], config[32];
  uint64_t seed, cycles;
  uint32_t in_bits, out_bits;   /* of all ports together */
  uint32_t in_bytes, out_bytes; /* a cycle's share of `in`, of `out` and of `care` */
  uint8_t *in, *out;            /* port after port in list order, lowest bit first */
  uint8_t *care;                /* 1 bits: compared */
  size_t port_count;
  struct out_port {
    bool input;
    char name[32];
    uint32_t lanes, bits, at; /* at: place of its lowest bit in its side */
  } * ports;
};

/* Parses `size` bytes at `text`; `name` stands in messages. False after one line on `err`. */
bool out_parse(struct out_file *f, const char *name, const char *text, size_t size, FILE *err);
bool out_load(struct out_file *f, const char *path, FILE *err);
/* Whether the file was made for this device and these widths. */
bool out_fits(const struct out_file *f, const char *name, const struct dut *dut, const void *cfg,
              FILE *err);
void out_free(struct out_file *f);
/* Value of a lane of port p in a cycle, on the side of the port. */
uint64_t out_value(const struct out_file *f, const uint8_t *side, uint32_t bytes, uint64_t cycle,
                   uint32_t at, uint32_t bits);

#endif
