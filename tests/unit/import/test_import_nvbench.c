#include "import_support.h"
#include "test.h"

Test(import_nvbench, the_device_is_that_of_the_states)
{
    AT_END(import_end) struct imported imported;
    import_begin(&imported, "nvbench", NULL,
                 "{\"devices\": [{\"id\": 0, \"name\": \"Some GPU\"}, {\"id\": 1, \"name\": \"GPU MIG 1g\", "
                 "\"sm_version\": 890, \"number_of_sms\": 20, \"global_memory_size\": 24000000000, \"ecc_state\": "
                 "false}], \"benchmarks\": [{\"name\": \"a\", \"states\": [{\"device\": 1, \"is_skipped\": true}]}]}");
    cr_assert_eq(imported.result, 0, "%s", imported.said);
    const struct device *device = &imported.run.device;
    cr_expect_str_eq(device->name, "GPU MIG 1g");
    cr_expect_str_eq(device->compute_capability, "8.9");
    cr_expect_eq(device->sm_count, 20);
    cr_expect_eq(device->memory_bytes, 24000000000);
    cr_expect(device->mig && !device->mig_unknown && !device->ecc && !device->ecc_unknown);
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_COLLECTOR], "nvbench");
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_DATE], import_date);
    cr_expect_null(imported.run.sessions[0].facts[SESSION_HOST]);
}

Test(import_nvbench, texts)
{
    import_texts("tests/unit/import/nvbench.txt", "nvbench", NULL);
}
