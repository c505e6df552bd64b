/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - one device for a program: its structs and its functions, from its list (csim/D/N.def)
 *
 * No include guard: the headers of the devices (<loom/switch.h>, <loom/parts.h>, ...) include it
 * once a device, after naming the device and its list. It declares, beside what <loom/def.h> does,
 *
 *   struct loom_N               a device; what is inside is the library's own affair
 *   loom_N_cfg_ok(cfg)          whether the parameters are legal together, each being inside its
 *                               range (loom_N_bad_param)
 *   loom_N_create(cfg)          a device after reset; NULL: the parameters are not legal, or out of
 *                               memory. *cfg is copied
 *   loom_N_destroy(d)           frees it; NULL is allowed
 *   loom_N_reset(d)             as after loom_N_create
 *   loom_N_step(d, in, out)     one clock cycle: *out is what the outputs show during the cycle in
 *                               which *in is applied, then comes the rising edge that ends it
 *   loom_N_probe(d, probe)      the registers that the list names, as they are now
 *
 * A field of `in` carries the port's value in its low bits; the bits above are 0, and so are lanes
 * that the parameters do not have. Nothing checks that while cycles go on. A device uses nothing
 * but its own memory: devices can be stepped in several threads, each device in one at a time.
 */

#if !defined(LOOM_DUT) || !defined(LOOM_DEF)
#error "define LOOM_DUT and LOOM_DEF before including <loom/device.h>"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef LOOM_GLUE3
#define LOOM_GLUE3_(a, b, c) a##b##c
#define LOOM_GLUE3(a, b, c) LOOM_GLUE3_(a, b, c)
#endif
#define LOOM_OWN LOOM_GLUE3(loom_, LOOM_DUT, )
#define LOOM_OWN_(suffix) LOOM_GLUE3(loom_, LOOM_DUT, suffix)

#ifdef __cplusplus
extern "C" {
#endif

struct LOOM_OWN;
struct LOOM_OWN_(_cfg);
struct LOOM_OWN_(_in);
struct LOOM_OWN_(_out);
struct LOOM_OWN_(_probe);

bool LOOM_OWN_(_cfg_ok)(const struct LOOM_OWN_(_cfg) * cfg);
struct LOOM_OWN *LOOM_OWN_(_create)(const struct LOOM_OWN_(_cfg) * cfg);
void LOOM_OWN_(_destroy)(struct LOOM_OWN *device);
void LOOM_OWN_(_reset)(struct LOOM_OWN *device);
void LOOM_OWN_(_step)(struct LOOM_OWN *device, const struct LOOM_OWN_(_in) * in,
                      struct LOOM_OWN_(_out) * out);
void LOOM_OWN_(_probe)(const struct LOOM_OWN *device, struct LOOM_OWN_(_probe) * probe);

#ifdef __cplusplus
}
#endif

/* In Loom's own sources the twin's header may have made the structs. */
#ifdef LOOM_TWINS_ARE_HERE
#undef LOOM_DUT
#undef LOOM_DEF
#else
#include <loom/def.h>
#endif
#undef LOOM_OWN
#undef LOOM_OWN_
