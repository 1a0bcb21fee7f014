#include "measure.h"

#include <time.h>

static void set_fact(struct session *session, enum session_fact fact, char *text)
{
    free(session->facts[fact]);
    session->facts[fact] = text;
}

/* Returns the first line that a program prints, or NULL. */
static char *first_line(const char *const *words)
{
    pid_t process;
    char line[256] = "";
    FILE *stream = process_start_reading(&(struct process_start){.words = words, .errors = PROCESS_NOTHING}, &process);
    if (!stream)
        return NULL;
    const char *read = fgets(line, sizeof line, stream);
    fclose(stream);
    process_wait(process);
    line[strcspn(line, "\n")] = '\0';
    return read && *line ? x_strdup(line) : NULL;
}

/* Returns the hash of the commit that the current folder is at, with "-dirty" if its tree has changes; or NULL. Not by
 * `git describe`, which walks through the history for a tag, and a tag's name is no hash. */
static char *commit_of_tree(void)
{
    static const char *const head[] = {"git", "rev-parse", "--short=12", "HEAD", NULL}, *const changes[] = {
                                                                                            "git", "status",
                                                                                            "--porcelain",
                                                                                            "--untracked-files=no",
                                                                                            NULL};
    OWNED_TEXT commit = first_line(head), *changed = commit ? first_line(changes) : NULL;
    return commit ? x_sprintf("%s%s", commit, changed ? "-dirty" : "") : NULL;
}

void measure_complete_session(struct session *session)
{
    char text[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    const size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    /* The date has milliseconds, because it tells one session from another. */
    snprintf(text + length, sizeof text - length, ".%03ldZ", now.tv_nsec / 1000000);
    set_fact(session, SESSION_DATE, x_strdup(text));
    if (gethostname(text, sizeof text) == 0) {
        text[sizeof text - 1] = '\0';
        set_fact(session, SESSION_HOST, x_strdup(text));
    }
    set_fact(session, SESSION_COMMIT, commit_of_tree());
    set_fact(session, SESSION_CUGATE, x_strdup(CUGATE_VERSION));
}
