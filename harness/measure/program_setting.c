/* What stands ready before a program is started: the library that is loaded into its processes, and where these find
 * cugate and each other. */
#include "program_parts.h"

#include <dlfcn.h>
#include <sys/stat.h>

/* Returns the folder in which all `cugate run -- PROGRAM` of this user wait for the counters of a GPU. NULL where there
 * is no such folder: then only the processes of one program wait for each other. Caller frees. */
static char *find_locks(void)
{
    struct stat file;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *path =
        runtime && *runtime == '/' ? x_sprintf("%s/cugate", runtime) : x_sprintf("/tmp/cugate-%u", (unsigned)geteuid());
    (void)mkdir(path, 0700);
    /* In /tmp the folder may belong to somebody else. */
    if (lstat(path, &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == geteuid() && (file.st_mode & 077) == 0)
        return path;
    free(path);
    return NULL;
}

/* Returns the path of a file that comes with cugate. Caller frees. NULL after error(). */
static char *find_beside(const char *name)
{
    static const char *const places[] = {"", "../lib/cugate/"};
    OWNED_TEXT folder = program_folder();
    char *found = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
        OWNED_TEXT path = x_sprintf("%s/%s%s", folder, places[i], name);
        found = realpath(path, NULL);
    }
    if (!found)
        error("cannot find %s next to %s: run `make` again", name, folder);
    return found;
}

/* Loads the library in a process of its own, to learn whether that works. The driver says nothing when it cannot load
 * the library into the program. */
static void try_injection(int pipe, const void *path)
{
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL))
        return;
    message_send(pipe, MESSAGE_FAILURE, dlerror());
}

static int take_first(void *data, const unsigned char *bytes, size_t size)
{
    (void)data;
    (void)bytes;
    return size > 0;
}

/* Says what can be judged of a program where nothing measures it. An interpreter has no machine code of a GPU. */
static void say_what_works(const struct program *program)
{
    const char *file = program->arguments[0];
    const bool is_file = strchr(file, '/') && cubin_each_image(file, take_first, NULL) > 0;
    OWNED_TEXT command = x_strdup("");
    for (char *const *argument = program->arguments; *argument; argument++) {
        OWNED_TEXT word = shell_word(*argument);
        x_append(&command, " ", "%s", word);
    }
    remark(
        "without a GPU `cugate check --simulate -- %s` computes its counts, and `cugate check --static %s` judges %s",
        command, is_file ? file : "FILE...", is_file ? "its machine code" : "machine code, as in ~/.triton/cache");
}

static int check_injection(const char *path, const struct program *program)
{
    const double seconds = 60;
    struct message message;
    OWNED_TEXT how = NULL;
    const enum child_event event = child_ask(try_injection, path, seconds, &message, &how);
    if (event == CHILD_SAID && strstr(message.text, "libcuda.so.1")) {
        error("no NVIDIA driver here: %s", message.text);
        say_what_works(program);
    } else if (event == CHILD_SAID) {
        error("cannot load cugate's library into the program: %s; %s", message.text, gpu_plugin_remedy());
    }
    free(message.text);
    return event == CHILD_INTERRUPTED ? EXIT_INTERRUPTED : event == CHILD_SAID ? EXIT_NOT_MEASURED : EXIT_SAME;
}

static int check_environment(void)
{
    const char *other = getenv("CUDA_INJECTION64_PATH");
    if (!other || !*other)
        return 0;
    return error(
        "CUDA_INJECTION64_PATH is set to %s, so the program would load another tool; only one is possible: unset it",
        other);
}

/* Loads the simulator in a process of its own, as one that has loaded it has its runtime for CUDA's, and says why it
 * cannot be used. */
static void try_simulator(int pipe, const void *data)
{
    const struct job *job = data;
    struct problem problem;
    const struct sim_plugin *sim = sim_plugin_load(&problem);
    if (!sim || sim->prepare(job, &problem) != 0)
        message_send(pipe, MESSAGE_FAILURE, problem.text);
}

/* Checks that programs can be simulated here, and that this one has no runtime of its own. Of a file that is not found
 * here, on the PATH for example, that shows when it looks for the driver. */
static int check_simulator(const struct measurement *measurement)
{
    const double seconds = 60;
    struct message message;
    OWNED_TEXT how = NULL;
    const struct job job = {.library = measurement->program->shell ? "" : measurement->program->arguments[0],
                            .metrics = measurement->metrics,
                            .gpu = measurement->gpu};
    const enum child_event event = child_ask(try_simulator, &job, seconds, &message, &how);
    if (event == CHILD_SAID)
        error("%s", message.text);
    free(message.text);
    return event == CHILD_INTERRUPTED ? EXIT_INTERRUPTED : event == CHILD_SAID ? EXIT_NOT_MEASURED : EXIT_SAME;
}

/* Finds what stands for CUDA's libraries in a program that is simulated. */
static int open_simulator(struct program_setting *setting, const struct measurement *measurement)
{
    setting->gpu = measurement->gpu ? realpath(measurement->gpu, NULL) : NULL;
    if (!setting->gpu)
        return error("cannot read the description of the GPU, %s", measurement->gpu ? measurement->gpu : "of none");
    setting->injection = find_beside("simulated/libcudart.so.13");
    setting->of_12 = find_beside("simulated/libcudart.so.12");
    setting->runtime = find_beside("simulated");
    return setting->injection && setting->of_12 && setting->runtime ? 0 : -1;
}

/* Finds what is loaded into the program, and checks that it can be. Returns 0 or an exit code. */
static int open_library(struct program_setting *setting, const struct measurement *measurement)
{
    if (program_is_simulated(measurement))
        return open_simulator(setting, measurement) < 0 ? EXIT_USAGE : check_simulator(measurement);
    if (check_environment() < 0 || !(setting->injection = find_beside("libcugate_inject.so")))
        return EXIT_USAGE;
    return check_injection(setting->injection, measurement->program);
}

int program_setting_open(struct program_setting *setting, const struct measurement *measurement, bool repeats)
{
    *setting = (struct program_setting){0};
    int code = open_library(setting, measurement);
    if (code != EXIT_SAME) {
        program_setting_close(setting);
        return code;
    }
    setting->folder = make_temporary_folder();
    setting->locks = find_locks();
    if (!setting->folder)
        code = EXIT_NOT_MEASURED;
    else
        program_input_open(&setting->input, repeats);
    if (code != EXIT_SAME)
        program_setting_close(setting);
    return code;
}

void program_setting_close(struct program_setting *setting)
{
    if (setting->folder) {
        program_input_close(&setting->input);
        remove_temporary_folder(setting->folder);
    }
    free(setting->injection);
    free(setting->of_12);
    free(setting->runtime);
    free(setting->gpu);
    free(setting->locks);
    *setting = (struct program_setting){0};
}
