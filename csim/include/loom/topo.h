/* SPDX-License-Identifier: Apache-2.0 */
/* topo.h - a fabric as a graph of devices and cables (docs/topo.md; TP-01, TP-02, KN-01, KN-07)
 *
 * The topology of a setup (<loom/fabric.h>), or one that a program builds:
 *
 *     struct loom_topo *t = loom_topo_create(3, 3 + 1 + 1 + 3);     // port 0 of each counts
 *     uint32_t s = loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "S0");
 *     for (uint32_t h = 0; h < 2; h++)
 *       loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%u", (unsigned)h), 1, s, 1 + h);
 *     loom_topo_number(t);
 *
 * Devices count from 0. Ports count from 1, as on the front of a switch; port 0 is the management
 * port of a switch, has no cable and carries the LID of the switch. An HCA has one LID a port.
 *
 * One thread at a time may change a fabric; any number may look at it.
 */
#ifndef LOOM_TOPO_H
#define LOOM_TOPO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No device; no cable. */
#define LOOM_TOPO_NONE UINT32_MAX

enum loom_topo_kind { LOOM_TOPO_HCA, LOOM_TOPO_SWITCH };

struct loom_topo;
struct loom_setup;

/* The topology of a setup, which keeps it. Never NULL. */
const struct loom_topo *loom_setup_topo(const struct loom_setup *setup);

/* ---- making one ------------------------------------------------------------------------------ */

/* An empty fabric with room for so many devices and, with port 0 of each, ports. NULL: out of
 * memory, or more than 2^20 devices or 2^24 ports. */
struct loom_topo *loom_topo_create(uint32_t devices, uint32_t ports);
/* NULL is allowed; not for one that a setup keeps. */
void loom_topo_destroy(struct loom_topo *t);

/* Adds a device without cables. The name is printf's, 63 characters of it. Its number;
 * LOOM_TOPO_NONE: no room. */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
uint32_t
loom_topo_add(struct loom_topo *t, enum loom_topo_kind kind, uint32_t ports, const char *format,
              ...);

/* Plugs a cable into ports that are free. False: one is not, or does not exist, or both are of one
 * device. */
bool loom_topo_connect(struct loom_topo *t, uint32_t d, uint32_t port, uint32_t e, uint32_t peer);

/* LIDs 1, 2, ... for the ports of HCAs that have a cable, then for switches, in their order; 0 for
 * all if there are not enough (KN-06). */
void loom_topo_number(struct loom_topo *t);

/* ---- looking at one -------------------------------------------------------------------------- */

uint32_t loom_topo_devices(const struct loom_topo *t);
/* Of a device d below loom_topo_devices. */
const char *loom_topo_name_of(const struct loom_topo *t, uint32_t d);
enum loom_topo_kind loom_topo_kind_of(const struct loom_topo *t, uint32_t d);
uint32_t loom_topo_ports_of(const struct loom_topo *t, uint32_t d); /* without port 0 */
/* The LID at which a port is reached: its own, or of a switch that of port 0; 0: none. */
uint32_t loom_topo_lid_of(const struct loom_topo *t, uint32_t d, uint32_t port);
/* Where the cable of a port leads. False: there is no cable. */
bool loom_topo_peer(const struct loom_topo *t, uint32_t d, uint32_t port, uint32_t *e,
                    uint32_t *peer);

struct loom_topo_counts {
  uint32_t nodes; /* HCAs, aggregation nodes left out */
  uint32_t switches;
  uint32_t edge;      /* switches with a node */
  uint32_t ports_min; /* of a switch; 0 without one */
  uint32_t ports_max;
  uint32_t node_links;   /* cables with an HCA at an end */
  uint32_t switch_links; /* between switches */
  uint32_t aggregation;  /* HCAs inside switches that aggregate (docs/cluster.md) */
};
void loom_topo_count(const struct loom_topo *t, struct loom_topo_counts *c);

/* ---- writing (docs/formats.md); errors are left on the stream -------------------------------- */

void loom_topo_write_net(const struct loom_topo *t, FILE *file); /* ibsim's form (KN-10) */
void loom_topo_write_dot(const struct loom_topo *t, FILE *file); /* Graphviz */

#ifdef __cplusplus
}
#endif

#endif
