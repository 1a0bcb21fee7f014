#include "fresh_process.h"

#include <unistd.h>

#define MOST_PROCESSES 20 /* where one of a hundred fails, so many fail never */

/* Counts the processes before this one. */
#define COUNT_VARIABLE "CUGATE_FRESH_PROCESSES"

/* Whether the addresses of a file are free. So are those of a file that cannot be read: whoever measures it says why.
 */
static bool is_free(const char *path, struct problem *problem)
{
    OWNED(capsules) capsules = {0};
    struct player player;
    struct problem unreadable;
    if (!path || capsules_open(&capsules, path, false, &unreadable) < 0)
        return true;
    const bool held = player_hold(&player, &capsules, problem) == 0;
    player_close(&player);
    return held;
}

/* Replaces this process. It returns only if that is not possible, or was done often enough. */
static void begin_again(char **words)
{
    const char *text = getenv(COUNT_VARIABLE);
    const long count = text ? strtol(text, NULL, 10) : 0;
    char number[16], program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (count < 0 || count + 1 >= MOST_PROCESSES || length <= 0)
        return;
    program[length] = '\0';
    snprintf(number, sizeof number, "%ld", count + 1);
    if (setenv(COUNT_VARIABLE, number, 1) == 0)
        execv(program, words);
}

int fresh_process(const struct command *command, const struct options *options, char **words)
{
    const unsigned measures = command->ways & 1u << options->way & (WAYS_OF_LIBRARY | WAY(COMPUTED));
    struct problem problem;
    int result = 0;
    if ((command->replays_argument && !is_free(options->arguments[0], &problem)) ||
        (measures && !options->replay &&
         (!is_free(options->kernels, &problem) || !is_free(options->against, &problem)))) {
        begin_again(words);
        result = error("%s", problem.text);
    }
    unsetenv(COUNT_VARIABLE); /* it is nothing to those that this process starts */
    return result;
}
