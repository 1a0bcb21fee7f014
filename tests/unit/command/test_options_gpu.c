#include "command/options.h"
#include "test.h"

struct fixture {
    char *folder, *own, *metrics, *baselines;
    struct options options;
};

static char *put_folder(const char *folder, const char *name)
{
    char *path = x_sprintf("%s/%s", folder, name);
    cr_assert_eq(mkdir(path, 0755), 0);
    return path;
}

static void put_description(const char *metrics, const char *name)
{
    OWNED_TEXT file = x_sprintf("gpus/%s", name);
    free(scratch_file(metrics, file, ""));
}

/* Makes the metric folder that came with cugate, another one, and a folder of baselines. */
static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.folder = scratch_make()};
    fixture->own = put_folder(fixture->folder, "own");
    fixture->metrics = put_folder(fixture->folder, "metrics");
    fixture->baselines = put_folder(fixture->folder, "baselines");
    free(put_folder(fixture->own, "gpus"));
    fixture->options = (struct options){
        .metrics = fixture->metrics,
        .found = {NULL, fixture->own},
        .baselines = fixture->baselines,
        .collector = "sim",
    };
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->own);
    free(fixture->metrics);
    free(fixture->baselines);
    scratch_remove(fixture->folder);
}

/* Expects a description by name and folder; if name is NULL, an error with those words. */
static void expect(struct fixture *fixture, const char *gpu, const char *folder, const char *name, const char *words)
{
    fixture->options.gpu = gpu;
    capture_begin();
    OWNED_TEXT path = options_find_gpu(&fixture->options);
    OWNED_TEXT said = capture_end();
    OWNED_TEXT wanted = name ? x_sprintf("%s/gpus/%s", folder, name) : NULL;
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
    cr_expect(path && wanted ? strcmp(path, wanted) == 0 : !path && !wanted, "%s, not %s", path, wanted);
}

Test(options_gpu, the_only_description_is_meant)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    expect(&fixture, NULL, "", NULL, "has no description of a GPU");
    put_description(fixture.own, "big.ini");
    put_description(fixture.own, "README");
    expect(&fixture, NULL, fixture.own, "big.ini", "");
    expect(&fixture, "big", fixture.own, "big.ini", "");
    expect(&fixture, "bit", "", NULL, "unknown GPU 'bit'");
    expect(&fixture, "bit", "", NULL, "describes big");
}

Test(options_gpu, a_part_of_a_name_is_enough_where_only_one_has_it)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    put_description(fixture.own, "maker-big-40.ini");
    put_description(fixture.own, "maker-big-400.ini");
    expect(&fixture, "Big 400", fixture.own, "maker-big-400.ini", "");
    expect(&fixture, "maker-big-40", fixture.own, "maker-big-40.ini", "");
    expect(&fixture, "big40", "", NULL, "describes maker-big-40, maker-big-400");
    expect(&fixture, "-", "", NULL, "describes maker-big-40, maker-big-400");
}

Test(options_gpu, of_several_the_one_with_a_baseline)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    put_description(fixture.own, "big.ini");
    put_description(fixture.own, "small.ini");
    expect(&fixture, NULL, "", NULL, "no GPU to simulate is set; known GPUs: big, small");
    fixture.options.baselines = "nope";
    expect(&fixture, NULL, "", NULL, "there is no nope: no GPU");
    fixture.options.baselines = fixture.baselines;
    free(put_folder(fixture.baselines, "small"));
    expect(&fixture, NULL, fixture.own, "small.ini", "");
    expect(&fixture, "big", fixture.own, "big.ini", "");
    free(put_folder(fixture.baselines, "big"));
    expect(&fixture, NULL, "", NULL, "known GPUs: big, small");
}

Test(options_gpu, descriptions_of_one_s_own)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    put_description(fixture.own, "big.ini");
    free(put_folder(fixture.metrics, "gpus"));
    put_description(fixture.metrics, "mine.ini");
    expect(&fixture, NULL, fixture.metrics, "mine.ini", "");
    expect(&fixture, "big", "", NULL, "describes mine");
    OWNED_TEXT file = x_sprintf("%s/gpus/big.ini", fixture.own);
    expect(&fixture, file, fixture.own, "big.ini", "");
}
