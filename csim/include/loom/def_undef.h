/* SPDX-License-Identifier: Apache-2.0 */
/* def_undef.h - undefines every list macro, so that the next view of a list can start (see def.h)
 */
#undef LOOM_PARAM
#undef LOOM_IN
#undef LOOM_OUT
#undef LOOM_IN_ARRAY
#undef LOOM_OUT_ARRAY
#undef LOOM_PROBE
#undef LOOM_STORAGE
#undef P
