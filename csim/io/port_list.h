/* SPDX-License-Identifier: Apache-2.0 */
/* port_list.h - a fabric from a list of its ports, each with what is at the other end of its cable
 * (docs/cluster.md) */
#ifndef LOOM_IO_PORT_LIST_H
#define LOOM_IO_PORT_LIST_H

#include "io/discovered.h"
#include "io/source.h"

/* One end of a cable: by GUID and number of the port, or by LID and number. */
struct loom_port_key {
  uint64_t guid; /* of the port, of a switch that of port 0; 0: unknown */
  uint32_t lid;  /* at which it is reached, 0: none */
  uint32_t port; /* 1.. */
};

/* A line of the list. */
struct loom_listed_port {
  size_t line;
  bool is_switch;
  bool begins;   /* a device begins here; its other ports come next */
  bool linked;   /* has a cable */
  uint32_t rate; /* Mb/s, 0: unknown */
  struct loom_port_key key;
  struct loom_port_key far;
  struct loom_description name; /* of the device */
  struct loom_description far_name;
};

struct loom_port_list {
  struct loom_listed_port *port; /* owned */
  uint32_t count, room;
};

/* Appends an entry of zeros; NULL: out of memory, or there are too many. */
struct loom_listed_port *loom_port_list_add(struct loom_port_list *list);

/* The fabric of a list. What is at a cable but not in the list is an adapter of one port. Names and
 * order are those of what is discovered, LIDs those of the subnet. The caller destroys it. NULL:
 * refused, *err says why. */
struct loom_topo *loom_port_list_fabric(struct loom_port_list *list, const char *file,
                                        struct loom_error *err);

#endif
