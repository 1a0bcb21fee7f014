#include "base/base.h"
#include "baseline/baseline_devices.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A run file of that device in folder/below. */
static void add_file(const char *folder, const char *below, const char *name, const char *gpu, const char *capability)
{
    char *path = x_sprintf("%s/%s", folder, below);
    char *text = x_sprintf("{\"schema\": 1, \"device\": {\"name\": \"%s\", \"sm_count\": 1, \"compute_capability\": "
                           "\"%s\", \"memory_bytes\": 1, \"ecc\": false, \"mig\": false}, \"sessions\": [{}], "
                           "\"metrics\": {}, \"kernels\": {}}",
                           gpu, capability);
    cr_assert_eq(make_folders(path), 0);
    free(scratch_file(path, name, text));
    free(text);
    free(path);
}

Test(baseline_devices, one_of_each_folder_in_their_order)
{
    char *folder = scratch_make();
    struct baseline_devices devices;
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
    cr_assert_eq(devices.count, ROWS(expected));
    for (size_t i = 0; i < ROWS(expected); i++) {
        cr_expect_str_eq(devices.list[i].folder, expected[i].folder);
        cr_expect_str_eq(devices.list[i].device.name, expected[i].name);
        cr_expect_str_eq(devices.list[i].device.compute_capability, expected[i].capability);
    }
    baseline_devices_release(&devices);
    scratch_remove(folder);
}

Test(baseline_devices, an_empty_folder_holds_none_nor_does_one_that_is_not_there)
{
    char *folder = scratch_make();
    struct baseline_devices devices;
    cr_assert_eq(baseline_devices_read(&devices, "/no/such/folder"), 0);
    cr_expect_eq(devices.count, 0);
    cr_assert_eq(baseline_devices_read(&devices, folder), 0);
    cr_expect_eq(devices.count, 0);
    baseline_devices_release(&devices);
    scratch_remove(folder);
}

Test(baseline_devices, what_cannot_be_read_is_an_error)
{
    char *folder = scratch_make();
    struct baseline_devices devices;
    struct capture capture;

    capture_begin(&capture);
    cr_expect_eq(baseline_devices_read(&devices, "/dev/null"), -1);
    char *said = capture_end(&capture);
    cr_expect(strstr(said, "/dev/null: Not a directory; name it with --baselines"), "%s", said);
    free(said);

    add_file(folder, "a-gpu/copy", "a.json", "A GPU", "8.0");
    add_file(folder, "b-gpu/copy", "a.json", "\"", "8.0");
    capture_begin(&capture);
    cr_expect_eq(baseline_devices_read(&devices, folder), -1);
    said = capture_end(&capture);
    cr_expect(strstr(said, "b-gpu/copy/a.json"), "%s", said);
    cr_expect_eq(devices.count, 0);
    cr_expect_null(devices.list);
    free(said);
    scratch_remove(folder);
}
