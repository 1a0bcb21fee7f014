#include "base/base.h"

#include "command.h"
#include "swapping.h"

static int cmd_swap(const struct options *options)
{
    if (!options->code)
        die(EXIT_USAGE, "which code? add --code FILE: a cubin, fatbin, library or program");
    if (!options->output)
        die(EXIT_USAGE, "where to? add -o FILE.capsule; %s stays as it is", options->arguments[0]);
    return swap_file(options, options->arguments[0], options->output, true) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "code", .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(code),
           .doc = "the other code: a cubin, fatbin, shared library, program or file of capsules"),
    OPTION(.name = "output", .letter = 'o', .argument = "FILE.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the capsules to FILE, whole or not at all"),
    &option_k,
    &option_function, &option_block, &option_grid, &option_shared, &option_tolerance, &option_type, &option_exact, NULL,
};

const struct command command_swap = {
    .name = "swap",
    .arguments = "FILE.capsule",
    .summary = "put other machine code into captured kernels",
    .details = "Writes a copy of the capsules in which those that -k chooses, or all, have the code of another build or "
               "compiler. The function has the same name there, unless --function says which it is, and takes the same "
               "arguments. `cugate check --kernels NEW.capsule --against FILE.capsule` then runs both on the captured "
               "inputs, with --simulate without a GPU, and compares what each leaves in memory with what the program left.\n"
               "Triton writes NAME.json beside NAME.cubin. If it is there, block and dynamic shared memory are those "
               "that it says. The launch is the capsule's in all else, but for what options say. A kernel keeps its id.\n"
               "With --tolerance 1e-5 a result may be off by 1e-5 of the largest value that the launch leaves in the "
               "512 bytes around it. Of integers all bits count. They are known by their bits as long as all there are "
               "less than 33 million; name the arguments that point to larger ones with --exact. "
               "Without --tolerance that of the capsule stays; where it has none, each bit counts, but for those that vary from replay to replay.",
    .exits = EXITS({EXIT_SAME, "the code was put in"},
                   {EXIT_USAGE, "the code does not fit the launch, or a file cannot be read: nothing was written"}),
    .example = "cugate swap softmax.capsule --code ~/.triton/cache/KEY/softmax.cubin --tolerance 1e-5 -o new.capsule",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_swap,
};
/* clang-format on */
