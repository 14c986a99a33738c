/* SPDX-License-Identifier: MIT
 *
 * report_files.c - the files that a report has in its folder: report.html, and figures/ with data, scripts and drawings.
 *
 * The folder may be a run of others. Links at the names of a report are replaced, not followed, and only files of these
 * names are ever removed.
 */
#include "base/memory.h"
#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names ---- */

/* "confusion" of "run2-confusion": with several runs, their figures have a number. */
static const char *without_run(const char *name)
{
    size_t digits = strncmp(name, "run", 3) == 0 ? strspn(name + 3, "0123456789") : 0;

    return digits > 0 && name[3 + digits] == '-' ? name + 3 + digits + 1 : name;
}

static int is_ending(const char *text)
{
    static const char *const endings[] = { ".dat", ".gp", ".svg", ".png", ".csv" };

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(text, endings[i]) == 0) return 1;
    return 0;
}

/* The length of the name of a figure at the start of a file's name; 0 if there is none. */
static size_t figure_length(const char *name)
{
    static const char *const figures[] = { "confusion",       "eigenvalue-structure", "eigenvalues",
                                           "hardest",         "histograms",           "learning-curves",
                                           "mean-eigenvalue", "projection",           "reliability" };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        size_t n = strlen(figures[i]);
        if (strncmp(name, figures[i], n) == 0 && (name[n] == '\0' || name[n] == '.')) return n;
    }
    return 0;
}

static int is_figure_file(const char *name)
{
    const char *figure = without_run(name);
    size_t n = figure_length(figure);

    return n > 0 && is_ending(figure + n);
}

/* A temporary folder has the name of the figure that is drawn in it. */
static int is_figure(const char *name)
{
    const char *figure = without_run(name);
    size_t n = figure_length(figure);

    return n > 0 && (figure[n] == '\0' || is_ending(figure + n));
}

static int is_page(const char *name)
{
    return strcmp(name, "report.html") == 0;
}

/* ---- Files ---- */

/* Does something with each file of a figure in a folder. */
static dlda_status each_figure_file(const char *folder, dlda_status (*handle)(const char *path))
{
    dlda_status status = DLDA_OK;
    DIR *stream = opendir(folder);
    char *path = NULL;

    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream)) {
        if (!is_figure_file(entry->d_name)) continue;
        DLDA_TRY(dlda_path_join(folder, entry->d_name, &path));
        DLDA_TRY(handle(path));
        dlda_release(path);
        path = NULL;
    }
done:
    dlda_release(path);
    if (stream) closedir(stream);
    return status;
}

static dlda_status remove_file(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return DLDA_OK;
    return dlda_fail(DLDA_E_IO, "%s: cannot remove: %s", path, strerror(errno));
}

dlda_status report_prepare_folder(const char *folder)
{
    dlda_status status = DLDA_OK;
    char *figures = NULL, *page = NULL;

    DLDA_TRY(dlda_path_join(folder, "figures", &figures));
    DLDA_TRY(dlda_path_join(folder, "report.html", &page));
    DLDA_TRY(dlda_path_remove_link(page));
    DLDA_TRY(dlda_path_remove_link(figures));
    DLDA_TRY(dlda_folder_make(figures));
    DLDA_TRY(each_figure_file(figures, dlda_path_remove_link));
    dlda_folder_remove_leftovers(folder, is_page, DLDA_LEFTOVER_SECONDS);
    dlda_folder_remove_leftovers(figures, is_figure, DLDA_LEFTOVER_SECONDS);
done:
    dlda_release(figures);
    dlda_release(page);
    return status;
}

dlda_status report_remove(const char *folder)
{
    dlda_status status = DLDA_OK;
    char *figures = NULL, *page = NULL;

    DLDA_TRY(dlda_path_join(folder, "figures", &figures));
    DLDA_TRY(dlda_path_join(folder, "report.html", &page));
    DLDA_TRY(remove_file(page));
    DLDA_TRY(dlda_path_remove_link(figures));
    DLDA_TRY(each_figure_file(figures, remove_file));
    rmdir(figures); /* files of the user stay, and the folder with them */
done:
    dlda_release(figures);
    dlda_release(page);
    return status;
}
