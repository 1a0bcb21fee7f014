/* What a program's processes say is held to what a process says then, as with workers: the program shares them with
 * cugate's code. */
#include "program_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <sys/random.h>

enum { GROUPS_MAX = 5000, CALLER_LENGTH = 1000 };

/* Most seconds that counting takes (worker/program_link.h): of a program that is judged, only what changed is counted.
 */
static int seconds_of(const struct measurement *measurement)
{
    const int seconds = measurement->program->seconds;
    return seconds >= 0 ? seconds : measurement->judged_by ? -8 : -1;
}

static char *request_text(const struct program_run *run, const char *token)
{
    char *text = NULL;
    FILE *stream = x_memstream(&text, NULL);
    const struct metrics *metrics = run->measurement->metrics;
    fprintf(stream, "token %s\nset %zu\nseconds %d\nfolder %s\nlocks %s\n", token, run->set,
            seconds_of(run->measurement), run->setting->folder,
            (run->setting->locks ? run->setting->locks : run->setting->folder));
    if (run->measurement->profile)
        fprintf(stream, "lines\n");
    else if (!run->further)
        fprintf(stream, "changes\n");
    if (run->keeps)
        fprintf(stream, "keeps\n");
    if (run->setting->gpu)
        fprintf(stream, "gpu %s\n", run->setting->gpu);
    const struct suppressions *suppressed = &run->measurement->program->suppressed;
    for (size_t i = 0; i < suppressed->count; i++)
        fprintf(stream, "suppress %d %s\n", (int)suppressed->list[i].kind, suppressed->list[i].function);
    program_part_ask(&run->measurement->program->part, stream);
    for (size_t m = 0; m < metrics->count; m++)
        fprintf(stream, "%s %s %s\n", metrics->list[m].class == METRIC_EXACT ? "exact" : "metric",
                metrics->list[m].name, metrics->list[m].counter);
    for (size_t m = 0; m < metrics->count && run->setting->gpu; m++)
        if (metrics->list[m].weight)
            fprintf(stream, "weight %s %s\n", metrics->list[m].name, metrics->list[m].weight);
    fclose(stream);
    return text;
}

void program_fail(struct program_run *run, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!run->failure)
        run->failure = x_strdup(text);
}

/* By the kernel's word. Who maps the file alone means to deceive, and could do worse. */
static bool has_loaded(pid_t process, const char *library)
{
    OWNED_TEXT path = x_sprintf("/proc/%d/maps", (int)process), *line = NULL;
    FILE *maps = fopen(path, "re");
    size_t capacity = 0;
    bool found = false;
    while (maps && !found && getline(&line, &capacity, maps) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *file = strchr(line, '/');
        found = file && library && strcmp(file, library) == 0;
    }
    if (maps)
        fclose(maps);
    return found;
}

static bool make_token(char token[PROGRAM_TOKEN + 1])
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return false;
    snprintf(token, PROGRAM_TOKEN + 1, "%0*" PRIx64, PROGRAM_TOKEN, number);
    return true;
}

/* Whoever is answered waits for it, with the library in place. */
static bool take_hello(struct program_run *run, struct program_process *process, const char *text)
{
    if (*process->token || !make_token(process->token))
        return false;
    const struct program_setting *setting = run->setting;
    if (!has_loaded(process->peer.process, setting->injection) && !has_loaded(process->peer.process, setting->of_12)) {
        program_fail(run,
                     "process %d sends data in the format of cugate's library without having loaded it: the program "
                     "imitates the library, or the process was killed at once",
                     (int)process->peer.process);
        return false;
    }
    const char *rank = strchr(text, ' ');
    process->rank = rank && isdigit((unsigned char)rank[1]) ? strtol(rank, NULL, 10) : -1;
    OWNED_TEXT request = request_text(run, process->token);
    return message_write(process->peer.pipe, MESSAGE_ANSWER, request);
}

/* Takes the token off. False when what it says is not the library's. */
static bool is_of_library(const struct program_process *process, struct message *message)
{
    if (message->kind == MESSAGE_HELLO)
        return true;
    if (!*process->token || strncmp(message->text, process->token, PROGRAM_TOKEN) != 0)
        return false;
    memmove(message->text, message->text + PROGRAM_TOKEN, strlen(message->text + PROGRAM_TOKEN) + 1);
    return true;
}

/* Of several GPUs the run has the one whose UUID comes first, so that it is the same one in each session. */
static void take_gpu(struct session *session, struct session *other)
{
    char **uuid = &session->facts[SESSION_GPU_UUID], **others = &other->facts[SESSION_GPU_UUID], *first = *others;
    if (!*uuid || !first || strcmp(first, *uuid) >= 0)
        return;
    *others = *uuid;
    *uuid = first;
}

/* The first one's device and session are the run's, but for which of several GPUs it is. */
static bool take_device(struct program_run *run, struct program_process *process, const char *text)
{
    OWNED(run) described = {0};
    struct run *part = &run->part;
    char difference[512];
    if (process->described || run_parse(&described, "the program's message", text, strlen(text)) < 0)
        return false;
    bool good = described.session_count == 1 && described.result_count == 0;
    if (good && part->session_count > 0) {
        device_difference(&described.device, &part->device, difference, sizeof difference);
        good = *difference == '\0';
        if (good)
            take_gpu(&part->sessions[0], &described.sessions[0]);
        else
            program_fail(
                run,
                "it uses a second GPU model, but only the first (%s) is measured: choose one with CUDA_VISIBLE_DEVICES",
                difference);
    } else if (good) {
        part->device = described.device;
        part->sessions = described.sessions;
        part->session_count = 1;
        described.device = (struct device){0};
        described.sessions = NULL;
        described.session_count = 0;
        if (!run->further)
            program_known_begin(run->groups, run->measurement, part);
    }
    return process->described = good;
}

static bool take_group(struct program_run *run, struct program_process *process, const char *text)
{
    const struct measurement *measurement = run->measurement;
    struct program_group *group = NULL;
    if (!process->described)
        return false;
    if (!program_group_take(run->groups, measurement, run->setting->folder, static_facts_capability(&run->part.device),
                            text, GROUPS_MAX, &group))
        return false;
    group = group ? program_shapes_take(run->groups, group, measurement->program->name) : NULL;
    /* A graph has no lines: its launch is no launch of a function. */
    const bool wanted = group && group->wanted && !(measurement->profile && group->graph);
    const bool spared = group && (group->known || (run->further && group->complete));
    const size_t first = measurement->profile ? 1 : spared ? 0 : measurement->program->first;
    OWNED_TEXT answer = wanted && run->keeps ? program_pick_answer(group, run->setting->folder)
                        : wanted             ? x_sprintf("%zu %zu %zu %zu %s", measurement->program->skip, first,
                                                         measurement->program->known, group->holds, group->id)
                                             : x_strdup("");
    if (wanted)
        run_add(&process->part, group->id);
    run->unwatched[UNWATCHED_SHAPES] += !group; /* one at least: there are too many */
    return message_write(process->peer.pipe, MESSAGE_ANSWER, answer);
}

/* A count that is computed may lie between two bounds, and has three samples then: itself and these. */
static size_t samples_of_launch(const struct measurement *measurement)
{
    return program_is_simulated(measurement) ? 3 : 1;
}

/* Of one launch: a row for each metric, with one sample; or counts by instruction. What is simulated also has source
 * lines, an estimated time and notes, or the reason why it failed. */
static bool is_one_launch(const struct measurement *measurement, const struct result *result)
{
    const bool simulated = program_is_simulated(measurement), lines = measurement->profile != 0;
    const size_t most = samples_of_launch(measurement);
    const bool plain = result->status == RESULT_OK && (result->profile.count > 0) == lines && !result->estimated &&
                       !result->doubt && !result->outside && !result->varies && !result->not_proved &&
                       !result->suppressed;
    if ((!simulated && !plain) || (lines && result->row_count > 0))
        return false;
    EACH(const struct row, row, result->rows, result->row_count) {
        const bool one = row->session_count == 0 || (row->session_count == 1 && row->sessions[0].count <= most);
        if (!one || row_is_annotated(row))
            return false;
    }
    return result->launch_count == 0;
}

/* Adds samples to the row's one session. */
static void add_samples(struct row *row, const double *samples, size_t count)
{
    if (row->session_count == 0) {
        row_add_session(row, samples, count);
        return;
    }
    struct session_samples *session = &row->sessions[0];
    session->samples = x_realloc(session->samples, session->count + count, sizeof *session->samples);
    memcpy(session->samples + session->count, samples, count * sizeof *samples);
    session->count += count;
}

static void take_text(char **text, char **more)
{
    char *before = *text;
    *text = before ? before : *more;
    *more = before ? *more : NULL;
}

/* An estimated time stands for all launches only where they do the same: else there is none. */
static void join_times(struct result *result, struct result *more)
{
    struct estimated_time *one = result->estimated, *other = more->estimated;
    if (!other || (one && !other->refused && (one->refused || one->ns == other->ns)))
        return;
    if (one && !other->refused) {
        OWNED(result) differ = {.estimated = x_calloc(1, sizeof *other)};
        differ.estimated->refused = x_strdup("the launches differ between shapes or processes");
        join_times(result, &differ);
        return;
    }
    result->estimated = other;
    more->estimated = one;
    result->profile.estimated &= !other->refused;
}

/* Takes what a simulated launch tells besides its counts: the first that has it stands for all. */
static void join_facts(struct result *result, struct result *more)
{
    join_times(result, more);
    if (more->status != RESULT_OK)
        result_fail(result, more->status, more->reason);
    take_text(&result->doubt, &more->doubt);
    take_text(&result->outside, &more->outside);
    take_text(&result->suppressed, &more->suppressed);
    take_text(&result->varies, &more->varies);
    take_text(&result->not_proved, &more->not_proved);
    if (result->row_count > 0 || result->profile.count > 0 || result->blocks > 0)
        return;
    result->profile = more->profile;
    result->blocks = more->blocks;
    result->blocks_executed = more->blocks_executed;
    more->profile = (struct profile){0};
}

void program_join_simulated(const struct metrics *metrics, struct result *result, struct result *more)
{
    join_facts(result, more);
    result_add_up(result, more, metrics);
}

void program_divide(struct program_groups *groups, const struct metrics *metrics, struct run *part)
{
    for (size_t i = 0; i < part->result_count; i++) {
        const struct program_group *group = program_group_find(groups, part->results[i].id);
        if (group && group->due > 0)
            result_divide(&part->results[i], metrics, (double)group->due);
    }
}

/* If one launch could not count a metric, all of them have no number of it. If the collector does not see a metric in
 * some launches, such as the first of a session of graphs, the others give the number. */
void program_join_rows(struct result *result, struct result *more)
{
    join_facts(result, more);
    EACH(const struct row, from, more->rows, more->row_count) {
        struct row *row = result_find(result, from->metric);
        const bool is_new = !row;
        if (is_new)
            row = result_add(result, from->metric);
        const bool is_open = is_new || row->state == VALUE_NOT_SUPPORTED;
        if (from->state == VALUE_MEASURED && (is_open || row->state == VALUE_MEASURED)) {
            row->state = VALUE_MEASURED;
            add_samples(row, from->sessions[0].samples, from->sessions[0].count);
        } else if (is_open || from->state == VALUE_NOT_COUNTED) {
            row_clear(row);
            row->state = from->state;
            row->reason = x_strdup(from->reason);
        }
    }
}

/* Exact counts of a cold launch are those of any other. For the rest the last one stands. */
static void take_cold(const struct metrics *metrics, struct program_process *process, struct result *result,
                      struct result *taken)
{
    OWNED(result) exact = {.id = taken->id};
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row =
            metrics->list[m].class == METRIC_EXACT ? result_measured(taken, metrics->list[m].name) : NULL;
        if (row)
            row_add_session(result_add(&exact, row->metric), row->sessions[0].samples, 1);
    }
    program_join_rows(result, &exact);
    exact.id = NULL;
    struct result *cold = run_add(&process->cold, taken->id);
    const struct result before = *cold;
    *cold = *taken;
    *taken = before;
}

static bool take_result(const struct program_run *run, struct program_process *process, const char *line, bool is_cold)
{
    OWNED(result) taken = {0};
    if (!process->described || process->ended || result_from_line(&taken, line) < 0)
        return false;
    struct result *result = run_find(&process->part, taken.id);
    const bool good = result && is_one_launch(run->measurement, &taken);
    if (good && run->measurement->profile)
        program_find_lines(run, program_group_find(run->groups, taken.id), &taken.profile, &result->profile);
    else if (good && is_cold)
        take_cold(run->measurement->metrics, process, result, &taken);
    else if (good && program_is_simulated(run->measurement))
        program_join_simulated(run->measurement->metrics, result, &taken);
    else if (good)
        program_join_rows(result, &taken);
    return good;
}

/* The first process that launches the group tells of it, in the first run. */
static bool take_caller(const struct program_run *run, const struct program_process *process, char *text)
{
    char *caller = strchr(text, '\n');
    if (!caller)
        return false;
    *caller++ = '\0';
    caller[strnlen(caller, CALLER_LENGTH)] = '\0';
    struct program_group *group = program_group_find(run->groups, text);
    if (!group || !run_find(&process->part, text))
        return false;
    if (run->further || (group->teller && group->teller != process->peer.process))
        return true;
    text_make_harmless(caller, ' ');
    free(group->launched_by);
    group->launched_by = x_strdup(caller);
    group->teller = process->peer.process;
    return true;
}

/* The id of a group, and why its launch could not be kept; that of any process will do. */
static bool take_kept(const struct program_run *run, const struct program_process *process, char *text)
{
    char *why = strchr(text, '\n');
    if (!why || !run->keeps || process->ended)
        return false;
    *why++ = '\0';
    struct program_group *group = program_group_find(run->groups, text);
    if (!group || !run_find(&process->part, text))
        return false;
    text_make_harmless(why, ' ');
    if (group->refused && !*group->refused)
        return true;
    free(group->refused);
    group->refused = x_strdup(why);
    return true;
}

/* "INDEX ID", and in the next line the fault, of a launch that was counted. */
static bool take_suppressed(const struct program_run *run, struct program_process *process, char *text)
{
    const struct suppressions *suppressed = &run->measurement->program->suppressed;
    char *end, *fault = strchr(text, '\n');
    const size_t index = strtoul(text, &end, 10);
    if (index >= suppressed->count || !fault || *end != ' ' || process->ended)
        return false;
    *fault++ = '\0';
    text_make_harmless(fault, ' ');
    struct suppression *row = &suppressed->list[index];
    struct result *result = run_find(&process->part, end + 1);
    row->launches++;
    if (!result || (result->suppressed && strstr(result->suppressed, suppressed_kinds[row->kind])))
        return true; /* one fault of each kind stands for all */
    OWNED_TEXT before = result->suppressed;
    result->suppressed = x_sprintf("%s%s%s (%s): %s", before ? before : "", before ? "; " : "",
                                   suppressed_kinds[row->kind], row->reason, fault);
    return true;
}

/* A line for each set, with the names of its metrics. */
static bool take_sets(struct program_run *run, char *text)
{
    const struct metrics *metrics = run->measurement->metrics;
    size_t *set_of = x_calloc(metrics->count, sizeof *set_of), sets = 0;
    bool good = true;
    char *rest = NULL, *more = NULL;
    for (char *line; good && (line = strtok_r(sets == 0 ? text : NULL, "\n", &rest));) {
        sets++;
        for (char *name = strtok_r(line, " ", &more); good && name; name = strtok_r(NULL, " ", &more)) {
            size_t m = FIRST(k, metrics->count, strcmp(metrics->list[k].name, name) == 0);
            good = m < metrics->count && set_of[m] == 0;
            if (good)
                set_of[m] = sets;
        }
    }
    free(good ? run->set_of : set_of);
    if (!good)
        return false;
    run->set_of = set_of;
    run->sets = sets;
    return true;
}

static bool take_module(struct program_run *run, const char *name)
{
    if (strlen(name) != 16 || strspn(name, "0123456789abcdef") != 16)
        return false;
    for (size_t i = 0; i < run->image_count; i++)
        if (strcmp(run->images[i], name) == 0)
            return true;
    *ARRAY_GROW(run->images, run->image_count) = x_strdup(name);
    return true;
}

static bool is_exact(const struct metrics *metrics, const char *name)
{
    for (size_t m = 0; m < metrics->count; m++)
        if (strcmp(metrics->list[m].name, name) == 0)
            return metrics->list[m].class == METRIC_EXACT;
    return false;
}

/* Of no group more was counted than was launched. launches is that of each of its results. */
static bool are_launches(const struct measurement *measurement, const struct program_process *process,
                         const size_t *launches)
{
    const struct metrics *metrics = measurement->metrics;
    const size_t each = samples_of_launch(measurement);
    for (size_t i = 0; i < process->part.result_count; i++) {
        const struct result *result = &process->part.results[i];
        const size_t cold = run_find(&process->cold, result->id) ? 1 : 0;
        if (cold > launches[i])
            return false;
        for (size_t r = 0; r < result->row_count; r++)
            if (result->rows[r].session_count > 0 &&
                result->rows[r].sessions[0].count + (is_exact(metrics, result->rows[r].metric) ? 0 : cold) >
                    each * launches[i])
                return false;
    }
    return true;
}

/* Adds "0,5,5", the missed launches of each set of metrics. */
static void add_missed(struct program_group *group, const char *text)
{
    for (size_t set = 0; *text; set++) {
        char *end;
        if (set == group->missed_count)
            *ARRAY_GROW(group->missed, group->missed_count) = 0;
        group->missed[set] += strtoul(text, &end, 10);
        text = end + (*end == ',');
    }
}

/* Adds "48/48/9600,6/6/1200", launches, those that are timed, and their time, to the shares of a group. */
static bool add_shares(struct program_group *group, const char *text, size_t times)
{
    const char *rest = text;
    for (size_t i = 0; i < group->share_count; i++) {
        size_t launches, timed;
        uint64_t ns;
        int at = 0;
        if (sscanf(rest, "%zu/%zu/%" SCNu64 "%n", &launches, &timed, &ns, &at) != 3 || /* NOLINT(cert-err34-c) */
            launches > times || timed > launches)
            return false;
        group->shares[i].launches += launches;
        group->shares[i].timed += timed;
        group->shares[i].time_ns += (double)ns;
        rest += at + (rest[at] == ',');
    }
    return *rest == '\0';
}

/* Launches of a shape that no record tells of took as long as what was measured of it. */
static void time_shape(const struct metrics *metrics, struct program_share *share, const struct program_share *before,
                       const struct result *result)
{
    const double each = program_measured_time(metrics, result);
    if (isnan(each))
        return;
    share->timed += share->launches - before->launches;
    share->time_ns += each * (double)(share->launches - before->launches);
}

/* Adds what the process launched of the group to its rank. Where no record tells the time, what was measured does. */
static void note_rank(const struct program_run *run, struct program_rank *rank, const struct program_group *group,
                      const struct program_share *before, const struct result *result)
{
    size_t at = 0;
    while (run->groups->list[at] != group)
        at++;
    while (rank->count <= at)
        *ARRAY_GROW(rank->launched, rank->count) = (struct program_share){0};
    struct program_share *launched = &rank->launched[at];
    launched->launches += group->shares[0].launches - before->launches; /* of several shapes */
    launched->timed += group->shares[0].timed - before->timed;
    launched->time_ns += group->shares[0].time_ns - before->time_ns;
    const double each = launched->timed > 0 ? NAN : program_measured_time(run->measurement->metrics, result);
    if (isnan(each))
        return;
    launched->timed = launched->launches;
    launched->time_ns = each * (double)launched->launches;
}

/* A line of the end: "launches due first missed shares alone/ran id", of a group that the process asked about. */
static bool take_launches(struct program_run *run, struct program_process *process, const char *line, size_t *launches,
                          struct program_rank *rank)
{
    size_t times, due;
    uint64_t alone, ran;
    unsigned first;
    char missed[256], shares[(1 + NVTX_MAX) * 64];
    int at = 0;
    if (sscanf(line, "%zu %zu %u %255[0-9,] %1087[0-9/,] %" SCNu64 "/%" SCNu64 " %n", /* NOLINT(cert-err34-c) */
               &times, &due, &first, missed, shares, &alone, &ran, &at) != 7 ||
        at == 0 || alone > ran || first > 1 || strstr(missed, ",,") || *missed == ',')
        return false;
    struct program_group *group = program_group_find(run->groups, line + at);
    group = group && group->one ? group->one : group;
    const struct result *result = run_find(&process->part, line + at);
    const struct program_share before = group ? group->shares[0] : (struct program_share){0};
    if (!group || !result || !add_shares(group, shares, times))
        return false;
    launches[result - process->part.results] += times;
    group->shares[0].alone_ns += (double)alone;
    group->shares[0].ran_ns += (double)ran;
    if (group->one && group->shares[0].timed == before.timed)
        time_shape(run->measurement->metrics, &group->shares[0], &before, result);
    if (!run->further) {
        const size_t counting = group->shares[0].launches - before.launches;
        note_rank(run, rank, group, &before, result);
        group->most = counting > group->most ? counting : group->most;
        group->times += times;
        group->due += due;
        group->is_late |= times > 0 && first == 0;
        add_missed(group, missed);
    }
    return true;
}

/* Reads so many numbers, and nothing else. */
static bool read_counts(const char *text, unsigned long long *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        counts[i] = strtoull(text, &end, 10);
        if (end == text)
            return false;
        text = end;
    }
    return *text == '\0';
}

/* What it copied and set, "copies bytes ns" twice, and the other kinds of enum program_work. What is simulated says "-"
 * of times, since it measures none; a process on a GPU knows every number. */
static bool take_work(struct program_run *run, struct program_process *process, const char *text)
{
    double told[WORK_KINDS];
    char *end;
    for (size_t i = 0; i < WORK_KINDS; i++, text = end) {
        text += *text == ' ';
        const bool known =
            *text != '-' || !(i == WORK_REFUSED || i >= WORK_LONGEST_CHAIN || program_is_simulated(run->measurement));
        if (known && !isdigit((unsigned char)*text))
            return false;
        told[i] = known ? (double)strtoull(text, &end, 10) : NAN;
        end = known ? end : (char *)text + 1;
    }
    if (*text || process->ended || process->told_work)
        return false;
    for (size_t i = 0; i < WORK_KINDS; i++)
        run->work[i] += told[i];
    process->told_work = true;
    return true;
}

/* Launches that were lost, and those of no group by reason; then a line for each group. */
static bool take_end(struct program_run *run, struct program_process *process, char *text)
{
    unsigned long long told[1 + UNWATCHED_REASONS];
    char *rest = NULL;
    const char *head = strtok_r(text, "\n", &rest);
    if (process->ended || !head || !read_counts(head, told, ARRAY_SIZE(told)))
        return false;
    OWNED_MEMORY size_t *launches = x_calloc(process->part.result_count, sizeof *launches);
    bool good = true;
    struct program_rank rank = {.number = process->rank};
    for (char *line; good && (line = strtok_r(NULL, "\n", &rest));)
        good = take_launches(run, process, line, launches, &rank);
    good = good && are_launches(run->measurement, process, launches);
    const bool launched = ANY(i, process->part.result_count, launches[i] > 0);
    if (good && launched && !run->further)
        *ARRAY_GROW(run->groups->ranks, run->groups->rank_count) = rank;
    else
        free(rank.launched);
    if (!good)
        return false;
    run->lost += told[0];
    for (size_t i = 0; i < UNWATCHED_REASONS; i++)
        run->unwatched[i] += told[1 + i];
    run->launching += launched;
    run->telling += launched && process->told_work;
    process->ended = true;
    return true;
}

bool program_take(struct program_run *run, struct program_process *process, struct message *message)
{
    if (!is_of_library(process, message))
        return false;
    switch ((int)message->kind) {
    case MESSAGE_HELLO:
        return take_hello(run, process, message->text);
    case MESSAGE_SETS:
        return take_sets(run, message->text);
    case MESSAGE_DEVICE:
        return take_device(run, process, message->text);
    case MESSAGE_MODULE:
        return take_module(run, message->text);
    case MESSAGE_GROUP:
        return take_group(run, process, message->text);
    case MESSAGE_RESULT:
    case MESSAGE_COLD:
        return take_result(run, process, message->text, message->kind == MESSAGE_COLD);
    case MESSAGE_FAILURE:
        text_make_harmless(message->text, ' ');
        program_fail(run, "%s", message->text);
        process->ended = true; /* it has nothing more to say */
        return true;
    case MESSAGE_LOST:
        text_make_harmless(message->text, ' ');
        if (!run->trouble)
            run->trouble = x_strdup(message->text);
        return true;
    case MESSAGE_WORK:
        return take_work(run, process, message->text);
    case MESSAGE_CALLER:
        return take_caller(run, process, message->text);
    case MESSAGE_KEPT:
        return take_kept(run, process, message->text);
    case MESSAGE_SUPPRESSED:
        return take_suppressed(run, process, message->text);
    case MESSAGE_LIBRARIES: /* a process that launched nothing has no session */
        if (process->described && !process->ended)
            program_libraries_take(&run->part.sessions[0], message->text);
        return !process->ended;
    case MESSAGE_END:
        return take_end(run, process, message->text);
    default:
        return false;
    }
}
