/* SPDX-License-Identifier: MIT
 *
 * progress.c - the progress bar and the line of each epoch.
 *
 *     epoch  3/12 [======>     ] 9/18  1034 images/s  separation 2.341  eigenvalues 1.9 to 7.2, 4 raised  0:35 left
 *
 * The bar takes the columns that the text leaves. On a narrow terminal, first the details are dropped, then the
 * bar, then the line is truncated.
 */
#include "terminal/progress.h"
#include "terminal/colour.h"
#include "terminal/events.h"
#include "terminal/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 256, BAR_LEAST = 6, BAR_MOST = 40 };
static const double redraw_seconds = 0.1, event_seconds = 1;

/* ---- Helpers ---- */

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

/* "0:35" or "2:05:00"; "?" while unknown. */
static void format_duration(double seconds, char *text, size_t size)
{
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(text, size, "?");
        return;
    }
    long whole = lround(seconds);
    if (whole < 3600) snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
    else snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

static int digits_of(size_t number)
{
    return snprintf(NULL, 0, "%zu", number);
}

/* ---- The bar ---- */

static void format_bar(const dlda_progress *now, size_t width, char *text)
{
    size_t filled = now->batches ? width * now->batch / now->batches : 0;

    for (size_t i = 0; i < width; i++) text[i] = "=> "[i < filled ? 0 : i == filled ? 1 : 2];
    text[width] = '\0';
}

/* The text after the bar: speed, value and time left; with `detail` 1 also the eigenvalues of the batch and how
 * many of them are maximised, with 2 also the accuracy of the previous epoch. */
static void format_words(const cli_progress *self, const dlda_progress *now, int detail, char *text, size_t size)
{
    char time_left[32];
    int used = snprintf(text, size, "%zu/%zu  %.0f images/s  %s %.4g  ", now->batch, now->batches,
                        now->images_per_second, self->value, now->value);

    if (now->waiting > 0)
        used += snprintf(text + used, size - (size_t)used, "%.0f %% waiting  ", 100 * now->waiting);
    if (detail > 0 && !isnan(now->smallest))
        used += snprintf(text + used, size - (size_t)used, "eigenvalues %.3g to %.3g, %zu raised  ", now->smallest,
                         now->largest, now->selected);
    if (detail > 1 && !isnan(now->validation_accuracy))
        used += snprintf(text + used, size - (size_t)used, "validation %.2f %%  ", 100 * now->validation_accuracy);
    format_duration(now->seconds_left, time_left, sizeof time_left);
    snprintf(text + used, size - (size_t)used, "%s left", time_left);
}

static void draw(cli_progress *self, const dlda_progress *now)
{
    char left[LINE], right[LINE], bar[BAR_MOST + 1], line[3 * LINE];
    size_t columns = terminal_columns() - 1; /* some terminals wrap after the last column */
    size_t width = 0;

    snprintf(left, sizeof left, "epoch %*zu/%zu", digits_of(now->epochs), now->epoch, now->epochs);
    for (int detail = 2; detail >= 0 && width < BAR_LEAST; detail--) {
        format_words(self, now, detail, right, sizeof right);
        size_t words = strlen(left) + strlen(right) + 4; /* with two blanks and two brackets */
        width = columns > words ? columns - words : 0;
    }
    if (width >= BAR_LEAST) {
        format_bar(now, width < BAR_MOST ? width : BAR_MOST, bar);
        snprintf(line, sizeof line, "%s [%s] %s", left, bar, right);
    } else {
        snprintf(line, sizeof line, "%s  %s", left, right);
    }
    print_to(stderr, "\r%.*s\033[K", (int)(columns < sizeof line ? columns : sizeof line), line);
    fflush(stderr);
    self->on_screen = 1;
}

static void wipe(cli_progress *self)
{
    if (self->on_screen) fputs("\r\033[K", stderr);
    self->on_screen = 0;
}

/* ---- Interface ---- */

void progress_begin(cli_progress *self, const cli_options *options)
{
    *self = (cli_progress){ .kind = is_screen(stderr) ? PROGRESS_BAR : PROGRESS_LINES };
    if (option_is(options, "json", "true")) self->kind = PROGRESS_JSON;
    if (option_is(options, "quiet", "true")) self->kind = PROGRESS_NONE;
    self->epochs = (size_t)option_number(options, "epochs");
    self->value = dlda_objective_find(option_text(options, "objective"))->value;
}

void progress_continue(cli_progress *self, const dlda_epoch *epochs, size_t count)
{
    for (size_t i = 0; i < count; i++) self->best = fmax(self->best, epochs[i].validation_accuracy);
}

void progress_batch(void *user, const dlda_progress *now)
{
    cli_progress *self = user;
    double time = clock_seconds();
    int json = self->kind == PROGRESS_JSON;

    self->waiting = now->waiting;
    if ((!json && self->kind != PROGRESS_BAR) || time - self->drawn < (json ? event_seconds : redraw_seconds))
        return;
    self->drawn = time;
    if (json) event_batch(now);
    else draw(self, now);
}

void progress_epoch(void *user, const dlda_epoch *epoch)
{
    cli_progress *self = user;
    double value = isnan(epoch->separation) ? epoch->loss : epoch->separation;

    if (self->kind == PROGRESS_JSON) event_epoch(epoch, self->epochs);
    if (self->kind == PROGRESS_NONE || self->kind == PROGRESS_JSON) return;
    wipe(self);
    print_to(stderr, "epoch %*zu/%zu  %s %7.4f  rate %-8.4g", digits_of(self->epochs), epoch->epoch, self->epochs,
             self->value, value, epoch->rate);
    if (!isnan(epoch->train_accuracy)) print_to(stderr, " train %6.2f %%", 100 * epoch->train_accuracy);
    if (!isnan(epoch->validation_accuracy))
        print_to(stderr, "  validation %6.2f %%", 100 * epoch->validation_accuracy);
    print_to(stderr, "  %.0f images/s  %.1f s", epoch->images_per_second, epoch->seconds);
    if (self->waiting > 0) print_to(stderr, "  %.0f %% waiting", 100 * self->waiting);
    if (epoch->best && !isnan(epoch->validation_accuracy)) /* or not worse than the best, as far as can be told */
        print_to(stderr, "  %s%s%s", colour(stderr, COLOUR_GOOD),
                 epoch->validation_accuracy < self->best ? "kept" : "best", colour(stderr, COLOUR_END));
    self->best = fmax(self->best, epoch->validation_accuracy);
    fputc('\n', stderr);
    fflush(stderr);
}

void progress_log(void *user, const char *message)
{
    cli_progress *self = user;

    if (self->kind == PROGRESS_JSON) event_log(message);
    if (self->kind == PROGRESS_NONE || self->kind == PROGRESS_JSON) return;
    wipe(self);
    print_with_dashes(stderr, message);
    fputc('\n', stderr);
    fflush(stderr);
}

void progress_end(cli_progress *self)
{
    wipe(self);
    fflush(stderr);
}
