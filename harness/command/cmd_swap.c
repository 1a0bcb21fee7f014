#include "swap_options.h"

static int cmd_swap(const struct options *options)
{
    if (!options->code)
        die(EXIT_USAGE, "no code: add --code FILE, a cubin, fatbin, library or program");
    if (!options->output)
        die(EXIT_USAGE, "no output file: add -o FILE.capsule (%s itself does not change)", options->arguments[0]);
    struct swap_request request;
    const int failed = read_swap(options, &request);
    request.warns = true;
    return failed < 0 || swap_file(&request, options->arguments[0], options->output) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "code", .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(code),
           .doc = "machine code to put in: a cubin, fatbin, shared library, program or file of capsules"),
    OPTION(.name = "output", .letter = 'o', .argument = "FILE.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the capsules to FILE, atomically"),
    &option_k,
    &option_launch, &option_tolerance, &option_type, &option_exact, NULL,
};

const struct command command_swap = {
    .name = "swap",
    .arguments = "FILE.capsule",
    .summary = "replace the machine code of captured kernels",
    .details = "Writes a copy of the capsules in which the kernels that -k chooses (default: all) have the code of another build or compiler. The function must have the same name, unless --launch gives another, and the same "
               "arguments. `cugate check --kernels NEW.capsule --against FILE.capsule` then runs both on the captured "
               "inputs, without a GPU if --simulate is given, and compares their results with the program's.\n"
               "Triton writes NAME.json next to NAME.cubin. If it exists, it sets the block and dynamic shared memory. "
               "Options come first; everything else of the launch stays as captured. A kernel keeps its id.\n"
               "With --tolerance 1e-5 a result may be off by 1e-5 of the largest value in the same 512 bytes. Integers "
               "must match bit for bit. They are recognized by their bits as long as all are below 33 million; name "
               "arguments that point to larger ones with --exact. Without --tolerance the capsule keeps its own; if it has "
               "none, results must match bit for bit, except for bits that vary from replay to replay.",
    .exits = EXITS({EXIT_SAME, "the code was replaced"},
                   {EXIT_USAGE, "the code does not fit the launch, or a file cannot be read: nothing was written"}),
    .example = "cugate swap softmax.capsule --code ~/.triton/cache/KEY/softmax.cubin --tolerance 1e-5 -o new.capsule",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_swap,
};
/* clang-format on */
