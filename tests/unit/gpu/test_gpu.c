#include "gpu/gpu.h"

#include "test.h"

#define DESCRIPTION "metrics/gpus/nvidia-h200.ini"

/* Checks that the description fits every run of that GPU. Otherwise runs would be compared with nothing. */
Test(gpu, the_description_is_the_device_of_its_baseline)
{
    struct gpu gpu;
    struct problem problem;
    OWNED(run) run;
    struct device device = {0};
    cr_assert_eq(gpu_read(&gpu, DESCRIPTION, &problem), 0, "%s", problem.text);
    cr_assert_eq(run_read(&run, "baselines/nvidia-h200/transpose/padded.json"), 0);
    gpu_as_device(&gpu, &device);
    char difference[256];
    device_difference(&device, &run.device, difference, sizeof difference);
    cr_expect_str_empty(difference);
    cr_expect_eq(gpu_capability(&gpu), 90);
    free(device.name);
    free(device.compute_capability);
}

static char *read_with(const char *from, const char *to)
{
    char *text, *folder = scratch_make();
    size_t length;
    struct gpu gpu;
    struct problem problem;
    cr_assert_eq(file_read(DESCRIPTION, 1u << 20, &text, &length), 0);
    const char *place = strstr(text, from);
    cr_assert_not_null(place, "%s", from);
    OWNED_TEXT whole = x_sprintf("%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    OWNED_TEXT path = scratch_file(folder, "gpu.ini", whole);
    capture_begin();
    const int failed = gpu_read(&gpu, path, &problem);
    char *words = capture_end();
    cr_expect_eq(failed, -1, "%s for %s", to, from);
    cr_expect(strstr(problem.text, path));
    free(text);
    scratch_remove(folder);
    return words;
}

static void expect_wrong(const char *where, const char *to, const char *words)
{
    const char *const from = cut_at(&to, " -> ");
    OWNED_TEXT said = read_with(from, to);
    cr_expect(strstr(said, words), "%s: %s", where, said);
}

TEXTS(gpu, what_is_wrong_with_a_description_is_said, "tests/unit/gpu/gpu.txt", expect_wrong)

Test(gpu, a_chip_has_the_constants_of_its_file)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT text = file_text(DESCRIPTION);
    OWNED_TEXT whole = x_sprintf("%s\ntiming l2_latency = 300\n", text);
    OWNED_TEXT path = scratch_file(folder, "gpu.ini", whole);
    struct gpu gpu;
    struct problem problem;
    struct chip chip;
    struct timing own;
    timing_default(&own);
    cr_assert_eq(gpu_read(&gpu, DESCRIPTION, &problem), 0, "%s", problem.text);
    cr_expect(gpu_as_chip(&gpu, &chip) && !chip.foreign);
    cr_expect_eq(chip.timing.l2_latency, own.l2_latency);
    cr_expect_eq(chip.l1_bytes, 256u << 10);
    cr_expect_float_eq(chip.dram * chip.clock * chip.sms * 32, 4814, 1, "GB/s of DRAM");
    gpu.attributes[75 /* the major compute capability */] = 8;
    cr_expect(gpu_as_chip(&gpu, &chip) && chip.foreign, "nothing was measured on it");
    gpu.attributes[13 /* the clock */] = 0;
    cr_expect_not(gpu_as_chip(&gpu, &chip), "it is not known");
    cr_assert_eq(gpu_read(&gpu, path, &problem), 0, "%s", problem.text);
    gpu.attributes[75 /* the major compute capability */] = 8;
    gpu.clock_mhz = 1000;
    gpu.dram_gb_per_s = 2000;
    cr_expect(gpu_as_chip(&gpu, &chip) && chip.foreign, "some of its constants are documented");
    cr_expect_eq(chip.clock, 1);
    cr_expect_float_eq(chip.dram * chip.sms * 32, 2000, 1e-6, "what the file says counts");
    cr_expect_eq(chip.timing.l2_latency, 300);
    cr_expect_eq(chip.timing.dram_latency, own.dram_latency, "the rest is as on an H200");
}
