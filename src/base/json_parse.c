/* SPDX-License-Identifier: MIT
 *
 * json_parse.c - parses JSON (RFC 8259) into values of jansson.
 *
 * The parser of jansson 2.14 ignores that a token could not grow: if memory is short, it drops characters, and may then read
 * and write beyond its memory. Its values report failures, so they are used as they are. As in jansson, whole numbers that do
 * not fit are refused, as are duplicate keys and NUL in texts.
 */
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 1024, MOST_SHOWN = 20 };

typedef struct scanner {
    const char *begin, *at, *end;
    const char *token; /* where the current one begins       */
    char *scratch;     /* a text without escapes, a number   */
    size_t room;
    size_t depth;
    dlda_status status;
    dlda_json_error *error;
} scanner;

static json_t *parse_value(scanner *self);

/* ---- Failures: NULL, with the status set ---- */

static void *refuse(scanner *self, const char *what)
{
    dlda_json_error *error = self->error;
    size_t shown = (size_t)(self->at - self->token);

    if (self->status != DLDA_OK) return NULL;
    self->status = DLDA_E_FORMAT;
    if (shown == 0) snprintf(error->text, sizeof error->text, "%s near end of file", what);
    else
        snprintf(error->text, sizeof error->text, "%s near '%.*s'", what,
                 (int)(shown < MOST_SHOWN ? shown : MOST_SHOWN), self->token);
    error->position = (size_t)(self->at - self->begin);
    error->line = 1;
    for (const char *c = self->begin; c < self->at; c++) error->line += *c == '\n';
    return NULL;
}

static void *run_out(scanner *self)
{
    if (self->status == DLDA_OK) self->status = DLDA_E_MEMORY;
    return NULL;
}

/* ---- Characters ---- */

/* The next character that is no blank, without passing it; 0 at the end. */
static char next(scanner *self)
{
    while (self->at < self->end && memchr(" \t\r\n", *self->at, 4)) self->at++;
    self->token = self->at;
    return self->at < self->end ? *self->at : '\0';
}

/* Passes the character `wanted`; 0 and a message if there is another one. */
static int pass(scanner *self, char wanted, const char *message)
{
    char found = next(self);

    if (self->at < self->end) self->at++;
    if (found != wanted) refuse(self, message);
    return found == wanted;
}

/* ---- Texts ---- */

/* The number of four hexadecimal digits; -1 if they are not there. */
static long hexadecimal(const char *text, const char *end)
{
    long code = 0;

    if (end - text < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) return -1;
        long value = digit - digits;
        code = 16 * code + (value < 16 ? value : value - 6);
    }
    return code;
}

static size_t encode(long code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    static const int leads[] = { 0, 0xC0, 0xE0, 0xF0 };
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (size_t i = more; i > 0; i--, code >>= 6) to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(leads[more] | code);
    return more + 1;
}

/* The character of \uXXXX, or of two of them for those beyond U+FFFF; `at` is behind the u. 0 if it is not valid. */
static size_t unescape_code(const char **at, const char *end, char *to)
{
    long code = hexadecimal(*at, end), low = -1;

    *at += code >= 0 ? 4 : 0;
    if (code >= 0xD800 && code < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        low = hexadecimal(*at + 2, end);
        *at += 6;
        if (low < 0xDC00 || low > 0xDFFF) return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code <= 0 || (code >= 0xD800 && code < 0xE000)) return 0;
    return encode(code, to);
}

/* The character of an escape; `at` is behind the backslash. 0 if it is not valid. */
static size_t unescape(const char **at, const char *end, char *to)
{
    static const char escapes[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    char c = *(*at)++;
    const char *found = c ? strchr(escapes, c) : NULL;

    if (c == 'u') return unescape_code(at, end, to);
    if (found) to[0] = characters[found - escapes];
    return found != NULL;
}

/* Where the text ends that begins at `at`; NULL with a message if it does not end, or has a control character. */
static const char *find_end(scanner *self)
{
    const char *c = self->at;

    while (c < self->end && *c != '"' && (unsigned char)*c >= 0x20) c += *c == '\\' && c + 1 < self->end ? 2 : 1;
    self->at = c;
    if (c >= self->end) {
        self->at = self->token = self->end;
        return refuse(self, "premature end of input");
    }
    self->at++;
    return *c == '"' ? c : refuse(self, "control character");
}

static int make_room(scanner *self, size_t size)
{
    if (self->scratch && size <= self->room) return 1;
    if (DLDA_ENLARGE(&self->scratch, 0, size, "JSON") != DLDA_OK) return run_out(self) != NULL;
    self->room = size;
    return 1;
}

/* Passes a text, which is then in `scratch`; 0 on failure. Escapes are never shorter than what they stand for. */
static int scan_text(scanner *self, size_t *length)
{
    const char *from = ++self->at, *end = find_end(self);
    size_t n = 0;

    if (!end || !make_room(self, (size_t)(end - from) + 5)) return 0;
    while (from < end) {
        size_t step = 1;
        if (*from != '\\') self->scratch[n] = *from++;
        else {
            from++;
            step = unescape(&from, end, self->scratch + n);
        }
        if (step == 0) return refuse(self, "invalid escape") != NULL;
        n += step;
    }
    self->scratch[n] = '\0';
    *length = n;
    return dlda_is_utf8(self->scratch) || refuse(self, "invalid UTF-8") != NULL;
}

static json_t *parse_text(scanner *self)
{
    size_t n = 0;

    if (!scan_text(self, &n)) return NULL;
    json_t *value = json_stringn_nocheck(self->scratch, n);
    return value ? value : run_out(self);
}

/* ---- Numbers ---- */

static size_t pass_digits(scanner *self)
{
    const char *first = self->at;

    while (self->at < self->end && *self->at >= '0' && *self->at <= '9') self->at++;
    return (size_t)(self->at - first);
}

static int pass_one_of(scanner *self, const char *characters)
{
    int found = self->at < self->end && *self->at && strchr(characters, *self->at) != NULL;

    self->at += found;
    return found;
}

/* Passes a number; 0 on failure. */
static int scan_number(scanner *self, int *is_real)
{
    int good = 1;

    *is_real = 0;
    pass_one_of(self, "-");
    if (!pass_one_of(self, "0")) good = pass_digits(self) > 0;
    if (good && pass_one_of(self, ".")) good = *is_real = pass_digits(self) > 0;
    if (good && pass_one_of(self, "eE")) {
        pass_one_of(self, "+-");
        good = *is_real = pass_digits(self) > 0;
    }
    if (!good && self->at < self->end) self->at++;
    return good || refuse(self, "invalid token") != NULL;
}

static json_t *parse_number(scanner *self)
{
    json_t *value = NULL;
    double real = 0;
    int is_real = 0;

    if (!scan_number(self, &is_real)) return NULL;
    size_t n = (size_t)(self->at - self->token);
    if (!make_room(self, n + 1)) return NULL;
    memcpy(self->scratch, self->token, n);
    self->scratch[n] = '\0';
    errno = 0;
    long long whole = is_real ? 0 : strtoll(self->scratch, NULL, 10);
    if (errno == ERANGE) return refuse(self, "too big integer");
    if (is_real && !dlda_parse_real(self->scratch, &real)) return refuse(self, "real number overflow");
    value = is_real ? json_real(real) : json_integer(whole);
    return value ? value : run_out(self);
}

/* ---- Arrays, objects ---- */

static void add_element(scanner *self, json_t *array)
{
    json_t *value = parse_value(self);

    if (value && json_array_append_new(array, value) != 0) run_out(self);
}

static void add_member(scanner *self, json_t *object)
{
    char *key = NULL;
    size_t n = 0;

    if (next(self) != '"') {
        pass(self, '"', "string or '}' expected");
        return;
    }
    if (!scan_text(self, &n)) return;
    if (json_object_get(object, self->scratch)) {
        refuse(self, "duplicate object key");
        return;
    }
    if (dlda_take_text(self->scratch, &key) != DLDA_OK) run_out(self);
    else if (pass(self, ':', "':' expected")) {
        json_t *value = parse_value(self);
        if (value && json_object_set_new_nocheck(object, key, value) != 0) run_out(self);
    }
    dlda_release(key);
}

/* Passes the items up to the bracket `last`; each of them is added to the new `values`. */
static json_t *parse_items(scanner *self, json_t *values, char last, const char *message,
                           void (*add)(scanner *self, json_t *values))
{
    self->at++;
    if (!values) return run_out(self);
    int goes_on = next(self) != last;
    self->at += !goes_on;
    while (goes_on) {
        add(self, values);
        goes_on = self->status == DLDA_OK && next(self) == ',';
        if (goes_on) self->at++;
        else if (self->status == DLDA_OK) pass(self, last, message);
    }
    if (self->status == DLDA_OK) return values;
    json_decref(values);
    return NULL;
}

/* ---- Values ---- */

static json_t *parse_word(scanner *self)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t left = (size_t)(self->end - self->at);

    for (int i = 0; i < 3; i++)
        if (left >= strlen(words[i]) && memcmp(self->at, words[i], strlen(words[i])) == 0) {
            self->at += strlen(words[i]);
            return i == 2 ? json_null() : json_boolean(i == 0);
        }
    self->at += left > 0;
    return refuse(self, "unexpected token");
}

static json_t *parse_value(scanner *self)
{
    char first = next(self);
    json_t *value = NULL;

    if (self->depth == MOST_DEPTH) {
        self->at += first != '\0';
        return refuse(self, "too many levels");
    }
    self->depth++;
    if (first == '{') value = parse_items(self, json_object(), '}', "'}' expected", add_member);
    else if (first == '[') value = parse_items(self, json_array(), ']', "']' expected", add_element);
    else if (first == '"') value = parse_text(self);
    else if (first == '-' || (first >= '0' && first <= '9')) value = parse_number(self);
    else value = parse_word(self);
    self->depth--;
    return value;
}

dlda_status dlda_json_scan(const char *text, size_t size, json_t **value, dlda_json_error *error)
{
    scanner self = { .begin = text, .at = text, .end = text + size, .error = error };
    json_t *found = parse_value(&self);

    if (found && (next(&self) || self.at < self.end)) {
        self.at++;
        refuse(&self, "end of file expected");
    }
    dlda_release(self.scratch);
    if (self.status == DLDA_OK) *value = found;
    else json_decref(found);
    return self.status;
}
