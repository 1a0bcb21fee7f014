#include "measure.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void set_fact(struct session *session, enum session_fact fact, char *text)
{
    free(session->facts[fact]);
    session->facts[fact] = text;
}

/* First line of what a command prints, or NULL. */
static char *command_line(const char *command)
{
    FILE *stream = popen(command, "r"); /* NOLINT(cert-env33-c): only constant commands come here */
    if (!stream)
        return NULL;
    char line[256] = "";
    const char *read = fgets(line, sizeof line, stream);
    pclose(stream);
    line[strcspn(line, "\n")] = '\0';
    return read && *line ? x_strdup(line) : NULL;
}

void measure_complete_session(struct session *session)
{
    char text[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    const size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    /* To the millisecond, because the date tells one session from another. */
    snprintf(text + length, sizeof text - length, ".%03ldZ", now.tv_nsec / 1000000);
    set_fact(session, SESSION_DATE, x_strdup(text));
    if (gethostname(text, sizeof text) == 0) {
        text[sizeof text - 1] = '\0';
        set_fact(session, SESSION_HOST, x_strdup(text));
    }
    set_fact(session, SESSION_COMMIT, command_line("git describe --always --dirty --abbrev=12 2>/dev/null"));
    set_fact(session, SESSION_CUGATE, x_strdup(CUGATE_VERSION));
}
