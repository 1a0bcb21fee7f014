/* The program runs once: it is started, its processes are heard, and it ends or is ended. */
#include "program_parts.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

enum {
    TERM_SECONDS = 5,   /* from SIGTERM to SIGKILL, when the time is over */
    DRAIN_SECONDS = 10, /* for processes that outlive the program's first */
};
#define AGAIN_SECONDS 0.3 /* from a first signal to one that kills; `timeout` sends one to us and one to our group */

/* The state while the program runs. */
struct running {
    struct program_run *run;
    int listener;
    int handle; /* becomes readable when the program's first process has ended */
    pid_t first;
    const struct interrupts *interrupts;
    sigset_t mask; /* of signals, as the program has it */
    struct program_process *list;
    size_t count;
    char *address;
    double end;   /* when its time is over */
    double asked; /* when the first signal came that should end it; 0: none has */
    bool killed;  /* it was killed because its time was over */
    bool is_over; /* the first process has ended */
    bool left;    /* ... and others have not, of which some may not have been heard yet */
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

/* Where the system looks for shared libraries first. */
#define LIBRARY_FOLDERS "LD_LIBRARY_PATH"

/* Sets the environment so that what is started loads our library: by the driver, or in place of CUDA's runtime. Returns
 * the folders of libraries as they were; the caller frees them. */
static char *set_environment(const struct running *running)
{
    const struct program_setting *setting = running->run->setting;
    const char *before = getenv(LIBRARY_FOLDERS);
    char *kept = x_strdup(before);
    setenv(WIRE_ADDRESS, running->address, 1);
    if (setting->runtime) {
        const bool has_others = kept && *kept; /* an empty word behind a colon would be the present folder */
        OWNED_TEXT folders = x_sprintf("%s%s%s", setting->runtime, has_others ? ":" : "", has_others ? kept : "");
        setenv(LIBRARY_FOLDERS, folders, 1);
        return kept;
    }
    setenv("CUDA_INJECTION64_PATH", setting->injection, 1);
    if (running->run->measurement->program->part.nvtx_count > 0)
        setenv("NVTX_INJECTION64_PATH", setting->injection, 1);
    return kept;
}

static void forget_environment(char *folders)
{
    unsetenv(WIRE_ADDRESS);
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
    if (folders)
        setenv(LIBRARY_FOLDERS, folders, 1);
    else
        unsetenv(LIBRARY_FOLDERS);
    free(folders);
}

static int cannot_run(const char *what, int number)
{
    const char *ending = strrchr(what, '.');
    const bool is_script = ending && strcmp(ending, ".py") == 0;
    return error("cannot run %s: %s%s%s", what, strerror(number), is_script ? "; to run a Python script: python3 " : "",
                 is_script ? what : "");
}

/* Starts the program. -1 after error() when there is none. */
static int start(struct running *running)
{
    const struct program_run *run = running->run;
    const struct program *program = run->measurement->program;
    const char *const shell[] = {"sh", "-c", program->shell, NULL};
    const char *const *words = program->shell ? shell : (const char *const *)program->arguments;
    const int input = program_input_begin(&run->setting->input);
    char *folders = set_environment(running);
    running->first = process_start(&(struct process_start){
        .words = words,
        .input = input > 0 ? input : 0,
        .output = run->silent       ? PROCESS_NOTHING
                  : program->speaks ? 0
                                    : STDERR_FILENO,
        .errors = run->silent ? PROCESS_NOTHING : 0,
        .mask = &running->mask,
    });
    const int failed = errno;
    forget_environment(folders);
    if (input >= 0)
        close(input);
    if (running->first < 0)
        return cannot_run(words[0], failed);
    running->handle = (int)syscall(SYS_pidfd_open, running->first, 0);
    if (running->handle < 0) {
        kill(running->first, SIGKILL);
        process_wait(running->first);
        return error("cannot watch the program: %s; this needs Linux 5.3 or later", strerror(errno));
    }
    return 0;
}

/* ---- Processes ---- */

/* Its samples go to the run's. */
static void end_process(struct running *running, struct program_process *process)
{
    struct program_run *run = running->run;
    EACH(struct result, from, process->part.results, process->part.result_count) {
        struct result *cold = run_find(&process->cold, from->id);
        if (cold)
            program_complete_rows(from, cold);
        const bool has_rows = from->row_count > 0 || from->status != RESULT_OK;
        if (has_rows && program_is_simulated(run->measurement))
            program_join_simulated(run->measurement->metrics, run_add(&run->part, from->id), from);
        else if (has_rows)
            program_join_rows(run_add(&run->part, from->id), from);
        else if (from->profile.counted)
            profile_merge(&run_add(&run->part, from->id)->profile, &from->profile);
    }
    run->broken_off += process->described && !process->ended; /* a process without a description had launched nothing */
    run_release(&process->part);
    run_release(&process->cold);
    peer_close(&process->peer);
    *process = running->list[--running->count];
}

/* Accepts all processes that wait for it. */
static void accept_processes(struct running *running)
{
    for (int socket; (socket = accept4(running->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        struct ucred peer = {0};
        socklen_t size = sizeof peer;
        getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
        peer_open(&ARRAY_GROW(running->list, running->count)->peer, peer.pid, socket);
        running->run->processes++;
    }
}

/* Reads the messages of a process. False: it has ended, or said something wrong. */
static bool hear(struct running *running, size_t place)
{
    struct program_process *process = &running->list[place];
    if (!peer_read(&process->peer))
        return false;
    for (;;) {
        struct message message = {0};
        const int taken = peer_take(&process->peer, &message);
        const bool good = taken == 0 || (taken > 0 && program_take(running->run, process, &message));
        free(message.text);
        if (!good) {
            program_fail(
                running->run,
                "process %d sent unexpected data: something in the program writes to one of cugate's descriptors",
                (int)process->peer.process);
            process->ended = true;       /* that it broke off is not said as well */
            run_release(&process->part); /* nobody knows whose words these were */
            run_release(&process->cold);
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
        if (running->list[i].peer.process > 0)
            kill(running->list[i].peer.process, number);
}

static void end_first(struct running *running)
{
    running->run->status = process_exit_code(process_wait(running->first));
    accept_processes(running); /* a process may have come and gone in the meantime */
    program_input_end(&running->run->setting->input);
    running->is_over = true;
    running->end = now_seconds() + DRAIN_SECONDS;
    close(running->handle);
    running->handle = -1;
}

/* Passes a signal on to the program, if it was meant for us. A signal from the terminal has reached the program
 * already. Another one, a second later or more, kills a program that goes on all the same. */
static void pass_signal(struct running *running)
{
    struct signalfd_siginfo taken;
    if (!interrupts_take(running->interrupts, &taken))
        return;
    running->run->interrupted = true;
    const double now = now_seconds();
    if (running->asked > 0 && now - running->asked >= AGAIN_SECONDS)
        kill_all(running, SIGKILL);
    else if (taken.ssi_code <= 0 && !running->is_over)
        kill(running->first, (int)taken.ssi_signo);
    running->asked = running->asked > 0 ? running->asked : now;
}

static void be_late(struct running *running)
{
    kill_all(running, running->killed ? SIGKILL : SIGTERM);
    running->run->timed_out |= !running->is_over;
    running->killed = true;
    running->end = now_seconds() + TERM_SECONDS;
}

/* Whether processes of the program are left that its first one did not wait for: they are ours then. */
static bool are_left(void)
{
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    return ended == 0;
}

static bool goes_on(struct running *running)
{
    if (!running->is_over)
        return true;
    running->left = program_is_simulated(running->run->measurement) && are_left();
    if (running->count == 0 && !running->left)
        return false;
    if (now_seconds() < running->end)
        return true;
    if (running->count == 0)
        program_fail(running->run,
                     "the program exited but left processes running, whose launches are lost: make it wait for them");
    if (running->count == 0)
        return false;
    warning("%zu process%s of the program still run%s; the counts so far are kept", running->count,
            plural_of(running->count, "", "es"), running->count == 1 ? "s" : "");
    return false;
}

/* Waits until something happens, and handles it. */
static void attend(struct running *running)
{
    enum { OTHERS = 4 };
    const double look_seconds = 0.05;
    const size_t count = running->count;
    OWNED_MEMORY struct pollfd *events = x_calloc(count + OTHERS, sizeof *events);
    events[0] = (struct pollfd){.fd = running->listener, .events = POLLIN};
    events[1] = (struct pollfd){.fd = running->handle, .events = POLLIN};
    events[2] = (struct pollfd){.fd = running->interrupts->descriptor, .events = POLLIN};
    events[3] = program_input_event(&running->run->setting->input);
    for (size_t i = 0; i < count; i++)
        events[OTHERS + i] = (struct pollfd){.fd = running->list[i].peer.pipe, .events = POLLIN};
    const double left = running->left ? look_seconds : running->end - now_seconds();
    const int wait = running->end == 0 ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0;
    const int ready = poll(events, count + OTHERS, wait);
    /* This begins with the last process, because the last one takes the place of one that has ended. */
    for (size_t i = count; ready > 0 && i-- > 0;)
        if (events[OTHERS + i].revents && !hear(running, i))
            end_process(running, &running->list[i]);
    if (ready > 0 && events[0].revents)
        accept_processes(running);
    if (ready > 0 && events[3].revents)
        program_input_pass(&running->run->setting->input, &events[3]);
    if (ready > 0 && events[2].revents)
        pass_signal(running);
    if (ready > 0 && events[1].revents && !running->is_over)
        end_first(running);
    else if (running->end > 0 && !running->is_over && now_seconds() >= running->end)
        be_late(running);
}

int program_run(struct program_run *run)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct interrupts interrupts;
    struct running running = {.run = run, .handle = -1};
    struct sigaction broken_pipe;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    const double timeout = run->measurement->program->timeout;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    TRY(interrupts_open(&interrupts));
    running.interrupts = &interrupts;
    running.mask = interrupts.before;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        sigdelset(&running.mask, ends[i]); /* a caller of ours may block them, which waits for them as well */
    running.address = x_sprintf("%s/%zu", run->setting->folder, run->set);
    unlink(running.address);
    running.listener = listen_at(running.address);
    int result = running.listener < 0 ? -1 : start(&running);
    running.end = timeout > 0 ? now_seconds() + timeout : 0;
    sigaction(SIGPIPE, &ignored,
              &broken_pipe); /* the program, for which this signal is not ignored, may not read what it is handed */
    while (result == 0 && goes_on(&running))
        attend(&running);
    while (running.count > 0)
        end_process(&running, &running.list[running.count - 1]);
    if (running.listener >= 0)
        close(running.listener);
    unlink(running.address);
    free(running.address);
    free(running.list);
    sigaction(SIGPIPE, &broken_pipe, NULL);
    run->interrupted |= interrupts_close(&interrupts);
    return result;
}

void program_run_release(struct program_run *run)
{
    run_release(&run->part);
    free_texts(run->images, run->image_count);
    free(run->set_of);
    free(run->failure);
    free(run->trouble);
}
