#include "trial.h"

#include "baseline/baseline.h"
#include "command/command.h"
#include "judge/rule.h"
#include "made_time.h"
#include "measure/measure.h"
#include "support.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSIONS 10 /* of a baseline; fewer are provisional */
#define SAMPLES 3
#define TIMEOUT 60
#define METRICS "metrics.ini"

/* Where a trial takes place. */
struct workplace {
    const struct trial *trial;
    const char *head;
    char *folder, *baselines, *base, *save, *report, *log, *mark;
};

static char *in_folder(const struct workplace *place, const char *name)
{
    return x_sprintf("%s/%s", place->folder, name);
}

/* The two builds are one file under two names. */
static void place_init(struct workplace *place, const struct trial *trial, const char *head)
{
    *place = (struct workplace){.trial = trial, .head = head, .folder = scratch_make()};
    place->baselines = in_folder(place, "baselines");
    place->base = in_folder(place, "base.so");
    place->save = in_folder(place, "run.json");
    place->report = in_folder(place, "report.json");
    place->log = in_folder(place, "log");
    place->mark = in_folder(place, "mark");
    OWNED_TEXT target = realpath(head, NULL);
    if (!target || symlink(target, place->base) < 0)
        die(EXIT_USAGE, "cannot make a link to %s in %s", head, place->folder);
    made_time_begin();
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("GIT_DIR", place->folder, 1); /* no repository: what no bar is about is found out at once */
}

static void place_release(struct workplace *place)
{
    unsetenv("TURNS_LOG");
    unsetenv("TURNS_MARK");
    free(place->baselines);
    free(place->base);
    free(place->save);
    free(place->report);
    free(place->log);
    free(place->mark);
    scratch_remove(place->folder);
}

static char *text_of(const char *path)
{
    char *text;
    size_t length;
    return access(path, F_OK) < 0 || file_read(path, 1 << 20, &text, &length) < 0 ? x_strdup("") : text;
}

/* Blanks apart; caller frees the list, whose words are in *copy, and *copy. */
static size_t split(const char *words, char ***list, char **copy)
{
    size_t count = 0;
    char *rest = NULL;
    *list = NULL;
    *copy = x_strdup(words);
    for (char *word = strtok_r(*copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        *ARRAY_GROW(*list, count) = word;
    return count;
}

static void write_metrics(const struct workplace *place, const char *later)
{
    const char *floor = place->trial->floor, *more = place->trial->metrics;
    OWNED_TEXT text = x_sprintf("[wall_time]\ntitle = Wall time\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                                "better = lower\nfloor = %s\ndoc = By the made-up clock.\n%s%s",
                                floor ? floor : "2 % and 250 ns", more ? more : "", later ? later : "");
    free(scratch_file(place->folder, METRICS, text));
}

/* ---- The baseline ---- */

static void set_day(struct run *run, int day)
{
    free(run->sessions[0].facts[SESSION_DATE]);
    run->sessions[0].facts[SESSION_DATE] = x_sprintf("2026-01-%02dT08:00:00.000Z", day);
}

static void measure_session(const struct measurement *measurement, double factor, int day, struct run *run)
{
    if (measure_whole(measurement, run) != EXIT_SAME)
        die(EXIT_USAGE, "cannot measure a baseline in %s", measurement->kernels);
    for (size_t i = 0; i < run->result_count; i++) {
        struct row *row = result_find(&run->results[i], "wall_time");
        for (size_t s = 0; row && s < row->session_count; s++)
            for (size_t n = 0; n < row->sessions[s].count; n++)
                row->sessions[s].samples[n] *= factor;
    }
    set_day(run, day);
}

/* Makes the trial's sessions, from that day on, the baseline. The clock is exact: one stands for the others. */
static void accept_sessions(const struct workplace *place, const struct measurement *measurement, double factor,
                            int day)
{
    struct run run, more;
    OWNED(accepted) accepted;
    measure_session(measurement, factor, day, &run);
    measure_session(measurement, factor, day, &more);
    for (int i = 1; i < (place->trial->young ? 1 : SESSIONS); i++) {
        set_day(&more, day + i);
        run_append(&run, &more);
    }
    const struct acceptance acceptance = {
        .baselines = place->baselines,
        .metrics = measurement->metrics,
        .reason = "made up",
        .names = (char *[]){"made up"},
        .globs = (char *[]){"*"},
        .glob_count = 1,
    };
    if (baseline_accept(&acceptance, &run, 1, &accepted) != EXIT_SAME)
        die(EXIT_USAGE, "cannot accept a baseline in %s", place->folder);
    run_release(&more);
    run_release(&run);
}

static void make_baseline(const struct workplace *place)
{
    const struct trial *trial = place->trial;
    OWNED(metrics) metrics = {0};
    char **globs, *copy;
    const size_t count = split(trial->known ? trial->known : trial->kernels, &globs, &copy);
    write_metrics(place, NULL);
    if (metrics_read_folder(&metrics, place->folder) < 0)
        die(EXIT_USAGE, "cannot read the metrics of %s", place->folder);
    const struct measurement measurement = {
        .kernels = trial->of_head ? place->head : place->base,
        .metrics = &metrics,
        .backend = backend_find("host"),
        .globs = globs,
        .glob_count = count,
        .samples = SAMPLES,
        .timeout = TIMEOUT,
    };
    if (trial->creeping)
        accept_sessions(place, &measurement, 0.945, 1);
    accept_sessions(place, &measurement, trial->creeping ? 0.981 : 1, 11);
    free(globs);
    free(copy);
}

static void prepare(const struct workplace *place)
{
    const struct trial *trial = place->trial;
    if (!trial->no_baseline)
        make_baseline(place);
    if (trial->declared) {
        OWNED_TEXT folder = x_sprintf("%s/host", place->baselines);
        free(scratch_file(folder, KNOWN_REGRESSION_FILE, trial->declared));
    }
    write_metrics(place, trial->later);
}

/* ---- The check ---- */

static int check(const struct workplace *place, const char *replay)
{
    const struct trial *trial = place->trial;
    char **globs, *copy;
    const size_t count = split(trial->kernels, &globs, &copy);
    OWNED_TEXT metrics = in_folder(place, METRICS);
    const struct options options = {
        .globs = globs,
        .glob_count = count,
        .kernels = place->head,
        .metrics = place->folder,
        .baselines = place->baselines,
        .replay = replay,
        .save = replay ? NULL : place->save,
        .output = place->report,
        .format = "json",
        .against = !trial->against || replay ? NULL
                   : trial->no_library       ? metrics
                                             : place->base,
        .paired = trial->paired && !replay,
        .collector = "host",
        .samples = SAMPLES,
        .timeout = TIMEOUT,
    };
    const int code = command_check.run(&options);
    free(globs);
    free(copy);
    return code;
}

/* That row of the report, as text; empty when it has none. Caller frees. */
static char *reported_row(const struct trial *trial, const char *report)
{
    const int length = (int)strcspn(trial->row, " ");
    const char *metric = trial->row[length] ? &trial->row[length + 1] : NULL;
    const char *quote = metric ? "\"" : "";
    OWNED_TEXT begin = x_sprintf("{\"kernel\": \"%.*s\", \"metric\": %s%s%s,", length, trial->row, quote,
                                 metric ? metric : "null", quote);
    const char *start = strstr(report, begin);
    char *row = start ? x_sprintf("%.*s", (int)strcspn(start, "\n"), start) : x_strdup("");
    return row;
}

static bool is_judged(const struct trial *trial, const char *row)
{
    OWNED_TEXT verdict = x_sprintf("\"verdict\": \"%s\"", trial->verdict);
    const bool judged = strstr(row, verdict) && (!trial->reason || strstr(row, trial->reason));
    return judged;
}

/* The processes that the trial should take. Caller frees. */
static char *wanted_turns(const struct trial *trial)
{
    char pairs[2 * RULE_PAIR_COUNT + 1] = "";
    for (size_t i = 0; i < 2 * trial->pairs; i++)
        pairs[i] = "BHHB"[i % 4];
    return x_sprintf("%s%s%s", trial->before, pairs, trial->after ? trial->after : "");
}

static struct outcome judge_outcome(const struct workplace *place, int code)
{
    const struct trial *trial = place->trial;
    OWNED_TEXT report = text_of(place->report);
    OWNED_TEXT row = reported_row(trial, report);
    OWNED_TEXT turns = text_of(place->log);
    OWNED_TEXT wanted = wanted_turns(trial);
    const bool is_code = code == (int)trial->code, is_row = is_judged(trial, row);
    const bool is_turns = strcmp(turns, wanted) == 0;
    if (!is_code || !is_row || !is_turns)
        printf("    came: exit code %d, processes %s (not %s), row %s\n", code, turns, wanted, row);
    return (struct outcome){.facts = 3, .right = (size_t)is_code + is_row + is_turns};
}

/* From the counts on: what is before them says that it is a replay. */
static bool replays_alike(const struct workplace *place, int code)
{
    OWNED_TEXT before = text_of(place->report);
    const int code_now = check(place, place->save);
    OWNED_TEXT now = text_of(place->report);
    const char *parts[] = {strstr(before, "\"counts\""), strstr(now, "\"counts\"")};
    const bool alike = code_now == code && parts[0] && parts[1] && strcmp(parts[0], parts[1]) == 0;
    return alike;
}

struct outcome trial_run(const struct trial *trial, const char *head)
{
    struct workplace place;
    place_init(&place, trial, head);
    prepare(&place);
    setenv("TURNS_LOG", place.log, 1);
    setenv("TURNS_MARK", place.mark, 1);
    capture_begin();
    const int code = check(&place, NULL);
    struct outcome outcome = judge_outcome(&place, code);
    outcome.replays = replays_alike(&place, code);
    free(capture_end());
    place_release(&place);
    return outcome;
}

static size_t processes_begun(const struct workplace *place)
{
    struct stat log;
    return stat(place->log, &log) == 0 ? (size_t)log.st_size : 0;
}

struct outcome trial_interrupt(const struct trial *trial, const char *head, size_t processes)
{
    struct workplace place;
    place_init(&place, trial, head);
    prepare(&place);
    setenv("TURNS_LOG", place.log, 1);
    capture_begin();
    const pid_t child = fork();
    if (child == 0) {
        made_time_begin();       /* for its own */
        signal(SIGINT, SIG_DFL); /* shells start what is in the background without it */
        _exit(check(&place, NULL));
    }
    int status = 0;
    bool sent = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!sent && processes_begun(&place) >= processes)
            sent = kill(child, SIGINT) == 0;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const struct outcome outcome = judge_outcome(&place, code);
    free(capture_end());
    place_release(&place);
    return outcome;
}
