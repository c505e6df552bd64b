/* SPDX-License-Identifier: Apache-2.0 */
/* sloppy.c - a command that makes the file `a.txt`, and does one thing wrong when a call fails
 *
 *   sloppy WRONG      `right`: nothing; else one of those that fail, save and main look for
 */
#define _GNU_SOURCE /* getpid, fsync */

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HALF = 100, SIZE = 2 * HALF };

static bool is(const char *wrong, const char *what) { return !strcmp(wrong, what); }

static int fail(const char *wrong, const char *part) {
  if (!is(wrong, "leaves") && !is(wrong, "half"))
    unlink(part);
  while (is(wrong, "hangs"))
    sleep(1);
  if (!is(wrong, "silent"))
    fputs("sloppy: a.txt: cannot be made\n", stderr);
  if (is(wrong, "chatty"))
    fputs("sloppy: sorry\n", stderr);
  if (is(wrong, "other") && rename("small.perm", "a.txt"))
    return 2;
  return is(wrong, "status-0") ? 0 : is(wrong, "status-3") ? 3 : 2;
}

/* 0, or the status of an end that went badly. */
static int save(const char *wrong, const char *text, const char *part) {
  int file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0)
    return fail(wrong, part);
  bool ok = write(file, text, HALF) == HALF && write(file, text + HALF, HALF) == HALF;
  ok = !fsync(file) && ok;
  ok = !close(file) && ok;
  if (ok && is(wrong, "loses"))
    unlink("a.txt");
  if (ok && !is(wrong, "half"))
    ok = !rename(part, "a.txt");
  return ok ? 0 : fail(wrong, part);
}

int main(int argc, char **argv) {
  const char *wrong = argc > 1 ? argv[1] : "right";
  char part[64] = "a.txt";
  if (!is(wrong, "half"))
    snprintf(part, sizeof part, is(wrong, "stops") ? "a.txt.part1" : "a.txt.part%ld",
             (long)getpid());
  if (is(wrong, "prints"))
    puts("a.txt is made");
  if (is(wrong, "stops") && !access(part, F_OK))
    return fail("right", "nothing");
  char *text = malloc(SIZE);
  if (!text && is(wrong, "crashes"))
    raise(SIGSEGV);
  if (!text)
    return fail(wrong, part);
  memset(text, 'x', SIZE);
  int status = save(wrong, text, part);
  free(text);
  if (!status && !is(wrong, "prints"))
    puts("a.txt is made");
  return status;
}
