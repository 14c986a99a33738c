/* SPDX-License-Identifier: MIT
 *
 * embed.h - embeds a file of the source tree in the library's read-only data.
 *
 * The assembler includes the file (.incbin), so there is no generated source for the compiler to
 * parse. The symbols are hidden.
 */
#ifndef DLDA_BASE_EMBED_H
#define DLDA_BASE_EMBED_H

#include <stdint.h>

/* Defines `symbol` [] with the bytes of `file` (relative to the source root), and `symbol_end` [] at their end. A
 * zero byte follows, so that a text is a string. */
#define DLDA_EMBED(symbol, file)                                                                                   \
    __asm__(".pushsection .rodata\n"                                                                               \
            ".balign 16\n"                                                                                         \
            ".globl " #symbol "\n.hidden " #symbol "\n" #symbol ":\n"                                              \
            ".incbin \"" DLDA_SOURCE_ROOT "/" file "\"\n"                                                          \
            ".globl " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_end:\n"                                  \
            ".byte 0\n"                                                                                            \
            ".popsection\n");                                                                                      \
    extern __attribute__((visibility("hidden"))) const uint8_t symbol[], symbol##_end[]

#endif
