/* Sends what was counted when the program rests, and when a process ends by itself or by a signal. A forked process
 * measures nothing. */
#include "process.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>

enum {
    DYING_SECONDS = 3, /* seconds to send what was counted when a signal ends the process; a kernel may never end */
    WATCH_MS = 50
};

#define QUIET_SECONDS 0.2 /* seconds without a launch, after which what was counted is sent */
/* Seconds without a launch, after which counters are given to a process that waits for them. */
#define YIELD_SECONDS 0.1

static atomic_int fatal; /* the signal that will end the process */
/* Posted by the signal handler; a semaphore needs no descriptor, which the program might close. */
static sem_t signals;

void ending_at_exit(void)
{
    /* In a forked process the mutex may be held by a thread that only the parent has. */
    if (!process_is_off() && process_lock(LAUNCH_SECONDS)) {
        process_say_end();
        process_unlock();
    }
}

static const int deadly[] = {SIGTERM, SIGINT, SIGHUP, SIGABRT};

static void on_signal(int number)
{
    const int before = errno;
    atomic_store(&fatal, number);
    sem_post(&signals);
    if (number == SIGABRT) { /* abort() ends the process when this returns; until then await_signal() does it */
        const struct timespec long_enough = {.tv_sec = DYING_SECONDS + 1};
        nanosleep(&long_enough, NULL);
    }
    errno = before;
}

static void use_default(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == on_signal)
        signal(number, SIG_DFL);
}

/* Catches the signals that would end the process at once, so that what was counted is sent first. Signals that the
 * program handles are left alone. */
static void catch_signals(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
        /* SIGABRT is let through while its handler waits, or it would end the process only afterwards. */
        struct sigaction now,
            ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (deadly[i] == SIGABRT ? SA_NODEFER : 0)};
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(deadly[i], &ours, NULL);
    }
}

/* Stops measuring in a forked process: CUDA does not work there. */
static void after_fork(void)
{
    atomic_store(&process.off, true);
    link_close();
    gpu_lock_leave();
    for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
        use_default(deadly[i]);
}

static void *send_the_last(void *data)
{
    (void)data;
    if (process_is_off() || !process_lock(DYING_SECONDS))
        return NULL;
    if (ranges_hold_counters())
        process_stop_from_outside(true);
    process_say_end();
    process_unlock();
    return NULL;
}

/* Waits for a signal, sends what was counted, and then ends the process by that signal. This thread lives as long as
 * the process, because without it those signals would be lost. */
static void *await_signal(void *data)
{
    pthread_t sender;
    struct timespec end;
    (void)data;
    while (sem_wait(&signals) != 0)
        continue;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += DYING_SECONDS;
    if (pthread_create(&sender, NULL, send_the_last, NULL) == 0)
        pthread_timedjoin_np(sender, NULL, &end);
    const int number = atomic_load(&fatal);
    use_default(number);
    kill(getpid(), number);
    return NULL;
}

/* Sends what was counted when the program rests, so that a SIGKILL loses only what came later. Gives up the counters
 * when another process waits for them. */
static void look_after(void)
{
    if (!process_try_lock())
        return;
    const double quiet = now_seconds() - process.last;
    const bool yields = quiet > YIELD_SECONDS && ranges_hold_counters() && gpu_lock_is_waited_for();
    if (yields || (ranges_running() && quiet > QUIET_SECONDS))
        process_stop_from_outside(yields);
    process_unlock();
}

static void *watch(void *data)
{
    const struct timespec nap = {.tv_nsec = WATCH_MS * 1000000L};
    (void)data;
    while (!process_is_off()) {
        nanosleep(&nap, NULL);
        look_after();
    }
    return NULL;
}

/* Starts a thread that takes no signals, since those are for the program's own threads. Returns whether it runs. */
static bool start_thread(void *(*run)(void *))
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

void ending_watch(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    (void)start_thread(watch); /* without this thread a SIGKILL loses more */
    if (sem_init(&signals, 0, 0) == 0 && start_thread(await_signal))
        catch_signals();
}
