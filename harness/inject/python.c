/* Asks the Python interpreter of the process, if there is one, for the line that a thread is at, and for the packages
 * that are loaded.
 *
 * A launch often comes from a thread that has given the interpreter's lock back, and to wait for that lock within a
 * launch could be to wait for ever. So nothing of the interpreter is called then. Python's own faulthandler writes
 * where a thread is without that lock, from the handler of a signal, which the thread sends to itself. It is told to do
 * so once, when the interpreter comes to it by itself (Py_AddPendingCall). Launches before that have no line. */
#include "callers.h"
#include "worker/worker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
    FILE_INPUT = 257,  /* Py_file_input: a text of statements */
    TRACE_MAX = 32768, /* bytes of a thread's stack that are read */
    PACKAGES_MAX = 1 << 20,
};

/* Takes the number of the signal, and of the files of stacks and of packages, and which file the last one is. It asks
 * no module anything, since a module may answer by code of its own. */
static const char script[] =
    "import atexit, faulthandler, os, sys\n"
    "faulthandler.register(%d, %d, False, False)\n"
    "def tell(number=%d, inode=%llu):\n"
    "    try:\n"
    "        if os.fstat(number).st_ino != inode:\n"
    "            return\n"
    "        modules = [(name, vars(module)) for name, module in list(sys.modules.items())\n"
    "                   if type(name) is str and '.' not in name and hasattr(type(module), '__dict__')]\n"
    "        with open(number, 'w', closefd=False) as file:\n"
    "            for name, has in modules:\n"
    "                place, version = has.get('__file__'), has.get('__version__')\n"
    "                if type(version) is str and type(place) is str and '-packages' in place:\n"
    "                    print(name, ''.join(version.replace(';', '').split()) or '?', file=file)\n"
    "    except Exception:\n"
    "        pass\n"
    "atexit.register(tell)\n";

static struct {
    void *(*new_dictionary)(void);
    void *(*run)(const char *, int, void *, void *);
    void (*forget)(void *);
    void (*forget_error)(void);
} python;

/* A file in memory, and which file that is: a program that closes all descriptors may get the number for one of its
 * own. */
static struct kept {
    int descriptor;
    struct stat file;
} stacks = {.descriptor = -1}, packages = {.descriptor = -1};
static int number;           /* of the signal */
static void (*handler)(int); /* Python's for it */
static atomic_bool is_ready;

/* Handles the signal before Python does, and when Python has ended, which brings back what was there before. */
static void do_nothing(int signal_number)
{
    (void)signal_number;
}

static void (*handler_now(void))(int)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 ? now.sa_handler : SIG_DFL;
}

static bool is_kept(const struct kept *kept)
{
    struct stat now;
    return kept->descriptor >= 0 && fstat(kept->descriptor, &now) == 0 && now.st_dev == kept->file.st_dev &&
           now.st_ino == kept->file.st_ino;
}

static void keep(struct kept *kept, const char *name)
{
    kept->descriptor = descriptor_put_away(memfd_create(name, MFD_CLOEXEC));
    if (kept->descriptor >= 0)
        fstat(kept->descriptor, &kept->file);
}

/* The interpreter calls this one, with its lock held. */
static int prepare(void *data)
{
    (void)data;
    if (handler_now() != SIG_DFL || !is_kept(&stacks) || !is_kept(&packages)) {
        number = 0; /* the program has use for the signal, or closed our files */
        return 0;
    }
    char *text =
        x_sprintf(script, number, stacks.descriptor, packages.descriptor, (unsigned long long)packages.file.st_ino);
    sigaction(number, &(struct sigaction){.sa_handler = do_nothing, .sa_flags = SA_RESTART}, NULL);
    void *names = python.new_dictionary(), *result = names ? python.run(text, FILE_INPUT, names, names) : NULL;
    if (!result)
        python.forget_error();
    handler = handler_now();
    atomic_store(&is_ready, result != NULL && handler != do_nothing);
    python.forget(result);
    python.forget(names);
    free(text);
    return 0;
}

/* Returns a signal that nobody handles; 0: there is none. */
static int find_signal(void)
{
    struct sigaction now;
    for (int candidate = SIGRTMAX - 1; candidate > SIGRTMIN; candidate--)
        if (sigaction(candidate, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            return candidate;
    return 0;
}

static void *function_of_python(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

void python_begin(void)
{
    int (*is_there)(void), (*call_later)(int (*)(void *), void *);
    *(void **)&is_there = function_of_python("Py_IsInitialized");
    *(void **)&call_later = function_of_python("Py_AddPendingCall");
    *(void **)&python.new_dictionary = function_of_python("PyDict_New");
    *(void **)&python.run = function_of_python("PyRun_String");
    *(void **)&python.forget = function_of_python("Py_DecRef");
    *(void **)&python.forget_error = function_of_python("PyErr_Clear");
    if (!is_there || !call_later || !python.new_dictionary || !python.run || !python.forget || !python.forget_error ||
        !is_there())
        return;
    number = find_signal();
    keep(&stacks, "cugate stacks");
    keep(&packages, "cugate packages");
    if (number > 0)
        call_later(prepare, NULL);
}

/* Returns what is in the file, at most so many bytes. Caller frees. */
static char *read_file(const struct kept *kept, size_t most)
{
    char *text = x_calloc(1, most + 1);
    const ssize_t size = is_kept(kept) ? pread(kept->descriptor, text, most, 0) : 0;
    text[size > 0 ? size : 0] = '\0';
    return text;
}

/* Whether the file is the user's, by where it is: not a package that was installed, nor of Python itself, nor what
 * PyTorch's compiler wrote. */
static bool is_users(const char *file)
{
    static const char *const others[] = {"-packages/", "/lib/python3", "/torchinductor"};
    bool is = *file != '<';
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        is = is && !strstr(file, others[i]);
    return is;
}

/* Finds the innermost of the lines `  File "PATH", line 42 in forward` that is the user's. Caller frees. */
static char *find_users(char *text)
{
    static const char begin[] = "  File \"", between[] = "\", line ";
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *file = line + strlen(begin), *end = strstr(line, between), *function = end ? strstr(end, " in ") : NULL;
        if (strncmp(line, begin, strlen(begin)) != 0 || !function)
            continue;
        *end = *function = '\0';
        if (!is_users(file))
            continue;
        const char *slash = strrchr(file, '/');
        return x_sprintf("%s:%s (%s)", slash ? slash + 1 : file, end + strlen(between), function + strlen(" in "));
    }
    return NULL;
}

char *python_line(void)
{
    sigset_t own, before;
    if (!atomic_load(&is_ready) || handler_now() != handler || !is_kept(&stacks) ||
        ftruncate(stacks.descriptor, 0) < 0 || lseek(stacks.descriptor, 0, SEEK_SET) < 0)
        return NULL;
    sigemptyset(&own);
    sigaddset(&own, number);
    pthread_sigmask(SIG_UNBLOCK, &own, &before);
    pthread_kill(pthread_self(), number); /* its handler has returned when this does */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    char *text = read_file(&stacks, TRACE_MAX), *line = find_users(text);
    free(text);
    return line;
}

bool python_is_awaited(void)
{
    return number > 0 && !atomic_load(&is_ready);
}

char *python_packages(void)
{
    return read_file(&packages, PACKAGES_MAX);
}
