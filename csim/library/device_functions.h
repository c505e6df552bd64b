/* SPDX-License-Identifier: Apache-2.0 */
/* device_functions.h - create, destroy and reset of one device; devices.c includes it for each
 *
 * A device is one piece of memory: the twin's state, its parameters, its storage.
 */
#if !defined(LOOM_DUT) || !defined(LOOM_DEF)
#error "define LOOM_DUT and LOOM_DEF before including this file"
#endif

#define NAME(suffix) LOOM_GLUE3(loom_, LOOM_DUT, suffix)

static size_t NAME(_own_size)(const struct NAME(_cfg) * cfg) {
  size_t size = 0;
#define P(NAME) cfg->NAME
#define LOOM_STORAGE(bytes) size = (size_t)(bytes);
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  (void)cfg;
  return size;
}

static struct NAME(_cfg) * NAME(_own_cfg)(struct NAME() * s) {
  return (struct NAME(_cfg) *)(void *)((unsigned char *)s + lines(sizeof *s));
}

void NAME(_reset)(struct NAME() * s) {
  struct NAME(_cfg) *cfg = NAME(_own_cfg)(s);
  void *storage = (unsigned char *)cfg + lines(sizeof *cfg);
  (void)storage;
  NAME(_init)
  (s, cfg
#define LOOM_STORAGE(bytes) , storage
#include <loom/def_rest.h>
#include LOOM_DEF
#include <loom/def_undef.h>
  );
}

struct NAME() * NAME(_create)(const struct NAME(_cfg) * cfg) {
  if (NAME(_bad_param)(cfg) || !NAME(_cfg_ok)(cfg))
    return NULL;
  size_t size = lines(sizeof(struct NAME())) + lines(sizeof *cfg) + lines(NAME(_own_size)(cfg));
  struct NAME() *s = aligned_alloc(LINE, size);
  if (!s)
    return NULL;
  memset(s, 0, size);
  *NAME(_own_cfg)(s) = *cfg;
  NAME(_reset)(s);
  return s;
}

void NAME(_destroy)(struct NAME() * s) { free(s); }

#undef NAME
#undef LOOM_DUT
#undef LOOM_DEF
