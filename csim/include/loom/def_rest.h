/* SPDX-License-Identifier: Apache-2.0 */
/* def_rest.h - defines to nothing every list macro that the includer has not defined (see def.h) */
#ifndef LOOM_PARAM
#define LOOM_PARAM(NAME, dflt, min, max)
#endif
#ifndef LOOM_IN
#define LOOM_IN(name, bits)
#endif
#ifndef LOOM_OUT
#define LOOM_OUT(name, bits)
#endif
#ifndef LOOM_IN_ARRAY
#define LOOM_IN_ARRAY(name, lanes, bits, max)
#endif
#ifndef LOOM_OUT_ARRAY
#define LOOM_OUT_ARRAY(name, lanes, bits, max)
#endif
#ifndef LOOM_PROBE
#define LOOM_PROBE(name, bits)
#endif
#ifndef LOOM_STORAGE
#define LOOM_STORAGE(bytes)
#endif
