/* SPDX-License-Identifier: MIT
 *
 * doc_folder.h - where the documentation is.
 */
#ifndef DEEPLDA_CLI_DOC_FOLDER_H
#define DEEPLDA_CLI_DOC_FOLDER_H

#include <stddef.h>

/* The folder that has README.md and docs/: of the installation, or of the source if the program runs where it was
 * built. 0 if it cannot be found. */
int doc_folder_find(char *folder, size_t size);

#endif
