/* SPDX-License-Identifier: Apache-2.0 */
/* pkt.h - packet streams from text files (docs/cosim.md, vectors/sched_port) */
#ifndef LOOM_TB_PKT_H
#define LOOM_TB_PKT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PKT_MAX = 100000 };

struct pkt_packet {
  uint64_t cycle; /* not before this cycle */
  uint32_t vl, sc, dest, length, id;
  bool no_tail; /* flag n: the last flit has no tail flag */
};

struct pkt_write {
  uint64_t cycle; /* in this cycle, or as soon as those before it are done */
  uint32_t addr, data;
};

struct pkt_file {
  char device[32], config[32];
  uint64_t cycles;
  struct pkt_packet *packet;
  size_t packets;
  struct pkt_write *write;
  size_t writes;
};

/* Parses `size` bytes at `text`; `name` stands in messages. False after one line on `err`. */
bool pkt_parse(struct pkt_file *f, const char *name, const char *text, size_t size, FILE *err);
bool pkt_load(struct pkt_file *f, const char *path, FILE *err);
void pkt_free(struct pkt_file *f);

#endif
