#include "bisection.h"

#include "spawned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 16
#define LOG_LIMIT (64u << 20)

/* Runs git in a directory; what it says goes to *said. 0; its exit status; or -1 after an interrupt or error(). */
static int git_in(struct bisection *bisection, const char *directory, char **said, const char *const *arguments)
{
    /* No hook of the user's knows of this worktree. */
    const char *words[WORDS] = {"git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"};
    size_t count = 5;
    while (*arguments && count + 1 < WORDS)
        words[count++] = *arguments++;
    const struct spawned spawned = {
        .words = words,
        .directory = directory,
        .said = said,
        .scratch = bisection->folder,
        .interrupts = bisection->interrupts,
    };
    const int status = spawned_run(&spawned);
    if (status == SPAWNED_INTERRUPTED)
        bisection->interrupted = true;
    return status < 0 ? -1 : status;
}

#define GIT(bisection, directory, said, ...)                                                                           \
    git_in(bisection, directory, said, (const char *const[]){__VA_ARGS__, NULL})

/* What git says; NULL when it fails. */
static char *ask(struct bisection *bisection, const char *const *arguments)
{
    char *said;
    if (git_in(bisection, bisection->top ? bisection->top : ".", &said, arguments) == 0)
        return said;
    free(said);
    return NULL;
}

#define ASK(bisection, ...) ask(bisection, (const char *const[]){__VA_ARGS__, NULL})

/* A hook runs with variables that name its repository, and they would name it for the worktree as well. Of a make that
 * called, no part is left to the build. */
static void forget_environment(void)
{
    static const char *const names[] = {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
    };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        unsetenv(names[i]);
}

int bisection_open(struct bisection *bisection, const struct interrupts *interrupts)
{
    const char *temporary = getenv("TMPDIR");
    *bisection = (struct bisection){.interrupts = interrupts};
    forget_environment();
    char *folder = x_sprintf("%s/cugate-bisect-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        error("cannot make the folder %s: %s", folder, strerror(errno));
        free(folder);
        return -1;
    }
    bisection->folder = realpath(folder, NULL);
    if (!bisection->folder)
        bisection->folder = x_strdup(folder);
    free(folder);
    bisection->tree = x_sprintf("%s/tree", bisection->folder);
    bisection->log = x_sprintf("%s/log", bisection->folder);
    char *prefix = ASK(bisection, "rev-parse", "--show-prefix");
    char *top = prefix ? ASK(bisection, "rev-parse", "--show-toplevel") : NULL;
    bisection->prefix = prefix;
    bisection->top = top;
    return top ? 0 : error("there is no git checkout here: bisect builds and compares commits of one");
}

/* What was made is put away whatever comes. */
static void put_away(const char *directory, const char *const *words)
{
    const struct spawned spawned = {
        .words = words, .directory = directory, .output = "/dev/null", .scratch = "/nowhere"};
    spawned_run(&spawned);
}

void bisection_close(struct bisection *bisection)
{
    if (bisection->folder)
        put_away("/", (const char *const[]){"rm", "-rf", "--", bisection->folder, NULL});
    /* This worktree and no other: one whose folder is away for a while keeps what was staged in it. */
    if (bisection->has_tree)
        put_away(bisection->top,
                 (const char *const[]){"git", "worktree", "remove", "--force", "--force", bisection->tree, NULL});
    free(bisection->top);
    free(bisection->prefix);
    free(bisection->folder);
    free(bisection->tree);
    free(bisection->log);
    *bisection = (struct bisection){.interrupted = bisection->interrupted};
}

int bisection_split(const char *range, char **good, char **bad)
{
    const char *dots = strstr(range, "..");
    if (!dots || dots == range || !dots[2] || dots[2] == '.')
        return error("'%s' is no range of revisions: write GOOD..BAD, for example v1.0..HEAD", range);
    *good = x_sprintf("%.*s", (int)(dots - range), range);
    *bad = x_strdup(dots + 2);
    return 0;
}

char *bisection_commit(struct bisection *bisection, const char *revision)
{
    char *name = x_sprintf("%s^{commit}", revision);
    char *commit = *revision == '-' ? NULL : ASK(bisection, "rev-parse", "--verify", "--quiet", name);
    free(name);
    if (!commit && !bisection->interrupted)
        error("'%s' is no revision of this repository; is it spelt right, and fetched? A shallow clone lacks old ones",
              revision);
    return commit;
}

long bisection_count(struct bisection *bisection, const char *good, const char *bad)
{
    char *range = x_sprintf("%s..%s", good, bad);
    char *said = ASK(bisection, "rev-list", "--count", range);
    free(range);
    const long count = said ? strtol(said, NULL, 10) : -1;
    free(said);
    if (bisection->interrupted)
        return -1;
    if (count < 0 || GIT(bisection, bisection->top, NULL, "merge-base", "--is-ancestor", good, bad) != 0)
        return error("%.12s is no ancestor of %.12s: GOOD is where BAD came from", good, bad);
    return count;
}

char *bisection_subject(struct bisection *bisection, const char *commit)
{
    return ASK(bisection, "log", "-1", "--format=%s", commit);
}

char *bisection_parent(struct bisection *bisection, const char *commit)
{
    char *name = x_sprintf("%s^", commit), *parent = ASK(bisection, "rev-parse", "--verify", "--quiet", name);
    free(name);
    return parent;
}

/* What a build changed or left would be in the way of the next commit; what .gitignore names stays, to build on. */
static void tidy(struct bisection *bisection)
{
    GIT(bisection, bisection->tree, NULL, "reset", "--quiet", "--hard");
    GIT(bisection, bisection->tree, NULL, "clean", "-ffdq");
}

int bisection_checkout(struct bisection *bisection, const char *commit)
{
    int status;
    if (bisection->has_tree) {
        tidy(bisection);
        status = GIT(bisection, bisection->tree, NULL, "checkout", "--quiet", "--detach", commit);
    } else {
        bisection->has_tree = true;
        status =
            GIT(bisection, bisection->top, NULL, "worktree", "add", "--quiet", "--detach", bisection->tree, commit);
    }
    if (status == 0 || bisection->interrupted)
        return status == 0 ? 0 : -1;
    return error("git cannot check out %.12s into %s", commit, bisection->tree);
}

/* "# first bad commit: [SHA] subject" and "# possible first bad commit: [SHA] subject" of the log that git keeps. */
static char *log_of(struct bisection *bisection)
{
    char *said;
    if (GIT(bisection, bisection->tree, &said, "bisect", "log") == 0)
        return said;
    free(said);
    return NULL;
}

static bool is_done(const char *log)
{
    return strstr(log, "\n# first bad commit: [") || strstr(log, "\n# only skipped commits left to test");
}

/* git's exit status says little: `git bisect skip` fails where only skipped commits are left. */
static int find_next(struct bisection *bisection, const char *what, char **next)
{
    *next = NULL;
    char *log = bisection->interrupted ? NULL : log_of(bisection);
    const bool done = log && is_done(log);
    if (log && !done && GIT(bisection, bisection->tree, next, "rev-parse", "HEAD") != 0) {
        free(*next);
        *next = NULL;
    }
    free(log);
    if (done || *next)
        return 0;
    return bisection->interrupted ? -1 : error("git %s failed in %s", what, bisection->tree);
}

int bisection_begin(struct bisection *bisection, const char *good, const char *bad, char **next)
{
    tidy(bisection);
    GIT(bisection, bisection->tree, NULL, "bisect", "start", bad, good);
    return find_next(bisection, "bisect start", next);
}

int bisection_go_on(struct bisection *bisection, const char *verdict, char **next)
{
    tidy(bisection);
    GIT(bisection, bisection->tree, NULL, "bisect", verdict);
    return find_next(bisection, "bisect", next);
}

char **bisection_found(struct bisection *bisection, bool *sure)
{
    static const char first[] = "# first bad commit: [", possible[] = "# possible first bad commit: [";
    char **commits = NULL, *log = log_of(bisection), *rest = NULL;
    size_t count = 0;
    *sure = false;
    for (char *line = log ? strtok_r(log, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        const bool is_first = strncmp(line, first, strlen(first)) == 0;
        if (!is_first && strncmp(line, possible, strlen(possible)) != 0)
            continue;
        const char *commit = strchr(line, '[') + 1;
        *ARRAY_GROW(commits, count) = x_sprintf("%.*s", (int)strcspn(commit, "]"), commit);
        *sure = *sure || is_first;
    }
    *ARRAY_GROW(commits, count) = NULL;
    free(log);
    return commits;
}

/* "make: *** [Makefile:3: x.so] Error 1" only says that the line before it was an error. */
static bool is_after_the_error(const char *line)
{
    const char *stars = strstr(line, ": *** ");
    return stars && strstr(line, "make") && strstr(line, "make") < stars && strstr(stars, "] Error ");
}

/* The last line that says something. */
static void take_last_line(const char *path, struct problem *why)
{
    char *text, *rest = NULL;
    size_t length;
    if (file_read(path, LOG_LIMIT, &text, &length) < 0)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (line[strspn(line, " \t\r")] && !(*why->text && is_after_the_error(line)))
            problem_set(why, "%s", line);
    free(text);
}

int bisection_build(struct bisection *bisection, const char *command, const char *library, struct problem *why)
{
    const char *const words[] = {"sh", "-c", command, NULL};
    const struct spawned build = {
        .words = words,
        .directory = bisection->tree,
        .output = bisection->log,
        .scratch = bisection->folder,
        .interrupts = bisection->interrupts,
    };
    char *path = x_sprintf("%s/%s", bisection->tree, library);
    unlink(path);
    setenv("CUGATE_TOP", bisection->top, 1);
    *why = (struct problem){0};
    const int status = spawned_run(&build);
    const bool is_there = access(path, R_OK) == 0;
    free(path);
    if (status == 0 && is_there)
        return 0;
    if (status == SPAWNED_INTERRUPTED)
        bisection->interrupted = true;
    else if (status == 0)
        problem_set(why, "the build succeeded, but there is no %s", library);
    else if (status > 0)
        take_last_line(bisection->log, why);
    if (!*why->text)
        problem_set(why, "the build ended with %d", status);
    return -1;
}
