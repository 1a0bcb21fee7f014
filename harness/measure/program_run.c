/* The program runs once, and its processes say what they measure. What they say is held to what a process says then, as
 * with workers: the program shares them with cugate's code. */
#include "program_parts.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TERM_SECONDS = 5,   /* from SIGTERM to SIGKILL, when the time is over */
    DRAIN_SECONDS = 10, /* for processes that outlive the program's first */
    ANSWER_SECONDS = 1, /* for a process to take what it asked for: who asks waits, and has room for it */
    GROUPS_MAX = 5000,
    TOKEN = 16 /* characters */
};

/* One process of the program that opened CUDA. */
struct process {
    int socket;
    pid_t number;
    char *buffer;
    size_t length, capacity;
    char token[TOKEN + 1]; /* begins all that it says once it was greeted: cugate's library has it, and the program has
                            * to look for it there; empty until then */
    bool described, ended;
    struct run part; /* a result for each group that it was asked to measure */
};

/* While the program runs. */
struct running {
    struct program_run *run;
    int listener;
    int handle; /* of the program's first process, readable once that ended */
    pid_t first;
    const struct interrupts *interrupts;
    struct sigaction broken_pipe; /* as it was, and as the program has it; so with the mask of signals */
    sigset_t mask;
    struct process *list;
    size_t count;
    char *address;
    double end;   /* of the time that it has */
    bool killed;  /* after it */
    bool is_over; /* the first process has ended */
};

/* ---- Starting it ---- */

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return error("the path %s is too long for a socket: set TMPDIR to a shorter one", path);
    strcpy(address.sun_path, path); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): it fits */
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, SOMAXCONN) == 0)
        return listener;
    error("cannot listen at %s: %s", path, strerror(errno));
    if (listener >= 0)
        close(listener);
    return -1;
}

/* In the child: descriptors 0 to 2 as the run wants them. */
static void place_descriptors(const struct program_run *run, int input)
{
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    if (run->silent) {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    } else if (!run->measurement->program->speaks) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
}

__attribute__((noreturn)) static void be_the_program(const struct running *running, int input, int failed)
{
    const struct program_run *run = running->run;
    const char *const shell[] = {"sh", "-c", run->command, NULL};
    char *const *arguments = run->command ? (char *const *)shell : run->measurement->program->arguments;
    sigprocmask(SIG_SETMASK, &running->mask, NULL);
    sigaction(SIGPIPE, &running->broken_pipe, NULL);
    place_descriptors(run, input);
    execvp(arguments[0], arguments);
    const int number = errno;
    _exit(write(failed, &number, sizeof number) == sizeof number ? 127 : 126);
}

/* Has the driver load us into what is started, and nothing else of ours. */
static void set_environment(const struct running *running, const char *injection)
{
    setenv(WIRE_ADDRESS, running->address, 1);
    setenv("CUDA_INJECTION64_PATH", injection, 1);
    if (running->run->measurement->program->nvtx)
        setenv("NVTX_INJECTION64_PATH", injection, 1);
}

static void forget_environment(void)
{
    unsetenv(WIRE_ADDRESS);
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
}

static int cannot_run(const char *what, int number)
{
    const char *ending = strrchr(what, '.');
    const bool is_script = ending && strcmp(ending, ".py") == 0;
    return error("cannot run %s: %s%s%s", what, strerror(number),
                 is_script ? "; a script of Python's is run by: python3 " : "", is_script ? what : "");
}

/* -1 after error() when there is no such program. */
static int start(struct running *running)
{
    int ends[2], number = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error("cannot make a pipe for the program: %s", strerror(errno));
    set_environment(running, running->run->injection);
    const int input = program_input_begin(running->run->input);
    fflush(NULL);
    running->first = fork();
    if (running->first == 0)
        be_the_program(running, input, ends[1]);
    forget_environment();
    if (input >= 0)
        close(input);
    close(ends[1]);
    const bool failed = running->first > 0 && read(ends[0], &number, sizeof number) == sizeof number;
    close(ends[0]);
    if (failed)
        waitpid(running->first, NULL, 0);
    if (failed || running->first < 0)
        return cannot_run(running->run->command ? "sh" : running->run->measurement->program->arguments[0],
                          failed ? number : errno);
    running->handle = (int)syscall(SYS_pidfd_open, running->first, 0);
    if (running->handle < 0) {
        kill(running->first, SIGKILL);
        waitpid(running->first, NULL, 0);
        return error("cannot watch the program: %s; it takes Linux 5.3 or later", strerror(errno));
    }
    return 0;
}

/* ---- Messages ---- */

static char *request_text(const struct program_run *run, const char *token)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const struct metrics *metrics = run->measurement->metrics;
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for a message");
    fprintf(stream, "token %s\nset %zu\ndirectory %s\nlocks %s\n", token, run->set, run->directory, run->locks);
    if (run->measurement->profile)
        fprintf(stream, "lines\n");
    if (run->measurement->program->nvtx)
        fprintf(stream, "nvtx %s\n", run->measurement->program->nvtx);
    for (size_t m = 0; m < metrics->count; m++)
        fprintf(stream, "metric %s %s\n", metrics->list[m].name, metrics->list[m].counter);
    fclose(stream);
    return text;
}

/* The first reason why a process is not measured is kept. */
__attribute__((format(printf, 2, 3))) static void fail(struct program_run *run, const char *format, ...)
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
    char *path = x_sprintf("/proc/%d/maps", (int)process), *line = NULL;
    FILE *maps = fopen(path, "re");
    size_t room = 0;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *file = strchr(line, '/');
        found = file && strcmp(file, library) == 0;
    }
    if (maps)
        fclose(maps);
    free(line);
    free(path);
    return found;
}

static bool make_token(char token[TOKEN + 1])
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return false;
    snprintf(token, TOKEN + 1, "%0*" PRIx64, TOKEN, number);
    return true;
}

/* Whoever is answered waits for it, with the library in place. */
static bool take_hello(struct running *running, struct process *process)
{
    if (*process->token || !make_token(process->token))
        return false;
    if (!has_loaded(process->number, running->run->injection)) {
        fail(running->run,
             "process %d says what cugate's library says, and has it not in its memory: something in the program "
             "imitates it, or the process was killed at once",
             (int)process->number);
        return false;
    }
    char *text = request_text(running->run, process->token);
    const bool good = message_write(process->socket, MESSAGE_ANSWER, text);
    free(text);
    return good;
}

/* Takes the token off. False when what it says is not the library's. */
static bool is_of_library(const struct process *process, struct message *message)
{
    if (message->kind == MESSAGE_HELLO)
        return true;
    if (!*process->token || strncmp(message->text, process->token, TOKEN) != 0)
        return false;
    memmove(message->text, message->text + TOKEN, strlen(message->text + TOKEN) + 1);
    return true;
}

/* The first one's device and session are the run's. */
static bool take_device(struct running *running, struct process *process, const char *text)
{
    struct run described = {0}, *part = &running->run->part;
    char difference[512];
    if (process->described || run_parse(&described, "the program's message", text, strlen(text)) < 0)
        return false;
    bool good = described.session_count == 1 && described.result_count == 0;
    if (good && part->session_count > 0) {
        device_difference(&described.device, &part->device, difference, sizeof difference);
        good = *difference == '\0';
        if (!good)
            fail(running->run,
                 "it uses a GPU of another model than the first, and only that is measured (%s): choose with "
                 "CUDA_VISIBLE_DEVICES",
                 difference);
    } else if (good) {
        part->device = described.device;
        part->sessions = described.sessions;
        part->session_count = 1;
        described.device = (struct device){0};
        described.sessions = NULL;
        described.session_count = 0;
    }
    process->described = good;
    run_release(&described);
    return good;
}

static bool take_group(struct running *running, struct process *process, const char *text)
{
    const struct measurement *measurement = running->run->measurement;
    struct program_group *group = NULL;
    if (!process->described)
        return false;
    if (!program_group_take(running->run->groups, measurement, running->run->directory,
                            static_facts_capability(&running->run->part.device), text, GROUPS_MAX, &group))
        return false;
    /* A graph has no lines: its launch is no launch of a function. */
    const bool wanted = group && group->wanted && !(measurement->profile && group->graph);
    char *answer = wanted ? x_sprintf("%zu %zu %s", measurement->program->skip,
                                      measurement->profile ? 1 : measurement->program->first + 1, group->id)
                          : x_strdup("");
    if (wanted)
        run_add(&process->part, group->id);
    running->run->unwatched += !group; /* one at least: there are too many */
    const bool good = message_write(process->socket, MESSAGE_ANSWER, answer);
    free(answer);
    return good;
}

/* Of one launch: a row for each metric, with one sample; or counts by instruction. */
static bool is_one_launch(const struct result *result, bool lines)
{
    if ((result->profile.count > 0) != lines || (lines && result->row_count > 0))
        return false;
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        const bool one = row->session_count == 0 || (row->session_count == 1 && row->sessions[0].count == 1);
        if (!one || row_is_annotated(row))
            return false;
    }
    return result->status == RESULT_OK && result->launch_count == 0;
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

/* What one launch could not count, all of them have not. But what this collector does not see in some launches, as in
 * the first of a session of graphs, is known by the others. */
void program_join_rows(struct result *result, const struct result *more)
{
    for (size_t i = 0; i < more->row_count; i++) {
        const struct row *from = &more->rows[i];
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
        }
    }
}

static bool take_result(const struct running *running, struct process *process, const char *line)
{
    const struct program_run *run = running->run;
    struct result taken = {0};
    if (!process->described || process->ended || result_from_line(&taken, line) < 0)
        return false;
    struct result *result = run_find(&process->part, taken.id);
    const bool good = result && is_one_launch(&taken, run->measurement->profile != 0);
    if (good && run->measurement->profile)
        program_find_lines(run, program_group_find(run->groups, taken.id), &taken.profile, &result->profile);
    else if (good)
        program_join_rows(result, &taken);
    result_release(&taken);
    return good;
}

static bool take_module(struct running *running, const char *name)
{
    struct program_run *run = running->run;
    if (strlen(name) != 16 || strspn(name, "0123456789abcdef") != 16)
        return false;
    for (size_t i = 0; i < run->image_count; i++)
        if (strcmp(run->images[i], name) == 0)
            return true;
    *ARRAY_GROW(run->images, run->image_count) = x_strdup(name);
    return true;
}

/* Of no group more was counted than was launched. launches is that of each of its results. */
static bool are_launches(const struct process *process, const size_t *launches)
{
    for (size_t i = 0; i < process->part.result_count; i++) {
        const struct result *result = &process->part.results[i];
        for (size_t r = 0; r < result->row_count; r++)
            if (result->rows[r].session_count > 0 && result->rows[r].sessions[0].count > launches[i])
                return false;
    }
    return true;
}

/* A line of the end: "launches due id", of a group that the process asked about. */
static bool take_launches(struct running *running, struct process *process, const char *line, size_t *launches)
{
    size_t times, due;
    int at = 0;
    if (sscanf(line, "%zu %zu %n", &times, &due, &at) != 2 || at == 0) /* NOLINT(cert-err34-c) */
        return false;
    struct program_group *group = program_group_find(running->run->groups, line + at);
    const struct result *result = run_find(&process->part, line + at);
    if (!group || !result)
        return false;
    launches[result - process->part.results] += times;
    if (running->run->set == 0) {
        group->times += times;
        group->due += due;
    }
    return true;
}

/* "lost unwatched", then a line for each group. */
static bool take_end(struct running *running, struct process *process, char *text)
{
    struct program_run *run = running->run;
    size_t lost, unwatched;
    char *rest = NULL;
    const char *head = strtok_r(text, "\n", &rest);
    if (process->ended || !head || sscanf(head, "%zu %zu", &lost, &unwatched) != 2) /* NOLINT(cert-err34-c) */
        return false;
    size_t *launches = x_calloc(process->part.result_count, sizeof *launches);
    bool good = true;
    for (char *line; good && (line = strtok_r(NULL, "\n", &rest));)
        good = take_launches(running, process, line, launches);
    good = good && are_launches(process, launches);
    free(launches);
    if (!good)
        return false;
    run->lost += lost;
    run->unwatched += unwatched;
    process->ended = true;
    return true;
}

static bool take_message(struct running *running, struct process *process, struct message *message)
{
    struct program_run *run = running->run;
    if (!is_of_library(process, message))
        return false;
    switch ((int)message->kind) {
    case MESSAGE_HELLO:
        return take_hello(running, process);
    case MESSAGE_SETS: {
        const unsigned long sets = strtoul(message->text, NULL, 10);
        run->sets = sets < run->measurement->metrics->count ? sets : run->measurement->metrics->count;
        return true;
    }
    case MESSAGE_DEVICE:
        return take_device(running, process, message->text);
    case MESSAGE_MODULE:
        return take_module(running, message->text);
    case MESSAGE_GROUP:
        return take_group(running, process, message->text);
    case MESSAGE_RESULT:
        return take_result(running, process, message->text);
    case MESSAGE_FAILURE:
        text_make_harmless(message->text, ' ');
        fail(run, "%s", message->text);
        process->ended = true; /* it has nothing more to say */
        return true;
    case MESSAGE_LOST:
        text_make_harmless(message->text, ' ');
        if (!run->trouble)
            run->trouble = x_strdup(message->text);
        return true;
    case MESSAGE_END:
        return take_end(running, process, message->text);
    default:
        return false;
    }
}

/* ---- Processes ---- */

/* The first launch of a group is colder than the rest: it counts only where it is the only one. */
static void forget_first(struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        struct row *row = &result->rows[i];
        if (row->state != VALUE_MEASURED || row->sessions[0].count < 2)
            continue;
        struct session_samples *session = &row->sessions[0];
        session->count--;
        memmove(session->samples, session->samples + 1, session->count * sizeof *session->samples);
    }
}

/* Its samples go to the run's. */
static void end_process(struct running *running, struct process *process)
{
    struct program_run *run = running->run;
    for (size_t i = 0; i < process->part.result_count; i++) {
        struct result *from = &process->part.results[i];
        forget_first(from);
        if (from->row_count > 0)
            program_join_rows(run_add(&run->part, from->id), from);
        else if (from->profile.counted)
            profile_merge(&run_add(&run->part, from->id)->profile, &from->profile);
    }
    run->broken_off += process->described && !process->ended; /* else it had launched nothing */
    run_release(&process->part);
    free(process->buffer);
    close(process->socket);
    *process = running->list[--running->count];
}

/* All that wait. */
static void accept_processes(struct running *running)
{
    for (int socket; (socket = accept4(running->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        struct ucred peer = {0};
        socklen_t size = sizeof peer;
        const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
        getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        struct process *process = ARRAY_GROW(running->list, running->count);
        process->socket = socket;
        process->number = peer.pid;
        running->run->processes++;
    }
}

/* False when the process has ended, or spoke out of turn. */
static bool hear(struct running *running, size_t place)
{
    const size_t step = 1 << 16;
    struct process *process = &running->list[place];
    if (process->capacity - process->length < step) {
        process->capacity = process->length * 2 + step;
        process->buffer = x_realloc(process->buffer, process->capacity, 1);
    }
    const ssize_t got = read(process->socket, process->buffer + process->length, step);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    process->length += (size_t)got;
    for (;;) {
        struct message message = {0};
        const int taken = message_take(process->buffer, &process->length, &message);
        const bool good = taken == 0 || (taken > 0 && take_message(running, process, &message));
        free(message.text);
        if (!good) {
            fail(running->run,
                 "process %d spoke out of turn: something in the program writes to a descriptor of cugate's",
                 (int)process->number);
            process->ended = true;       /* that it broke off is not said as well */
            run_release(&process->part); /* nobody knows whose words these were */
        }
        if (taken == 0 || !good)
            return good;
    }
}

/* ---- Until it ends ---- */

static void kill_all(const struct running *running, int number)
{
    if (!running->is_over)
        kill(running->first, number);
    for (size_t i = 0; i < running->count; i++)
        if (running->list[i].number > 0)
            kill(running->list[i].number, number);
}

static void end_first(struct running *running)
{
    int status = 0;
    while (waitpid(running->first, &status, 0) < 0 && errno == EINTR)
        continue;
    running->run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    accept_processes(running); /* one may have come and gone */
    program_input_end(running->run->input);
    running->is_over = true;
    running->end = now_seconds() + DRAIN_SECONDS;
    close(running->handle);
    running->handle = -1;
}

/* A signal that the terminal sent, the program has as well; one that was meant for us is passed on. */
static void pass_signal(struct running *running)
{
    struct signalfd_siginfo taken;
    if (!interrupts_take(running->interrupts, &taken))
        return;
    running->run->interrupted = true;
    if (taken.ssi_code <= 0 && !running->is_over)
        kill(running->first, (int)taken.ssi_signo);
}

static void be_late(struct running *running)
{
    kill_all(running, running->killed ? SIGKILL : SIGTERM);
    running->run->timed_out |= !running->is_over;
    running->killed = true;
    running->end = now_seconds() + TERM_SECONDS;
}

static bool goes_on(struct running *running)
{
    if (!running->is_over)
        return true;
    if (running->count == 0)
        return false;
    if (now_seconds() < running->end)
        return true;
    warning("%zu process%s of the program still run%s: what they counted until now is kept", running->count,
            plural_of(running->count, "", "es"), running->count == 1 ? "s" : "");
    return false;
}

/* One round: waits until something happens. */
static void attend(struct running *running)
{
    enum { OTHERS = 4 };
    const size_t count = running->count;
    struct pollfd *events = x_calloc(count + OTHERS, sizeof *events);
    events[0] = (struct pollfd){.fd = running->listener, .events = POLLIN};
    events[1] = (struct pollfd){.fd = running->handle, .events = POLLIN};
    events[2] = (struct pollfd){.fd = running->interrupts->descriptor, .events = POLLIN};
    events[3] = program_input_event(running->run->input);
    for (size_t i = 0; i < count; i++)
        events[OTHERS + i] = (struct pollfd){.fd = running->list[i].socket, .events = POLLIN};
    const double left = running->end - now_seconds();
    const int wait = running->end == 0 ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0;
    const int ready = poll(events, count + OTHERS, wait);
    /* From the last, which may take the place of one that ended. */
    for (size_t i = count; ready > 0 && i-- > 0;)
        if (events[OTHERS + i].revents && !hear(running, i))
            end_process(running, &running->list[i]);
    if (ready > 0 && events[0].revents)
        accept_processes(running);
    if (ready > 0 && events[3].revents)
        program_input_pass(running->run->input, &events[3]);
    if (ready > 0 && events[2].revents)
        pass_signal(running);
    if (ready > 0 && events[1].revents && !running->is_over)
        end_first(running);
    else if (running->end > 0 && !running->is_over && now_seconds() >= running->end)
        be_late(running);
    free(events);
}

int program_run(struct program_run *run)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct interrupts interrupts;
    struct running running = {.run = run, .handle = -1};
    const double timeout = run->measurement->program->timeout;
    if (interrupts_open(&interrupts) < 0)
        return -1;
    running.interrupts = &interrupts;
    running.mask = interrupts.before;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        sigdelset(&running.mask, ends[i]); /* blocked by a caller of ours, which waits for them as well */
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignored, &running.broken_pipe); /* the program may not read what is handed on to it */
    running.address = x_sprintf("%s/%zu", run->directory, run->set);
    unlink(running.address);
    running.listener = listen_at(running.address);
    int result = running.listener < 0 ? -1 : start(&running);
    running.end = timeout > 0 ? now_seconds() + timeout : 0;
    while (result == 0 && goes_on(&running))
        attend(&running);
    while (running.count > 0)
        end_process(&running, &running.list[running.count - 1]);
    if (running.listener >= 0)
        close(running.listener);
    unlink(running.address);
    free(running.address);
    free(running.list);
    sigaction(SIGPIPE, &running.broken_pipe, NULL);
    run->interrupted |= interrupts_close(&interrupts);
    return result;
}

void program_run_release(struct program_run *run)
{
    run_release(&run->part);
    for (size_t i = 0; i < run->image_count; i++)
        free(run->images[i]);
    free(run->images);
    free(run->failure);
    free(run->trouble);
}
