/* SPDX-License-Identifier: MIT
 *
 * settings.h - values that are set by name from text and checked against a table of options.
 *
 * This mechanism is used by the library (base/options.c) and the program (cli/options.c). A struct of options
 * begins with a dlda_settings, which owns the texts of all values; its other fields hold the parsed values.
 */
#ifndef DLDA_BASE_SETTINGS_H
#define DLDA_BASE_SETTINGS_H

#include "base/status.h"

enum {
    DLDA_OPTION_LENGTH = 4096, /* maximum length of a value, with its terminating zero */
    DLDA_MOST_SIDE = 4096      /* maximum side of a resized image                      */
};

/* The size of images; 0, 0: unchanged. */
typedef struct dlda_size {
    size_t height, width;
} dlda_size;

typedef struct dlda_option_row {
    dlda_option_info info;
    /* Offset of the field in the struct of options: int64_t for whole numbers, choices (index) and flags; double;
     * dlda_size; or const char * to a string owned by the settings. 0: no field. */
    size_t offset;
} dlda_option_row;

typedef struct dlda_option_table {
    const dlda_option_row *(*at)(size_t i); /* row i, from 0; NULL after the last one */
    size_t size;                            /* of the struct of options               */
} dlda_option_table;

typedef struct dlda_setting {
    char *text;
    int given; /* 1: set explicitly, so that suggestions are ignored */
} dlda_setting;

typedef struct dlda_settings {
    const dlda_option_table *table;
    size_t count;
    dlda_setting *values; /* [count], in the order of the table */
} dlda_settings;

/* Creates a struct of options with the default values of the table; the settings are its first member. */
dlda_status dlda_settings_create(const dlda_option_table *table, dlda_settings **settings);
/* Copies the values and which of them were set explicitly. */
dlda_status dlda_settings_copy(const dlda_settings *settings, dlda_settings **copy);
void dlda_settings_destroy(dlda_settings *settings);

/* Index of a name in a table; -1 if there is none. */
int dlda_option_index(const dlda_option_table *table, const char *name);

/* DLDA_E_OPTION for an invalid value; the old value is kept. */
dlda_status dlda_settings_set(dlda_settings *settings, const char *name, const char *value);
/* The same, but does nothing if the option was set explicitly. */
dlda_status dlda_settings_suggest(dlda_settings *settings, const char *name, const char *value);
/* NULL if there is no option of that name. */
const char *dlda_settings_get(const dlda_settings *settings, const char *name);
int dlda_settings_is_given(const dlda_settings *settings, const char *name);

#endif
