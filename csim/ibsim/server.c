/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* signalfd */

#include "ibsim/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ibsim/console.h"

enum { LINE = 256, WHY = 200 };

/* What is polled: the clients' sockets stand first. */
enum { CONTROL = LOOM_IBSIM_CLIENTS, SIGNALS, CONSOLE, POLLED };

struct loom_ibsim_server {
  struct loom_ibsim_server_cfg cfg;
  struct pollfd poll[POLLED];
  sigset_t before; /* signals that were blocked */
  bool blocks;
  char line[LINE]; /* of the console, as far as it has come */
  size_t used;
  bool over;
};

/* ---- sockets --------------------------------------------------------------------------------- */

/* The tools' library names its sockets in the abstract space, with a NUL at the end. */
static socklen_t make_address(struct sockaddr_un *a, const char *base, const char *kind, long n) {
  size_t room = sizeof a->sun_path - 1;
  *a = (struct sockaddr_un){.sun_family = AF_UNIX};
  int used = n < 0 ? snprintf(a->sun_path + 1, room, "%s:%s", base, kind)
                   : snprintf(a->sun_path + 1, room, "%s:%s%ld", base, kind, n);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)used + 2);
}

static int open_socket(const char *base, const char *kind, long n) {
  struct sockaddr_un a;
  socklen_t size = make_address(&a, base, kind, n);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&a, size) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static bool open_sockets(struct loom_ibsim_server *s, char *why) {
  bool ok = true;
  s->poll[CONTROL].fd = open_socket(s->cfg.name, "ctl", -1);
  ok = s->poll[CONTROL].fd >= 0;
  for (uint32_t i = 0; ok && i < LOOM_IBSIM_CLIENTS; i++) {
    s->poll[i].fd = open_socket(s->cfg.name, "out", (long)i);
    ok = s->poll[i].fd >= 0;
  }
  if (!ok)
    snprintf(why, WHY, "no sockets `%.60s`: %s", s->cfg.name,
             errno == EADDRINUSE ? "a simulator of this name is running" : strerror(errno));
  return ok;
}

static bool watch_signals(struct loom_ibsim_server *s, char *why) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  s->blocks = sigprocmask(SIG_BLOCK, &ends, &s->before) == 0;
  s->poll[SIGNALS].fd = s->blocks ? signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC) : -1;
  if (s->poll[SIGNALS].fd < 0)
    snprintf(why, WHY, "signals: %s", strerror(errno));
  return s->poll[SIGNALS].fd >= 0;
}

struct loom_ibsim_server *loom_ibsim_server_create(const struct loom_ibsim_server_cfg *cfg,
                                                   char *why) {
  struct loom_ibsim_server *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, WHY, "out of memory");
    return NULL;
  }
  s->cfg = *cfg;
  for (uint32_t i = 0; i < POLLED; i++)
    s->poll[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  s->poll[CONSOLE].fd = cfg->console;
  if (open_sockets(s, why) && watch_signals(s, why))
    return s;
  loom_ibsim_server_destroy(s);
  return NULL;
}

/* The signal that ended it is over, so that it does not end the program as well. */
static void forget_signals(struct loom_ibsim_server *s) {
  struct signalfd_siginfo info;
  while (s->poll[SIGNALS].fd >= 0 &&
         read(s->poll[SIGNALS].fd, &info, sizeof info) == (ssize_t)sizeof info)
    ;
}

void loom_ibsim_server_destroy(struct loom_ibsim_server *s) {
  if (!s)
    return;
  forget_signals(s);
  for (uint32_t i = 0; i < CONSOLE; i++)
    if (s->poll[i].fd >= 0)
      close(s->poll[i].fd);
  if (s->blocks)
    sigprocmask(SIG_SETMASK, &s->before, NULL);
  free(s);
}

/* ---- clients --------------------------------------------------------------------------------- */

/* False: the client does not take it. One that has gone is forgotten. */
static bool send_packet(struct loom_ibsim_server *s, uint32_t to,
                        const struct loom_ibsim_packet *p) {
  ssize_t sent = send(s->poll[to].fd, p, sizeof *p, MSG_NOSIGNAL);
  if (sent < 0 && (errno == ECONNREFUSED || errno == ENOTCONN))
    loom_exchange_leave(s->cfg.exchange, to);
  return sent == (ssize_t)sizeof *p;
}

static void take_packet(struct loom_ibsim_server *s, uint32_t from, struct loom_ibsim_packet *p) {
  uint32_t to = loom_exchange_packet(s->cfg.exchange, from, p);
  if (to == LOOM_EXCHANGE_NOBODY || send_packet(s, to, p) || to == from)
    return;
  loom_exchange_refuse(p);
  send_packet(s, from, p);
}

/* What is not as long as a packet is none. */
static void take_packets(struct loom_ibsim_server *s, uint32_t client) {
  struct loom_ibsim_packet p;
  for (;;) {
    ssize_t size = recv(s->poll[client].fd, &p, sizeof p, MSG_TRUNC);
    if (size < 0)
      return;
    if (size == (ssize_t)sizeof p && s->cfg.exchange->client[client].connected)
      take_packet(s, client, &p);
  }
}

/* The client's own socket, at which it waits for packets. */
static bool connect_client(const struct loom_ibsim_server *s, uint32_t client) {
  struct sockaddr_un a;
  socklen_t size = make_address(&a, s->cfg.name, "in", (long)s->cfg.exchange->client[client].id);
  return connect(s->poll[client].fd, (const struct sockaddr *)&a, size) == 0;
}

static void take_questions(struct loom_ibsim_server *s) {
  for (;;) {
    struct loom_ibsim_control c;
    struct sockaddr_un from;
    socklen_t room = sizeof from;
    ssize_t size =
        recvfrom(s->poll[CONTROL].fd, &c, sizeof c, MSG_TRUNC, (struct sockaddr *)&from, &room);
    if (size < 0)
      return;
    if (size != (ssize_t)sizeof c || c.magic != LOOM_IBSIM_MAGIC)
      continue;
    uint32_t client = loom_exchange_control(s->cfg.exchange, &c);
    if (client != LOOM_EXCHANGE_NOBODY && !connect_client(s, client)) {
      loom_exchange_leave(s->cfg.exchange, client);
      c.type = LOOM_IBSIM_ERROR;
    }
    sendto(s->poll[CONTROL].fd, &c, sizeof c, MSG_NOSIGNAL, (const struct sockaddr *)&from, room);
  }
}

static void send_traps(struct loom_ibsim_server *s) {
  struct loom_ibsim_packet p;
  uint32_t to;
  while ((to = loom_exchange_trap(s->cfg.exchange, &p)) != LOOM_EXCHANGE_NOBODY)
    send_packet(s, to, &p);
}

/* ---- console --------------------------------------------------------------------------------- */

static void do_line(struct loom_ibsim_server *s) {
  char reply[LOOM_CONSOLE_REPLY];
  enum loom_console_outcome outcome = loom_console_line(s->cfg.exchange->subnet, s->line, reply);
  if (outcome == LOOM_CONSOLE_WRONG)
    fprintf(s->cfg.io->err, "%s: console: %s\n", s->cfg.command, reply);
  else if (outcome == LOOM_CONSOLE_STATUS && s->cfg.status)
    s->cfg.status(s->cfg.context, s->cfg.io->out);
  else if (outcome == LOOM_CONSOLE_STATUS)
    fprintf(s->cfg.io->out, "no traffic: the file is a topology\n");
  else if (*reply)
    fprintf(s->cfg.io->out, "%s\n", reply);
  fflush(s->cfg.io->out);
  s->over |= outcome == LOOM_CONSOLE_QUIT;
}

/* A line that is too long is taken in pieces. At its end the console is closed, and the fabric goes
 * on. */
static void take_lines(struct loom_ibsim_server *s) {
  char more[LINE];
  ssize_t size = read(s->poll[CONSOLE].fd, more, sizeof more);
  if (size <= 0) {
    s->poll[CONSOLE].fd = -1;
    return;
  }
  for (ssize_t i = 0; i < size; i++) {
    if (more[i] != '\n')
      s->line[s->used++] = more[i];
    if (more[i] != '\n' && s->used < LINE - 1)
      continue;
    s->line[s->used] = '\0';
    s->used = 0;
    do_line(s);
  }
}

bool loom_ibsim_serve(struct loom_ibsim_server *s, int milliseconds) {
  send_traps(s);
  if (poll(s->poll, POLLED, milliseconds) < 0)
    return errno == EINTR;
  for (uint32_t i = 0; i < LOOM_IBSIM_CLIENTS; i++)
    if (s->poll[i].revents)
      take_packets(s, i);
  if (s->poll[CONTROL].revents)
    take_questions(s);
  if (s->poll[CONSOLE].revents)
    take_lines(s);
  send_traps(s);
  return !s->poll[SIGNALS].revents && !s->over;
}
