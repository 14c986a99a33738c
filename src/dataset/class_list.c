/* SPDX-License-Identifier: MIT
 *
 * class_list.c - a hash table of labels. The key of a text label is the text, that of a
 * whole number its eight bytes.
 *
 * A column with more than 65,536 different labels is a quantity, not a class. The limit also bounds the
 * memory that a file can demand.
 */
#include "dataset/class_list.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 65536, FIRST_ROOM = 64 };

typedef struct class_entry {
    char *key; /* [length] and a zero byte */
    size_t length;
    uint64_t hash;
    int64_t value; /* of a whole number, or of a text that is one; valid once sorted */
    int number;    /* order of first appearance */
    size_t rows;   /* how often it was added    */
} class_entry;

struct dlda_class_list {
    const char *where;
    int whole; /* 1: labels are whole numbers, not text */
    size_t count, room;
    class_entry *entries; /* [room]: by first appearance, later sorted */
    size_t n_slots;       /* a power of 2                              */
    uint32_t *slots;      /* [n_slots]: index of an entry, plus 1      */
    int *class_of;        /* [count]: indexed by number of appearance  */
    char **names;         /* [count]                                   */
};

dlda_status dlda_class_list_create(const char *where, dlda_class_list **list)
{
    dlda_status status = DLDA_OK;
    dlda_class_list *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "classes"));
    self->where = where;
    self->room = FIRST_ROOM;
    self->n_slots = 2 * self->room;
    DLDA_TRY(DLDA_TAKE(&self->entries, self->room, "classes"));
    DLDA_TRY(DLDA_TAKE(&self->slots, self->n_slots, "classes"));
    *list = self;
    self = NULL;
done:
    dlda_class_list_destroy(self);
    return status;
}

void dlda_class_list_destroy(dlda_class_list *self)
{
    if (!self) return;
    for (size_t i = 0; i < self->count; i++) {
        if (self->entries) dlda_release(self->entries[i].key);
        if (self->names && self->whole) dlda_release(self->names[i]); /* names of text labels are the keys */
    }
    dlda_release(self->entries);
    dlda_release(self->slots);
    dlda_release(self->class_of);
    dlda_release(self->names);
    dlda_release(self);
}

/* ---- The hash table ---- */

/* FNV-1a. */
static uint64_t hash_of(const char *key, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)key[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* The slot of the key, or the empty slot where it belongs. At most half of the slots are in use. */
static uint32_t *slot_of(const dlda_class_list *self, const char *key, size_t length, uint64_t hash)
{
    for (size_t i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1)) {
        if (self->slots[i] == 0) return &self->slots[i];
        const class_entry *entry = &self->entries[self->slots[i] - 1];
        if (entry->hash == hash && entry->length == length && memcmp(entry->key, key, length) == 0)
            return &self->slots[i];
    }
}

static void fill_slots(dlda_class_list *self)
{
    memset(self->slots, 0, self->n_slots * sizeof *self->slots);
    for (size_t i = 0; i < self->count; i++) {
        const class_entry *entry = &self->entries[i];
        *slot_of(self, entry->key, entry->length, entry->hash) = (uint32_t)i + 1;
    }
}

static dlda_status enlarge(dlda_class_list *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_ENLARGE(&self->slots, 0, 2 * self->n_slots, "classes"));
    self->n_slots *= 2;
    fill_slots(self);
    DLDA_TRY(DLDA_ENLARGE(&self->entries, self->count, 2 * self->room, "classes"));
    self->room *= 2;
done:
    return status;
}

static dlda_status add_key(dlda_class_list *self, const char *key, size_t length, int *number)
{
    dlda_status status = DLDA_OK;
    uint64_t hash = hash_of(key, length);
    uint32_t slot = *slot_of(self, key, length, hash);
    char *copy = NULL;

    if (slot != 0) {
        *number = self->entries[slot - 1].number;
        return DLDA_OK;
    }
    if (self->count == MOST_CLASSES)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: more than %d different labels, expected classes, not quantities", self->where,
                  MOST_CLASSES);
    if (self->count == self->room) DLDA_TRY(enlarge(self));
    DLDA_TRY(dlda_take_text_n(key, length, &copy));
    *number = (int)self->count;
    self->entries[self->count++] = (class_entry){ .key = copy, .length = length, .hash = hash, .number = *number };
    *slot_of(self, key, length, hash) = (uint32_t)self->count;
done:
    return status;
}

/* The class of a key after sorting; -1 if it is unknown. */
static int find_key(const dlda_class_list *self, const char *key, size_t length)
{
    uint32_t slot = *slot_of(self, key, length, hash_of(key, length));

    return slot ? self->class_of[self->entries[slot - 1].number] : -1;
}

/* ---- Labels ---- */

/* Names are stored in model files, which are UTF-8; length is at most DLDA_MOST_CLASS_NAME. */
static int is_utf8(const char *text, size_t length)
{
    char copy[DLDA_MOST_CLASS_NAME + 1];

    memcpy(copy, text, length);
    copy[length] = '\0';
    return strlen(copy) == length && dlda_is_utf8(copy);
}

/* Both kinds in one list would be different classes with the same name. */
static dlda_status check_kind(const dlda_class_list *self, int whole)
{
    if (self->count == 0 || self->whole == whole) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: labels that are %s, expected %s as before", self->where,
                     whole ? "whole numbers" : "text", whole ? "text" : "whole numbers");
}

static dlda_status add_row(dlda_class_list *self, const char *key, size_t length, int *number)
{
    dlda_status status = add_key(self, key, length, number);

    if (status == DLDA_OK) self->entries[*number].rows++;
    return status;
}

dlda_status dlda_class_list_add(dlda_class_list *self, const char *text, size_t length, int *number)
{
    dlda_status status = check_kind(self, 0);

    if (status != DLDA_OK) return status;
    if (*slot_of(self, text, length, hash_of(text, length)) == 0) { /* known labels were checked before */
        if (length == 0) return dlda_fail(DLDA_E_FORMAT, "%s: an empty label, expected a name", self->where);
        if (length > DLDA_MOST_CLASS_NAME)
            return dlda_fail(DLDA_E_FORMAT, "%s: a label of %zu bytes, expected at most %d", self->where, length,
                             DLDA_MOST_CLASS_NAME);
        if (!is_utf8(text, length))
            return dlda_fail(
                DLDA_E_FORMAT,
                "%s: a label is not valid UTF-8; convert the file, for example: iconv -f latin1 -t utf-8",
                self->where);
    }
    return add_row(self, text, length, number);
}

dlda_status dlda_class_list_add_whole(dlda_class_list *self, int64_t value, int *number)
{
    char key[sizeof value];
    dlda_status status = check_kind(self, 1);

    if (status != DLDA_OK) return status;
    memcpy(key, &value, sizeof key);
    self->whole = 1;
    return add_row(self, key, sizeof key, number);
}

/* ---- As bytes ---- */

/* First 1 if the labels are whole numbers; then for each its length and its key. */
dlda_status dlda_class_list_pack(const dlda_class_list *self, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    char *packed = NULL;
    size_t at = 1;

    *size = 1;
    for (size_t i = 0; i < self->count; i++) *size += sizeof(uint32_t) + self->entries[i].length;
    DLDA_TRY(DLDA_TAKE(&packed, *size, "classes"));
    packed[0] = (char)self->whole;
    for (size_t i = 0; i < self->count; i++) {
        uint32_t length = (uint32_t)self->entries[i].length;
        memcpy(packed + at, &length, sizeof length);
        memcpy(packed + at + sizeof length, self->entries[i].key, length);
        at += sizeof length + length;
    }
    *bytes = packed;
done:
    return status;
}

dlda_status dlda_class_list_add_packed(dlda_class_list *self, const char *bytes, size_t size)
{
    dlda_status status = DLDA_OK;
    int number = 0;

    for (size_t at = 1; at < size;) {
        uint32_t length = 0;
        DLDA_TRY(check_kind(self, bytes[0] != 0));
        self->whole = bytes[0] != 0;
        memcpy(&length, bytes + at, sizeof length);
        DLDA_TRY(add_key(self, bytes + at + sizeof length, length, &number));
        at += sizeof length + length;
    }
done:
    return status;
}

/* ---- Order ---- */

static int by_bytes(const void *left, const void *right)
{
    const class_entry *a = left, *b = right;
    int order = memcmp(a->key, b->key, a->length < b->length ? a->length : b->length);

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_value(const void *left, const void *right)
{
    const class_entry *a = left, *b = right;

    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return by_bytes(left, right); /* e.g. "7" and "07" */
}

/* Returns 1 and sets the values if all labels are whole numbers. */
static int read_values(dlda_class_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        class_entry *entry = &self->entries[i];
        if (self->whole) memcpy(&entry->value, entry->key, sizeof entry->value);
        else if (!dlda_parse_whole(entry->key, &entry->value)) return 0;
    }
    return 1;
}

static dlda_status make_names(dlda_class_list *self)
{
    dlda_status status = DLDA_OK;
    char number[32];

    for (size_t i = 0; i < self->count; i++) {
        snprintf(number, sizeof number, "%" PRId64, self->entries[i].value);
        if (self->whole) DLDA_TRY(dlda_take_text(number, &self->names[i]));
        else self->names[i] = self->entries[i].key;
    }
done:
    return status;
}

dlda_status dlda_class_list_sort(dlda_class_list *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->class_of, self->count, "classes"));
    DLDA_TRY(DLDA_TAKE(&self->names, self->count, "classes"));
    qsort(self->entries, self->count, sizeof *self->entries, read_values(self) ? by_value : by_bytes);
    for (size_t i = 0; i < self->count; i++) self->class_of[self->entries[i].number] = (int)i;
    fill_slots(self);
    DLDA_TRY(make_names(self));
done:
    return status;
}

size_t dlda_class_list_count(const dlda_class_list *self)
{
    return self->count;
}

const char *const *dlda_class_list_names(const dlda_class_list *self)
{
    return (const char *const *)self->names;
}

size_t dlda_class_list_rows(const dlda_class_list *self, size_t class)
{
    return self->entries[class].rows;
}

int dlda_class_list_class(const dlda_class_list *self, int number)
{
    return self->class_of[number];
}

int dlda_class_list_find(const dlda_class_list *self, const char *text, size_t length)
{
    return self->whole ? -1 : find_key(self, text, length);
}

int dlda_class_list_find_whole(const dlda_class_list *self, int64_t value)
{
    char key[sizeof value];

    memcpy(key, &value, sizeof key);
    return self->whole ? find_key(self, key, sizeof key) : -1;
}
