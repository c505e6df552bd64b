/* SPDX-License-Identifier: Apache-2.0 */
/* mad_fields.h - the one list of the fields of management packets that `loom ibsim` reads or
 * writes (docs/ibsim.md; InfiniBand Architecture Specification 1.4, chapters 13, 14 and 16)
 *
 * X(name, byte, bit, bits): a field begins at `bit` of `byte`, the most significant bit being 0,
 * and goes on to the right, over bytes if need be. Fields of the MAD count from its first byte,
 * those of an attribute from the attribute's. */
#ifndef LOOM_IBSIM_MAD_FIELDS_H
#define LOOM_IBSIM_MAD_FIELDS_H

#define LOOM_MAD_FIELDS(X)                                                                         \
  X(MAD_BASE_VERSION, 0, 0, 8)                                                                     \
  X(MAD_CLASS, 1, 0, 8)                                                                            \
  X(MAD_CLASS_VERSION, 2, 0, 8)                                                                    \
  X(MAD_METHOD, 3, 0, 8)                                                                           \
  X(MAD_STATUS, 4, 0, 16)                                                                          \
  X(MAD_TRANSACTION, 8, 0, 64)                                                                     \
  X(MAD_ATTRIBUTE, 16, 0, 16)                                                                      \
  X(MAD_MODIFIER, 20, 0, 32)                                                                       \
  X(DIRECT_RETURNS, 4, 0, 1)                                                                       \
  X(DIRECT_STATUS, 4, 1, 15)                                                                       \
  X(DIRECT_HOP, 6, 0, 8)                                                                           \
  X(DIRECT_HOPS, 7, 0, 8)                                                                          \
  X(DIRECT_SLID, 32, 0, 16)                                                                        \
  X(DIRECT_DLID, 34, 0, 16)                                                                        \
  X(NOTICE_GENERIC, 0, 0, 1)                                                                       \
  X(NOTICE_TYPE, 0, 1, 7)                                                                          \
  X(NOTICE_PRODUCER, 1, 0, 24)                                                                     \
  X(NOTICE_NUMBER, 4, 0, 16)                                                                       \
  X(NOTICE_ISSUER, 6, 0, 16)                                                                       \
  X(NOTICE_LID, 10, 0, 16)                                                                         \
  X(NODE_BASE_VERSION, 0, 0, 8)                                                                    \
  X(NODE_CLASS_VERSION, 1, 0, 8)                                                                   \
  X(NODE_TYPE, 2, 0, 8)                                                                            \
  X(NODE_PORTS, 3, 0, 8)                                                                           \
  X(NODE_SYSTEM_GUID, 4, 0, 64)                                                                    \
  X(NODE_GUID, 12, 0, 64)                                                                          \
  X(NODE_PORT_GUID, 20, 0, 64)                                                                     \
  X(NODE_PARTITIONS, 28, 0, 16)                                                                    \
  X(NODE_DEVICE, 30, 0, 16)                                                                        \
  X(NODE_REVISION, 32, 0, 32)                                                                      \
  X(NODE_LOCAL_PORT, 36, 0, 8)                                                                     \
  X(NODE_VENDOR, 37, 0, 24)                                                                        \
  X(SWITCH_LINEAR_CAP, 0, 0, 16)                                                                   \
  X(SWITCH_MULTICAST_CAP, 4, 0, 16)                                                                \
  X(SWITCH_LINEAR_TOP, 6, 0, 16)                                                                   \
  X(SWITCH_LIFETIME, 11, 0, 5)                                                                     \
  X(SWITCH_PORT_CHANGE, 11, 5, 1)                                                                  \
  X(SWITCH_PARTITIONS, 14, 0, 16)                                                                  \
  X(PORT_PREFIX, 8, 0, 64)                                                                         \
  X(PORT_LID, 16, 0, 16)                                                                           \
  X(PORT_SM_LID, 18, 0, 16)                                                                        \
  X(PORT_CAPABILITIES, 20, 0, 32)                                                                  \
  X(PORT_LOCAL, 28, 0, 8)                                                                          \
  X(PORT_WIDTH_ENABLED, 29, 0, 8)                                                                  \
  X(PORT_WIDTH_SUPPORTED, 30, 0, 8)                                                                \
  X(PORT_WIDTH_ACTIVE, 31, 0, 8)                                                                   \
  X(PORT_SPEED_SUPPORTED, 32, 0, 4)                                                                \
  X(PORT_STATE, 32, 4, 4)                                                                          \
  X(PORT_PHYSICAL, 33, 0, 4)                                                                       \
  X(PORT_DOWN_DEFAULT, 33, 4, 4)                                                                   \
  X(PORT_LMC, 34, 5, 3)                                                                            \
  X(PORT_SPEED_ACTIVE, 35, 0, 4)                                                                   \
  X(PORT_SPEED_ENABLED, 35, 4, 4)                                                                  \
  X(PORT_NEIGHBOUR_MTU, 36, 0, 4)                                                                  \
  X(PORT_SM_SL, 36, 4, 4)                                                                          \
  X(PORT_VL_CAP, 37, 0, 4)                                                                         \
  X(PORT_HIGH_LIMIT, 38, 0, 8)                                                                     \
  X(PORT_HIGH_CAP, 39, 0, 8)                                                                       \
  X(PORT_LOW_CAP, 40, 0, 8)                                                                        \
  X(PORT_MTU_CAP, 41, 4, 4)                                                                        \
  X(PORT_HEAD_LIFE, 42, 3, 5)                                                                      \
  X(PORT_VLS, 43, 0, 4)                                                                            \
  X(PORT_GUID_CAP, 50, 0, 8)                                                                       \
  X(PORT_TIMEOUT, 51, 3, 5)                                                                        \
  X(PORT_RESPONSE_TIME, 52, 3, 5)                                                                  \
  X(PORT_EXTENDED_ACTIVE, 62, 0, 4)                                                                \
  X(PORT_EXTENDED_SUPPORTED, 62, 4, 4)                                                             \
  X(PORT_EXTENDED_ENABLED, 63, 3, 5)                                                               \
  X(CLASS_BASE_VERSION, 0, 0, 8)                                                                   \
  X(CLASS_CLASS_VERSION, 1, 0, 8)                                                                  \
  X(CLASS_CAPABILITIES, 2, 0, 16)                                                                  \
  X(CLASS_RESPONSE_TIME, 7, 3, 5)                                                                  \
  X(COUNTERS_PORT, 1, 0, 8)                                                                        \
  X(COUNTERS_SELECT, 2, 0, 16)                                                                     \
  X(COUNTERS_SELECT2, 18, 0, 8)                                                                    \
  X(COUNTERS_LINK_DOWNED, 7, 0, 8)                                                                 \
  X(COUNTERS_RCV_ERRORS, 8, 0, 16)                                                                 \
  X(COUNTERS_RELAY_ERRORS, 12, 0, 16)                                                              \
  X(COUNTERS_XMIT_DISCARDS, 14, 0, 16)                                                             \
  X(COUNTERS_XMIT_DATA, 24, 0, 32)                                                                 \
  X(COUNTERS_RCV_DATA, 28, 0, 32)                                                                  \
  X(COUNTERS_XMIT_PACKETS, 32, 0, 32)                                                              \
  X(COUNTERS_RCV_PACKETS, 36, 0, 32)                                                               \
  X(COUNTERS_XMIT_WAIT, 40, 0, 32)                                                                 \
  X(EXTENDED_XMIT_DATA, 8, 0, 64)                                                                  \
  X(EXTENDED_RCV_DATA, 16, 0, 64)                                                                  \
  X(EXTENDED_XMIT_PACKETS, 24, 0, 64)                                                              \
  X(EXTENDED_RCV_PACKETS, 32, 0, 64)                                                               \
  X(EXTENDED_XMIT_UNICAST, 40, 0, 64)                                                              \
  X(EXTENDED_RCV_UNICAST, 48, 0, 64)

#endif
