/* SPDX-License-Identifier: MIT
 *
 * builtin.c - the networks that are part of the library, and lookup of a network by name, by
 * file or as literal text.
 */
#include "base/closest_word.h"
#include "base/embed.h"
#include "base/file.h"
#include "base/memory.h"
#include "network/network.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NET_BYTES = 1 << 20 };

DLDA_EMBED(dlda_net_mnist, "networks/mnist.net");
DLDA_EMBED(dlda_net_cifar10, "networks/cifar10.net");
DLDA_EMBED(dlda_net_stl10, "networks/stl10.net");
DLDA_EMBED(dlda_net_cnn, "networks/cnn.net");
DLDA_EMBED(dlda_net_mlp, "networks/mlp.net");

static const char *const names[] = { "mnist", "cifar10", "stl10", "cnn", "mlp" };
static const uint8_t *const texts[] = { dlda_net_mnist, dlda_net_cifar10, dlda_net_stl10, dlda_net_cnn,
                                        dlda_net_mlp };

enum { N_BUILTIN = sizeof names / sizeof names[0] };

const char *dlda_network_builtin(const char *name)
{
    for (size_t i = 0; i < N_BUILTIN; i++)
        if (strcmp(names[i], name) == 0) return (const char *)texts[i];
    return NULL;
}

static dlda_status unknown_network(const char *name)
{
    char stem[32];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name); /* "mnist" for "mnist.net" */
    int near = dlda_closest_word(stem, names, N_BUILTIN);

    if (near >= 0)
        return dlda_fail(
            DLDA_E_OPTION,
            "network '%s': neither a file nor one of mnist, cifar10, stl10, cnn, mlp; did you mean '%s'?", name,
            names[near]);
    return dlda_fail(DLDA_E_OPTION, "network '%s': neither a file nor one of mnist, cifar10, stl10, cnn, mlp",
                     name);
}

const char *dlda_network_text_name(const char *name)
{
    return strchr(name, '\n') ? "network" : name;
}

dlda_status dlda_network_text_read(const char *name, char **text)
{
    DLDA_NEED(name, text);
    dlda_status status = DLDA_OK;
    char *bytes = NULL;
    size_t size = 0;

    if (strchr(name, '\n')) return dlda_take_text(name, text);
    if (dlda_network_builtin(name)) return dlda_take_text(dlda_network_builtin(name), text);
    if (!dlda_path_exists(name)) return unknown_network(name);
    DLDA_TRY(dlda_file_read(name, MOST_NET_BYTES, &bytes, &size));
    if (memchr(bytes, 0, size))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: holds zero bytes, expected the text of a network", name);
    *text = bytes;
    bytes = NULL;
done:
    dlda_release(bytes);
    return status;
}

void dlda_text_destroy(char *text)
{
    dlda_release(text);
}
