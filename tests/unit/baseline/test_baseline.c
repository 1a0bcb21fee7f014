#include "made_runs.h"
#include "test.h"

static void expect_read(const char *folder, const struct device *device, int expected, const char *words)
{
    struct run baseline;
    HEAR(result, baseline_read(&baseline, folder, device));
    cr_expect_eq(result, expected, "%d, not %d: %s", result, expected, said);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
    cr_expect_null(baseline.results);
}

Test(baseline, folder_is_named_after_the_gpu)
{
    struct device device = {.name = (char[]){"NVIDIA H200"}};
    char *folder = baseline_folder("baselines", &device);
    cr_expect_str_eq(folder, "baselines/nvidia-h200");
    free(folder);
    struct device hostile = {.name = (char[]){"../.."}};
    folder = baseline_folder("baselines", &hostile);
    cr_expect_str_eq(folder, "baselines/unknown");
    free(folder);
}

Test(baseline, a_file_is_found_by_its_id_where_it_was_put, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    run_filter(&run, (char *[]){(char[]){"none"}}, 1);
    row_add_session(result_add(run_add(&run, "app/scale<float>"), "time"), (double[]){1}, 1);
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(baseline.result_count, 1);
    OWNED_TEXT path = id_path("app/scale<float>"), *old = x_sprintf("%s/nvidia-h200/%s.json", scratch, path);
    OWNED_TEXT new = x_sprintf("%s/nvidia-h200/app/scale.json", scratch);
    cr_assert_eq(rename(old, new), 0);
    expect_read(scratch, &run.device, EXIT_USAGE, "app/scale.json holds app/scale<float>, but its path names");
}

Test(baseline, what_cannot_be_read_is_said, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    expect_read(scratch, &run.device, EXIT_BASELINE, "no baseline for NVIDIA H200 in ");
    OWNED_TEXT gpu = x_sprintf("%s/nvidia-h200", scratch);
    OWNED_TEXT family = x_sprintf("%s/reduce", gpu);
    cr_assert_eq(make_folders(family), 0);
    expect_read(scratch, &run.device, EXIT_BASELINE, "no baseline for");
    free(scratch_file(family, "notes.txt", "no baseline"));
    free(scratch_file(gpu, "expected.ini", "; nor this"));
    expect_read(scratch, &run.device, EXIT_BASELINE, "no baseline for");
    OWNED_TEXT tree = scratch_file(family, "tree.json", "{");
    expect_read(scratch, &run.device, EXIT_USAGE, "reduce/tree.json:1:1: ");

    cr_assert_eq(run_write_file(&run, tree), 0);
    expect_read(scratch, &run.device, EXIT_USAGE, "tree.json holds access/coalesced, but its path names");
    OWNED(run) other_run = made_run(1);
    run_filter(&other_run, (char *[]){(char[]){"reduce/warp"}}, 1);
    cr_assert_eq(run_write_file(&other_run, tree), 0);
    expect_read(scratch, &run.device, EXIT_USAGE, "reduce/tree.json holds reduce/warp, but");
    run_filter(&other_run, (char *[]){(char[]){"none"}}, 1);
    cr_assert_eq(run_write_file(&other_run, tree), 0);
    expect_read(scratch, &run.device, EXIT_USAGE,
                "tree.json contains no kernels: delete it, and accept reduce/tree again");

    remove(tree);
    OWNED_TEXT stray = scratch_file(gpu, "reduce.json", "{}");
    expect_read(scratch, &run.device, EXIT_USAGE,
                "nvidia-h200/reduce.json is not a baseline file: a baseline has one file per");
    made_expect(&(struct trial){.folder = scratch}, &run, 1, EXIT_USAGE,
                "nvidia-h200/reduce.json is not a baseline file");
    remove(stray);

    made_accept_one(&(struct trial){.folder = scratch}, &run);
    struct device other = run.device;
    other.memory_bytes = 1;
    other.mig = true;
    expect_read(scratch, &other, EXIT_BASELINE,
                "the run's device has memory 1 bytes, not 150754820096 bytes; MIG on, not off");

    OWNED(run) file;
    cr_assert_eq(run_read(&file, tree), 0);
    run_set_note(&file,
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    cr_assert_eq(run_write_file(&file, tree), 0);
    expect_read(scratch, &run.device, EXIT_BASELINE, "tree.json defines time as t.avg in ns, but other files");
}

/* ---- Devices ---- */

/* Adds a run file of that device in folder/below. */
static void add_file(const char *folder, const char *below, const char *name, const char *gpu, const char *capability)
{
    OWNED_TEXT path = x_sprintf("%s/%s", folder, below);
    OWNED_TEXT text = x_sprintf(
        "{\"schema\": 1, \"device\": {\"name\": \"%s\", \"sm_count\": 1, \"compute_capability\": \"%s\", "
        "\"memory_bytes\": 1, \"ecc\": false, \"mig\": false}, \"sessions\": [{}], \"metrics\": {}, \"kernels\": {}}",
        gpu, capability);
    cr_assert_eq(make_folders(path), 0);
    free(scratch_file(path, name, text));
}

Test(baseline, devices_are_one_of_each_folder_in_their_order)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED(baseline_devices) devices;
    add_file(folder, "new-gpu/reduce", "tree.json", "New GPU", "9.0");
    add_file(folder, "new-gpu/reduce", "cub.json", "New GPU", "9.0");
    add_file(folder, "gpu-2/copy", "a.json", "GPU 2", "8.0");
    add_file(folder, "an-old-one", "copy.json", "An old one", "7.5");
    add_file(folder, "too/deep/by/one", "a.json", "Not seen", "1.0");
    free(scratch_file(folder, "measurements.md", "no folder"));
    cr_assert_eq(baseline_devices_read(&devices, folder), 0);
    static const struct {
        const char *folder, *name, *capability;
    } expected[] = {{"an-old-one", "An old one", "7.5"}, {"gpu-2", "GPU 2", "8.0"}, {"new-gpu", "New GPU", "9.0"}};
    cr_assert_eq(devices.count, ARRAY_SIZE(expected));
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        cr_expect_str_eq(devices.list[i].folder, expected[i].folder);
        cr_expect_str_eq(devices.list[i].device.name, expected[i].name);
        cr_expect_str_eq(devices.list[i].device.compute_capability, expected[i].capability);
    }
}

Test(baseline, devices_that_cannot_be_read_are_an_error, .init = scratch_begin, .fini = scratch_leave)
{
    struct baseline_devices devices;

    capture_begin();
    cr_expect_eq(baseline_devices_read(&devices, "/dev/null"), -1);
    char *said = capture_end();
    expect_word(said, "/dev/null: Not a directory; pass the right folder with --baselines");
    free(said);

    add_file(scratch, "a-gpu/copy", "a.json", "A GPU", "8.0");
    add_file(scratch, "b-gpu/copy", "a.json", "\"", "8.0");
    capture_begin();
    cr_expect_eq(baseline_devices_read(&devices, scratch), -1);
    said = capture_end();
    expect_word(said, "b-gpu/copy/a.json");
    cr_expect_eq(devices.count, 0);
    cr_expect_null(devices.list);
    free(said);
}

/* Costs are the maximum over models. Another collector's seconds do not count, and without a baseline there are
 * none. */
Test(baseline, costs_are_the_seconds_that_baselines_know, .init = scratch_begin, .fini = scratch_leave)
{
    struct run costs;
    OWNED(run) run = made_run(1);
    cr_expect_eq(costs_read(&costs, scratch, "cupti"), 0);
    cr_expect_eq(costs.result_count, 0);
    run_find(&run, "reduce/tree")->seconds = 2;
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    set_text(&run.device.name, "another model");
    run_find(&run, "reduce/tree")->seconds = 3;
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    cr_expect_eq(costs_read(&costs, scratch, "cupti"), 0);
    cr_assert_eq(costs.result_count, 1);
    cr_expect_eq(run_find(&costs, "reduce/tree")->seconds, 3);
    run_release(&costs);
    cr_expect_eq(costs_read(&costs, scratch, "host"), 0);
    cr_expect_eq(costs.result_count, 0);
}
