/* SPDX-License-Identifier: MIT
 *
 * closest_word.c - finds the word nearest to a mistyped one by edit distance.
 */
#include "base/closest_word.h"

#include <string.h>

/* Number of edits (insert, remove, replace) that turn a into b; both are truncated at 63 characters. */
static int edit_distance(const char *a, const char *b)
{
    int row[64];
    int n = (int)strnlen(a, 63), m = (int)strnlen(b, 63);

    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]);
            int shorter = row[j - 1] < row[j] ? row[j - 1] + 1 : row[j] + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[m];
}

int dlda_closest_word(const char *word, const char *const *words, size_t count)
{
    int length = (int)strnlen(word, 63), best = -1;
    int least = length / 3 + 2; /* from this distance on, it is not a typing error */

    if (least > length) least = length; /* a word of which no character is right is not one either */

    for (size_t i = 0; i < count; i++) {
        int distance = edit_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            best = (int)i;
        }
    }
    return best;
}
