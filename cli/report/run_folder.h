/* SPDX-License-Identifier: MIT
 *
 * run_folder.h - the readable contents of a run folder.
 */
#ifndef DEEPLDA_CLI_RUN_FOLDER_H
#define DEEPLDA_CLI_RUN_FOLDER_H

#include "report/display_text.h"
#include "report/number_table.h"

#include <jansson.h>

typedef enum run_end {
    RUN_END_UNKNOWN, /* no run.json: a run of an earlier version */
    RUN_END_BEGUN,   /* its first epoch is not complete          */
    RUN_END_RUNNING,
    RUN_END_COMPLETE,
    RUN_END_STOPPED, /* by the user                                 */
    RUN_END_FAILED,  /* message: why                                */
    RUN_END_LOST     /* its process ended without recording a state */
} run_end;

typedef struct run_folder {
    char *path;
    json_t *options; /* options.json, NULL if not readable */
    json_t *facts;   /* run.json, likewise                 */
    number_table history, eigenvalues;
    run_end end;
    size_t kept;             /* row in `history` of the selected epoch; the number of rows if none */
    dlda_name_list problems; /* a message for each file that is missing or damaged                 */
} run_folder;

/* Fails if the folder does not exist or has no file of a run; anything else wrong becomes a
 * problem. Zero it before. */
dlda_status run_folder_read(const char *path, run_folder *run);
void run_folder_release(run_folder *run);

/* "complete", "still running", ... */
const char *run_end_text(run_end end);

/* An entry of a JSON object as text, "" if there is none. */
display_text entry_text(const json_t *object, const char *key);
/* An entry as a number, NaN if there is none. */
double entry_number(const json_t *object, const char *key);

/* A value of history.csv, by column name. */
double run_folder_at(const run_folder *run, size_t row, const char *column);

/* Number of eigenvalues in eigenvalues.csv: columns after the epoch up to the first empty one. */
size_t run_folder_eigenvalues(const run_folder *run);

#endif
