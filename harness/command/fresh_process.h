/* fresh_process.h - capsules need the addresses that their memory had. A process that has other memory there is
 * replaced by a fresh one, which has other addresses. */
#pragma once

#include "command.h"

/* Begins the program again, by these words, if a file of capsules that the options name needs addresses that this
 * process has taken. It comes before anything was read or printed. Returns 0 when the addresses are free, or no file of
 * capsules will be measured; -1 after error(), when no process had them free. */
int fresh_process(const struct command *command, const struct options *options, char **words);
