#include "referee_turns.h"

#include "base/base.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct turn {
    const struct referee_turns *turns;
    size_t number;
    char *said[2]; /* files of what it prints, and of its messages */
    pid_t process; /* -1: it could not be started */
};

static void take_turn(const void *data)
{
    const struct turn *turn = data;
    memory_watch(NULL, NULL);
    const int code = turn->turns->judge(turn->turns->self, turn->number, stdout);
    fflush(stdout);
    _exit(code);
}

static void start_turn(struct turn *turn, const struct referee_turns *turns, size_t number, const char *folder)
{
    int files[2];
    *turn = (struct turn){.turns = turns, .number = number, .process = -1};
    for (size_t i = 0; i < 2; i++) {
        turn->said[i] = x_sprintf("%s/%zu.%zu", folder, number, i);
        files[i] = open(turn->said[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    }
    const struct process_start start = {.run = take_turn,
                                        .data = turn,
                                        .input = PROCESS_NOTHING,
                                        .output = files[0],
                                        .errors = files[1],
                                        .dies_with_us = true};
    if (files[0] >= 0 && files[1] >= 0)
        turn->process = process_start(&start);
    for (size_t i = 0; i < 2; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Passes on a file of what it said. False: there is nothing in it. */
static bool pass_on(const char *path, FILE *stream)
{
    OWNED_TEXT text = NULL;
    size_t length;
    if (file_read(path, (size_t)1 << 30, &text, &length) < 0)
        return false;
    fwrite(text, 1, length, stream);
    fflush(stream);
    return length > 0;
}

/* Waits until a candidate's process exits, and copies its messages to stderr and its line to `stream`. lost() reports a
 * process that printed no line. Returns its exit code. */
static int end_turn(struct turn *turn, FILE *stream)
{
    const int code = turn->process < 0 ? EXIT_USAGE : process_exit_code(process_wait(turn->process));
    const bool is_cut = turn->process < 0 || code > EXIT_INTERRUPTED || code == MEMORY_EXIT;
    (void)pass_on(turn->said[1], stderr);
    const bool has_line = !is_cut && (code == EXIT_INTERRUPTED || pass_on(turn->said[0], stream));
    if (!has_line) {
        OWNED_TEXT why = turn->process < 0     ? x_strdup("cannot start a process for this candidate")
                         : code == MEMORY_EXIT ? memory_words()
                                               : x_sprintf("its process exited with code %d", code);
        turn->turns->lost(turn->turns->self, turn->number, why, stream);
    }
    for (size_t i = 0; i < 2; i++)
        free(turn->said[i]);
    return has_line ? code : EXIT_NOT_MEASURED;
}

int referee_take_turns(const struct referee_turns *turns, FILE *stream)
{
    char *folder = make_temporary_folder();
    OWNED_MEMORY struct turn *list = x_calloc(turns->count + 1, sizeof *list);
    size_t begun = 0;
    int worst = folder ? EXIT_SAME : EXIT_USAGE;
    for (size_t i = 0; i < turns->count && folder && (i < begun || worst != EXIT_INTERRUPTED); i++) {
        for (; begun < turns->count && begun < i + turns->jobs && worst != EXIT_INTERRUPTED; begun++)
            start_turn(&list[begun], turns, begun, folder);
        const int code = end_turn(&list[i], stream);
        worst = code > worst ? code : worst; /* 130 is the largest */
    }
    if (folder)
        remove_temporary_folder(folder);
    return worst;
}
