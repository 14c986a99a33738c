/* SPDX-License-Identifier: MIT
 *
 * cmd_data_list.c - `deeplda data list`: lists the known sets, and other sets in the data folder.
 */
#include "data/data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *const name = "data";

/* ---- Other sets in the data folder ---- */

typedef struct other {
    char path[4096];
    int train, test;
} other;

/* 1 if an entry of the data folder is a readable set other than the known ones. */
static int look_at(const char *folder, const char *entry, other *found)
{
    if (entry[0] == '.' || known_set_find(entry)) return 0;
    int length = snprintf(found->path, sizeof found->path, "%s/%s", folder, entry);
    if (length < 0 || (size_t)length >= sizeof found->path) return 0;
    found->train = dlda_dataset_has_part(&(dlda_read_spec){ .path = found->path, .part = DLDA_PART_TRAIN });
    found->test = dlda_dataset_has_part(&(dlda_read_spec){ .path = found->path, .part = DLDA_PART_TEST });
    return found->train || found->test;
}

static void each_other(const char *folder, void (*visit)(void *user, const other *found), void *user)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, alphasort);
    other found;

    for (int i = 0; i < n; i++) {
        if (look_at(folder, entries[i]->d_name, &found)) visit(user, &found);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Text ---- */

static void print_state(const known_set *set, const char *folder)
{
    char size[32];

    if (known_set_is_present(set)) print("%s/%s\n", folder, set->name);
    else if (set->package) {
        data_format_bytes(set->archive_bytes, size);
        print("not installed; deeplda data fetch %s (%s)\n", set->name, size);
    } else {
        print("not installed; cannot be fetched: put its binary files into %s/%s\n", folder, set->name);
    }
}

static void print_set(const known_set *set, const char *folder)
{
    char size[32], shape[48];

    data_format_bytes(known_set_bytes(set), size);
    snprintf(shape, sizeof shape, "%zu x %zu x %zu", set->height, set->width, set->channels);
    print("%-8s %8zu %6zu  %-11s  %6s  ", set->name, set->train, set->test, shape, size);
    print_state(set, folder);
}

static void print_other(void *user, const other *found)
{
    int *any = user;

    if (!(*any)++) fputs("\nalso in the data folder\n", stdout);
    print("%s  (%s)\n", found->path,
          found->train && found->test ? "training and test part"
          : found->train              ? "training part"
                                      : "test part");
}

static void print_list(const char *folder)
{
    int any = 0;

    print("%-8s %8s %6s  %-11s  %6s  %s\n", "name", "training", "test", "images", "files", "where");
    print("%-8s %8d %6d  %-11s  %6s  %s\n", "digits", 5000, 1000, "28 x 28 x 1", "-", "part of the program");
    for (size_t i = 0; i < n_known_sets; i++) print_set(&known_sets[i], folder);
    each_other(folder, print_other, &any);
}

/* ---- JSON ---- */

static void write_set(json_out *json, const known_set *set, const char *folder)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, set->name);
    json_open(json, '{');
    json_add_text(json, "name", set->name);
    json_add_text(json, "title", set->title);
    json_key(json, "present");
    json_raw(json, known_set_is_present(set) ? "true" : "false");
    json_add_text(json, "path", path);
    json_add_count(json, "train", set->train);
    json_add_count(json, "test", set->test);
    json_add_count(json, "height", set->height);
    json_add_count(json, "width", set->width);
    json_add_count(json, "channels", set->channels);
    json_add_count(json, "classes", set->classes);
    json_add_count(json, "bytes", known_set_bytes(set));
    json_add_text(json, "package", set->package);
    json_close(json, '}');
}

static void write_other(void *user, const other *found)
{
    json_out *json = user;

    json_open(json, '{');
    json_add_text(json, "path", found->path);
    json_key(json, "train");
    json_raw(json, found->train ? "true" : "false");
    json_key(json, "test");
    json_raw(json, found->test ? "true" : "false");
    json_close(json, '}');
}

static void write_list(const char *folder)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_add_text(&json, "folder", folder);
    json_key(&json, "sets");
    json_open(&json, '[');
    for (size_t i = 0; i < n_known_sets; i++) write_set(&json, &known_sets[i], folder);
    json_close(&json, ']');
    json_key(&json, "others");
    json_open(&json, '[');
    each_other(folder, write_other, &json);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

int data_list(const cli_arguments *arguments)
{
    char *folder = NULL;
    int code = exit_code_of(name, dlda_data_folder(&folder));

    if (code != EXIT_OK) return code;
    if (option_is(arguments->options, "json", "true")) write_list(folder);
    else print_list(folder);
    dlda_text_destroy(folder);
    return EXIT_OK;
}
