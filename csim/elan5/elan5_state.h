/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_state.h - what the files of the endpoint share (docs/elan5.md) */
#ifndef LOOM_ELAN5_ELAN5_STATE_H
#define LOOM_ELAN5_ELAN5_STATE_H

#include "elan5/elan5.h"

/* ---- elan5.c --------------------------------------------------------------------------------- */

/* A free transfer from first..last, LOOM_ELAN5_NONE if there is none; the record is cleared. */
uint32_t loom_elan5_new_transfer(struct loom_elan5 *e, uint32_t first, uint32_t last);
/* The record is filled in: it may begin. */
void loom_elan5_begin(struct loom_elan5 *e, uint32_t transfer);
/* The bytes address .. address + bytes - 1 exist. */
bool loom_elan5_inside(const struct loom_elan5 *e, uint64_t address, uint64_t bytes);

/* ---- elan5_transfer.c ------------------------------------------------------------------------ */

/* The transfer may have ended, or have a packet to begin. */
void loom_elan5_look(struct loom_elan5 *e, uint32_t transfer);
/* A new packet of a transfer that is in e->ready: its record. */
uint32_t loom_elan5_new_packet(struct loom_elan5 *e, uint32_t transfer);
/* Transfers that may begin a packet now: answers or requests, of the classes. */
uint64_t loom_elan5_ready(const struct loom_elan5 *e, bool answers, bool unicast, bool broadcast);
static inline bool loom_elan5_is_answer(uint32_t transfer) {
  return transfer >= LOOM_ELAN5_OWN_TRANSFERS;
}
/* The payload of a packet from where it stands, `bytes` of it. */
void loom_elan5_read_payload(struct loom_elan5 *e, struct loom_elan5_packet *p, uint32_t bytes,
                             uint8_t *to);
/* What becomes of a packet that was answered, or of which no answer will come. */
void loom_elan5_answered(struct loom_elan5 *e, uint32_t packet, bool ack);

/* ---- elan5_send.c ---------------------------------------------------------------------------- */

void loom_elan5_sender_init(struct loom_elan5 *e, uint32_t link);
/* The link is UP and has settled: traffic may go. */
static inline bool loom_elan5_sends(const struct loom_elan5 *e, uint32_t link) {
  const struct loom_elan5_port *port = &e->link[link].port;
  return port->state == LOOM_ELITE5_UP && port->timer >= e->cfg.settle;
}
/* What the link sends next, into its output register. */
void loom_elan5_send(struct loom_elan5 *e, uint32_t link);
/* Credit and reply of this cycle. */
void loom_elan5_hear(struct loom_elan5 *e, uint32_t link, const struct loom_flow *in);
/* The link is gone: all its packets are unanswered. */
void loom_elan5_sender_down(struct loom_elan5 *e, uint32_t link);
/* A reply is overdue (E5-14): both ends of the link start anew. */
void loom_elan5_watch(struct loom_elan5 *e, uint32_t link);

/* ---- elan5_receive.c ------------------------------------------------------------------------- */

/* The word of this cycle. */
void loom_elan5_receive(struct loom_elan5 *e, uint32_t link, const struct loom_flow *in);
/* Credit and reply into the output register. */
void loom_elan5_answer(struct loom_elan5 *e, uint32_t link);
void loom_elan5_receiver_down(struct loom_elan5 *e, uint32_t link);

/* ---- elan5_apply.c --------------------------------------------------------------------------- */

/* What a good packet does; true: ACK. *late: after the memory write. */
bool loom_elan5_apply(struct loom_elan5 *e, uint8_t type, const uint8_t *payload, uint32_t bytes,
                      bool *late);

#endif
