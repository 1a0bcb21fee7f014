#include "dry_run.h"

#include "command.h"

/* Sets *why to the reason why there is no GPU to measure on. The text is empty where there is one, or where none is
 * needed. -1 after error() when a GPU does not answer. */
static int look_for_gpu(const struct options *options, struct problem *why)
{
    *why = (struct problem){0};
    if (options->replay || !(1u << options->way & WAYS_ON_GPU))
        return 0;
    struct problem problem;
    const int count = gpu_count_read(options_timeout(options), &problem);
    if (count < 0)
        return error("%s", problem.text);
    if (count == 0)
        problem_set(why, "%s", gpu_driver_is_absent() ? NO_GPU_DRIVER : "the NVIDIA driver finds no GPU");
    return 0;
}

int dry_run_print(const struct options *options, FILE *stream)
{
    struct problem no_gpu;
    TRY_AS(EXIT_NOT_MEASURED, look_for_gpu(options, &no_gpu));
    const bool has_library = !options->replay && (1u << options->way & (WAYS_OF_LIBRARY | WAY(COMPUTED) | WAY(CODE)));
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put_count(&json, "schema", 1);
    json_put_text(&json, "way", options->replay ? "replay" : origin_of(options->way)->does);
    json_put_text(&json, "no_gpu", *no_gpu.text ? no_gpu.text : NULL);
    json_put_text(&json, "replay", options->replay);
    json_put_text(&json, "kernels", has_library ? options->kernels : NULL);
    json_put_text(&json, "against", options->against);
    json_put_text(&json, "baselines", options->baselines);
    json_put_text(&json, "metrics", options->metrics);
    json_close(&json);
    fputc('\n', stream);
    return EXIT_SAME;
}
