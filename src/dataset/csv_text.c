/* SPDX-License-Identifier: MIT
 *
 * csv_text.c - splits CSV text into records and fields according to RFC 4180.
 *
 * Fields may be in double quotes; inside, a quote is doubled, and separators and line ends are literal.
 * Blanks around a field are ignored. A record never continues in the next file. Line ends are found with memchr, and only lines with quotes are
 * parsed character by character.
 */
#include "dataset/csv_text.h"
#include "base/memory.h"

#include <string.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { FIRST_ROOM = 1 << 12, MOST_RECORD = 1 << 15, FIRST_RECORDS = 16 }; /* small files, thousands per second */
#else
enum { FIRST_ROOM = 1 << 22, MOST_RECORD = 1 << 25, FIRST_RECORDS = 1024 };
#endif

/* ---- The buffer ---- */

dlda_status dlda_csv_text_open(const char *const *files, size_t n, const char *name, const dlda_read_spec *limits,
                               dlda_csv_text *self)
{
    dlda_status status = DLDA_OK;

    *self = (dlda_csv_text){ .files = files,
                             .n_files = n,
                             .limits = limits,
                             .name = name,
                             .share = { .end_file = n, .end_record = SIZE_MAX },
                             .room = FIRST_ROOM,
                             .records_room = FIRST_RECORDS };
    DLDA_TRY(DLDA_TAKE(&self->text, self->room, files[0]));
    DLDA_TRY(DLDA_TAKE(&self->records, self->records_room, files[0]));
    DLDA_TRY(dlda_csv_text_rewind(self));
done:
    return status;
}

void dlda_csv_text_close(dlda_csv_text *self)
{
    dlda_flow_close(&self->flow);
    dlda_release(self->text);
    dlda_release(self->records);
    *self = (dlda_csv_text){ 0 };
}

const char *dlda_csv_text_name(const dlda_csv_text *self, const dlda_record *record)
{
    return self->name ? self->name : self->files[record->file];
}

static const char *current_name(const dlda_csv_text *self)
{
    return dlda_csv_text_name(self, &(dlda_record){ .file = self->file });
}

/* Reads as much of the current file as there is room for. */
static dlda_status fill(dlda_csv_text *self)
{
    dlda_status status = DLDA_OK;
    size_t got = 0;

    DLDA_TRY(dlda_flow_get(&self->flow, self->text + self->used, self->room - self->used, &got));
    self->at_end = got < self->room - self->used;
    self->used += got;
    if (self->at_end) DLDA_TRY(dlda_flow_finish(&self->flow, self->flow.given));
done:
    return status;
}

static dlda_status check_length(const dlda_csv_text *self, size_t line, size_t length)
{
    if (length <= MOST_RECORD) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: line %zu has more than %d bytes; is there a quote that is never closed?",
                     current_name(self), line, MOST_RECORD);
}

/* Moves the unused text to the front of the buffer and fills the rest. */
static dlda_status read_more(dlda_csv_text *self)
{
    dlda_status status = DLDA_OK;

    if (self->next > 0) memmove(self->text, self->text + self->next, self->used - self->next);
    self->used -= self->next;
    self->next = 0;
    DLDA_TRY(check_length(self, self->line, self->used));
    if (self->used > self->room / 2) {
        DLDA_TRY(DLDA_ENLARGE(&self->text, self->used, 2 * self->room, current_name(self)));
        self->room *= 2;
    }
    DLDA_TRY(fill(self));
done:
    return status;
}

/* The text of the file follows that of the file before, all of whose records were found: there is room, because the end
 * of a file is noticed when it does not fill the buffer. */
static dlda_status open_file(dlda_csv_text *self, size_t file)
{
    dlda_status status = DLDA_OK;

    dlda_flow_close(&self->flow);
    self->file = file;
    self->line = 1;
    self->fresh = 1;
    DLDA_TRY(dlda_flow_open(&(dlda_input){ .name = self->files[file], .spec = self->limits }, &self->flow));
    DLDA_TRY(fill(self));
done:
    return status;
}

dlda_status dlda_csv_text_rewind(dlda_csv_text *self)
{
    self->used = self->next = self->taken = 0;
    self->at_end = 1;
    if (self->share.first_file == self->share.end_file) return DLDA_OK;
    return open_file(self, self->share.first_file);
}

/* ---- Records ---- */

/* Finds the end of the record at `begin` and its number of lines; 0 if the end is not in the buffer. */
static int find_end(const dlda_csv_text *self, size_t begin, size_t *end, size_t *lines)
{
    const char *stop = self->text + self->used, *line = self->text + begin;
    int quoted = 0;

    for (*lines = 1;; ++*lines) {
        const char *newline = memchr(line, '\n', (size_t)(stop - line)), *line_end = newline ? newline : stop;
        for (const char *q = line; (q = memchr(q, '"', (size_t)(line_end - q))); q++) quoted = !quoted;
        *end = (size_t)(line_end - self->text);
        if (!newline) return self->at_end && begin < self->used; /* the last line may lack a line end */
        if (!quoted) return 1;
        line = newline + 1;
    }
}

static int is_empty(const dlda_csv_text *self, const dlda_record *found)
{
    for (size_t i = found->begin; i < found->end; i++)
        if (self->text[i] != '\r' && self->text[i] != ' ') return 0;
    return 1;
}

/* A byte order mark at the start of a file. */
static size_t mark_length(const dlda_csv_text *self)
{
    static const char mark[] = { '\xEF', '\xBB', '\xBF' };
    int found = self->used - self->next >= sizeof mark && memcmp(self->text + self->next, mark, sizeof mark) == 0;

    return found ? sizeof mark : 0;
}

/* The next non-empty record in the buffer; 0 if there is none. */
static int take_record(dlda_csv_text *self, dlda_record *found)
{
    size_t lines = 0;

    do {
        if (!find_end(self, self->next, &found->end, &lines)) return 0;
        found->begin = self->next + (self->line == 1 ? mark_length(self) : 0);
        found->line = self->line;
        found->file = self->file;
        self->next = found->end < self->used ? found->end + 1 : self->used;
        self->line += lines;
    } while (is_empty(self, found));
    return 1;
}

static int is_header(dlda_csv_text *self, const dlda_record *record)
{
    int found = self->fresh && self->is_header && self->is_header(self->owner, record);

    self->fresh = 0;
    return found;
}

/* Finds records in the buffer, and in further files while they fit into it. */
static dlda_status find_records(dlda_csv_text *self, size_t most, size_t *n)
{
    dlda_status status = DLDA_OK;

    while (*n < most && self->taken < self->share.end_record) {
        if (*n == self->records_room) {
            DLDA_TRY(DLDA_ENLARGE(&self->records, *n, 2 * *n, self->files[0]));
            self->records_room *= 2;
        }
        dlda_record *found = &self->records[*n];
        if (take_record(self, found)) {
            DLDA_TRY(check_length(self, found->line, found->end - found->begin));
            if (!is_header(self, found)) *n += self->taken++ >= self->share.first_record;
        } else if (self->at_end && self->file + 1 < self->share.end_file) {
            DLDA_TRY(open_file(self, self->file + 1));
        } else break;
    }
done:
    return status;
}

dlda_status dlda_csv_text_gather(dlda_csv_text *self, size_t most, size_t *n)
{
    dlda_status status = DLDA_OK;

    *n = 0;
    if (self->share.first_file == self->share.end_file) return DLDA_OK;
    for (;;) {
        DLDA_TRY(find_records(self, most, n));
        if (*n > 0 || self->at_end || self->taken >= self->share.end_record) return DLDA_OK;
        DLDA_TRY(read_more(self));
    }
done:
    return status;
}

dlda_status dlda_csv_text_count(dlda_csv_text *self, size_t *records)
{
    enum { BLOCK = 4096 };
    dlda_status status = DLDA_OK;

    *records = 0;
    DLDA_TRY(dlda_csv_text_rewind(self));
    for (size_t n = 1; n > 0; *records += n) DLDA_TRY(dlda_csv_text_gather(self, BLOCK, &n));
    DLDA_TRY(dlda_csv_text_rewind(self));
done:
    return status;
}

/* ---- Fields ---- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

dlda_fields dlda_fields_of(const char *text, size_t length, char separator)
{
    return (dlda_fields){ text, text + length, separator };
}

/* Reads from after the opening quote to after the closing one. */
static const char *read_quoted(const char *at, const char *end, dlda_field *field)
{
    const char *close = at;

    while ((close = memchr(close, '"', (size_t)(end - close))) && close + 1 < end && close[1] == '"') {
        field->doubled = 1;
        close += 2;
    }
    field->at = at;
    field->length = (size_t)((close ? close : end) - at);
    if (!close) field->damaged = DLDA_UNCLOSED;
    return close ? close + 1 : end;
}

int dlda_fields_next(dlda_fields *self, dlda_field *field)
{
    const char *at = self->at, *end = self->end;

    if (!at) return 0;
    *field = (dlda_field){ 0 };
    while (at < end && is_blank(*at) && *at != self->separator) at++;
    int quoted = at < end && *at == '"';
    if (quoted) at = read_quoted(at + 1, end, field);
    const char *stop = memchr(at, self->separator, (size_t)(end - at)), *last = stop ? stop : end;
    while (last > at && is_blank(last[-1])) last--;
    if (quoted && last > at) field->damaged = DLDA_FOLLOWED;
    if (!quoted) field->at = at, field->length = (size_t)(last - at);
    self->at = stop ? stop + 1 : NULL;
    return 1;
}

size_t dlda_field_copy(const dlda_field *field, size_t room, char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < field->length; i++, n++) {
        if (n < room) text[n] = field->at[i];
        if (field->doubled && field->at[i] == '"') i++;
    }
    return n;
}

dlda_status dlda_field_text(const dlda_field *field, char **text)
{
    dlda_status status = DLDA_TAKE(text, field->length + 1, "text");

    if (status == DLDA_OK) dlda_field_copy(field, field->length, *text);
    return status;
}

int dlda_field_is(const dlda_field *field, const char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < field->length; i++, n++) {
        if (text[n] == '\0' || text[n] != field->at[i]) return 0;
        if (field->doubled && field->at[i] == '"') i++;
    }
    return text[n] == '\0';
}
