/* SPDX-License-Identifier: Apache-2.0 */
/* report_page.h - the page of `loom report`: report_page.html as a text, made by the make file */
#ifndef LOOM_CLI_REPORT_PAGE_H
#define LOOM_CLI_REPORT_PAGE_H

extern const char loom_report_page[];

#endif
