/* SPDX-License-Identifier: MIT
 *
 * file_version.c - identifies kind and version of safetensors files by their metadata.
 */
#include "model/file_version.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *article, *name, *remark;
} kinds[] = {
    { DLDA_MODEL_KEY, "a", "model", "a network with its LDA" },
    { DLDA_LDA_KEY, "an", "LDA", "without a network" },
    { DLDA_CHECKPOINT_KEY, "a", "checkpoint", "of a training" },
};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static dlda_status another_kind(const dlda_safetensors *file, const char *path, size_t wanted)
{
    for (size_t k = 0; k < N_KINDS; k++)
        if (dlda_safetensors_metadata(file, kinds[k].key))
            return dlda_fail(DLDA_E_FORMAT, "%s: found %s %s (%s), expected %s %s (%s)", path, kinds[k].article,
                             kinds[k].name, kinds[k].remark, kinds[wanted].article, kinds[wanted].name,
                             kinds[wanted].remark);
    return dlda_fail(DLDA_E_FORMAT, "%s: no '%s' in the metadata; this is not a deeplda %s", path,
                     kinds[wanted].key, kinds[wanted].name);
}

dlda_status dlda_file_version_check(const dlda_safetensors *file, const char *path, const char *key,
                                    const char *expected)
{
    const char *version = dlda_safetensors_metadata(file, key);
    size_t kind = 0;

    while (kind + 1 < N_KINDS && strcmp(kinds[kind].key, key) != 0) kind++;
    if (!version) return another_kind(file, path, kind);
    if (strcmp(version, expected) == 0) return DLDA_OK;
    int is_newer = strspn(version, "0123456789") == strlen(version) &&
                   strtod(version, NULL) > strtod(expected, NULL);
    return dlda_fail(DLDA_E_FORMAT, "%s: format version '%.32s', expected '%s'%s%s%s", path, version, expected,
                     is_newer ? ": a newer deeplda wrote this " : "", is_newer ? kinds[kind].name : "",
                     is_newer ? ", and is needed to read it" : "");
}
