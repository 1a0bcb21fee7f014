#include "progress.h"

#include "base/base.h"

void progress_erase(const struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
}

void progress_draw(const struct progress *progress, size_t place, size_t count, const char *id)
{
    if (!progress->drawn)
        return;
    const char *label = progress->label;
    fprintf(stderr, "\r\033[K%s%s[%zu/%zu] %s", label ? label : "", label ? ": " : "", place + 1, count, id);
    if (place > 0) {
        const double elapsed = now_seconds() - progress->begin;
        fprintf(stderr, "  about %.0f s left", elapsed / (double)place * (double)(count - place));
    }
    fflush(stderr);
}
