#include "model/run_file.h"
#include "test.h"

#include <float.h>

#define DEVICE "\"device\": {\"ecc\": true, \"memory_bytes\": 1, \"mig\": false, \"sm_count\": 1}"
#define REST ", \"metrics\": {}, \"schema\": 1, \"sessions\": [{}]}"
#define RUN(kernels) "{" DEVICE ", \"kernels\": {" kernels "}" REST
#define KERNEL(more) RUN("\"a/b\": {\"bytes\": 0, \"flops\": 0, \"status\": \"ok\"" more "}")
#define ROW(row) KERNEL(", \"metrics\": {\"time\": " row "}")
#define LAUNCH(launch) KERNEL(", \"launches\": [" launch "]")
#define MACHINE(machine)                                                                                               \
    LAUNCH("{\"block\": [1,1,1], \"grid\": [1,1,1], \"shared\": 0, \"times\": 1, \"machine\": {" machine "}}")
#define LINES(profile) KERNEL(", \"lines\": {" profile "}")
#define LIST(line) LINES("\"counted\": [\"instructions\"], \"launches\": 0, \"period\": 0, \"list\": [" line "]")
#define ALL "\"counts\": {}, \"function\": \"f\", \"offset\": 0, \"stalls\": {}, "
#define ROOFS(roofs)                                                                                                   \
    "{" DEVICE ", \"kernels\": {}, \"metrics\": {}, \"schema\": 1, \"sessions\": [{\"roofs\": " roofs "}]}"

Test(run_read, a_broken_line_is_refused)
{
    static const char *const profile[] = {"",
                                          "nonsense",
                                          "[]",
                                          "{}",
                                          "{\"a/b\": 1}",
                                          "{\"a/b\": {}, \"a/c\": {}}",
                                          "{\"ab\": {\"status\": \"ok\", \"bytes\": 0, \"flops\": 0}}"};
    for (size_t i = 0; i < ARRAY_SIZE(profile); i++) {
        struct result result;
        HEAR(outcome, result_from_line(&result, profile[i]));
        cr_expect_eq(outcome, -1, "%s", profile[i]);
        cr_expect_null(result.id);
        expect_word(said, "a worker's answer");
    }
}

struct run_text {
    const char *text, *words; /* words is NULL for a valid text */
};

static void expect_texts(const struct run_text *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        OWNED(run) run;
        HEAR(result, run_parse(&run, "x.json", cases[i].text, strlen(cases[i].text)));
        cr_expect_eq(result, cases[i].words ? -1 : 0, "case %zu: %s", i, said);
        if (cases[i].words) {
            cr_expect(strstr(said, cases[i].words), "case %zu: \"%s\" lacks \"%s\"", i, said, cases[i].words);
            cr_expect(!run.results && !run.sessions && !run.notes && !run.device.name, "case %zu: not empty", i);
        }
    }
}

Test(run_read, errors_say_where_and_what)
{
    static const struct run_text cases[] = {
        {KERNEL(""), NULL},
        {ROW("{\"sessions\": [[1]]}"), NULL},
        {ROW("{\"reason\": \"r\", \"state\": \"not counted\"}"), NULL},
        {LAUNCH("{\"block\": [1,1,1], \"grid\": [1,1,1], \"shared\": 0, \"times\": 1}"), NULL},

        {"", "x.json is empty"},
        {" \n", "x.json:2:0:"},
        {"{\n  \"device\": nonsense}", "x.json:2:20: invalid token"},
        {"[]", "x.json: must be an object, not a list"},
        {"{}", "x.json: schema: is missing; it must be a whole number"},
        {"{\"schema\": 2, \"novelty\": 1}", "x.json: schema: is 2, so a newer cugate wrote the file"},
        {"{\"schema\": 0}", "x.json: schema: is 0, but must be between 1 and"},
        {"{\"schema\": \"1\"}", "x.json: schema: must be a whole number, not a text"},
        {"{\"schema\": 1, \"kernel\": 1}", "x.json: has an unknown key \"kernel\"; did you mean \"kernels\"?"},
        {"{\"schema\": 1, \"schema\": 1}", "x.json:1:22: duplicate object key"},
        {"{\"schema\": 1}", "x.json: device: is missing; it must be an object"},
        {"{" DEVICE ", \"schema\": 1}", "x.json: kernels: is missing; it must be an object"},
        {"{" DEVICE ", \"kernels\": {}, \"metrics\": {}, \"schema\": 1}",
         "x.json: sessions: is missing; it must be a list"},
        {"{" DEVICE ", \"schema\": 1, \"sessions\": [{\"when\": \"\"}]}",
         "x.json: sessions/0: has an unknown key \"when\""},
        {"{" DEVICE ", \"schema\": 1, \"sessions\": [{}, {\"date\": 5}]}",
         "x.json: sessions/1/date: must be a text, not a number"},
        {"{" DEVICE ", \"schema\": 1, \"sessions\": [{}], \"metrics\": {\"Time\": {}}}",
         "x.json: metrics: \"Time\" is not a metric name"},
        {"{" DEVICE ", \"schema\": 1, \"sessions\": [{}], \"metrics\": {\"time\": {\"unit\": \"ns\"}}}",
         "x.json: metrics/time/counter: is missing"},
        {"{\"device\": {\"memory_bytes\": 1}, \"schema\": 1}", "x.json: device/sm_count: is missing"},
        {"{\"device\": {\"sm_count\": 1, \"memory_bytes\": -1}, \"schema\": 1}",
         "x.json: device/memory_bytes: is -1, but"},
        {"{\"device\": {\"sm_count\": 1, \"memory_bytes\": 1, \"ecc\": 1}, \"schema\": 1}",
         "x.json: device/ecc: must be true or false, not a number"},
        {"{\"device\": {\"sm_count\": 1, \"memory_bytes\": 1, \"mig\": null}, \"schema\": 1}",
         "x.json: device/mig: must be true or false, not null"},

        {RUN("\"ab\": {}"),
         "x.json: kernels: \"ab\" is not a kernel: write family/variant or family/variant[axis=value]"},
        {RUN("\"a/b/c\": {}"), "\"a/b/c\" is not a kernel"},
        {RUN("\"/b\": {}"), "\"/b\" is not a kernel"},
        {RUN("\"a/\": {}"), "\"a/\" is not a kernel"},
        {RUN("\"../b\": {}"), "\"../b\" is not a kernel"},
        {RUN("\"a/..\": {}"), "\"a/..\" is not a kernel"},
        {RUN("\"a/-b\": {}"), "\"a/-b\" is not a kernel"},
        {RUN("\"a/<b>\": {}"), "\"a/<b>\" is not a kernel"},
        {RUN("\"a/b c\": {}"), "\"a/b c\" is not a kernel"},
        {RUN("\"a/b*\": {}"), "\"a/b*\" is not a kernel"},
        {RUN("\"a/[b]\": {}"), "\"a/[b]\" is not a kernel"},
        {RUN("\"a/b\": []"), "x.json: kernels/a/b: must be an object, not a list"},
        {RUN("\"a/b\": {\"bytes\": 0, \"flops\": 0}"), "x.json: kernels/a/b/status: is missing"},
        {RUN("\"a/b\": {\"status\": \"fine\"}"), "x.json: kernels/a/b/status: is \"fine\", which is not a status"},
        {KERNEL(", \"reason\": \"x\""), "x.json: kernels/a/b: is \"ok\", but has a \"reason\""},
        {RUN("\"a/b\": {\"status\": \"ok\"}"), "x.json: kernels/a/b/bytes: is missing; it must be a number"},
        {RUN("\"a/b\": {\"status\": \"ok\", \"bytes\": -1}"),
         "x.json: kernels/a/b/bytes: is -1, but must not be negative"},
        {KERNEL(", \"seconds\": 1e300"), NULL},
        {KERNEL(", \"seconds\": -1"), "x.json: kernels/a/b/seconds: is -1, but must not be negative"},
        {RUN("\"a/b\": {\"bytes\": 0, \"flops\": 0, \"status\": \"hung\", "
             "\"metrics\": {\"time\": {\"sessions\": [[1]]}}}"),
         "x.json: kernels/a/b/metrics: must be empty, because the kernel's status is \"hung\""},

        {ROW("5"), "x.json: kernels/a/b/metrics/time: must be an object, not a number"},
        {ROW("{}"), "x.json: kernels/a/b/metrics/time: needs either \"sessions\" or \"state\""},
        {ROW("{\"state\": \"not counted\", \"sessions\": [[1]]}"), "needs either \"sessions\" or \"state\""},
        {ROW("{\"state\": \"measured\"}"), "metrics/time/state: is \"measured\", which needs \"sessions\""},
        {ROW("{\"state\": \"lost\"}"), "is \"lost\", which is not a state: not counted, not supported, not applicable"},
        {ROW("{\"state\": \"Measured\"}"), "is \"Measured\", which is not a state"},
        {ROW("{\"state\": \"\"}"), "is \"\", which is not a state"},
        {ROW("{\"state\": null}"), "metrics/time/state: must be a text, not null"},
        {ROW("{\"sessions\": []}"), "metrics/time/sessions: is empty"},
        {ROW("{\"sessions\": [1]}"), "metrics/time/sessions/0: must be a list of samples, not a number"},
        {ROW("{\"from\": [0, 1], \"sessions\": [[1]]}"), "metrics/time/from: names 2 sessions for 1 values"},
        {ROW("{\"from\": [-1], \"sessions\": [[1]]}"), "metrics/time/from/0: "},
        {ROW("{\"from\": [7], \"sessions\": [[1]]}"), "a value of time of a/b from session 7, but only 1 are named"},
        {ROW("{\"sessions\": [[1], []]}"), "metrics/time/sessions/1: is a session without a sample"},
        {ROW("{\"sessions\": [[1, \"2\"]]}"), "metrics/time/sessions/0/1: must be a number, not a text"},
        {ROW("{\"sessions\": [[1, true]]}"), "metrics/time/sessions/0/1: must be a number, not true"},
        {ROW("{\"sessions\": [[-0.5]]}"), "metrics/time/sessions/0/0: is -0.5, but must not be negative"},
        {ROW("{\"sessions\": [[NaN]]}"), "invalid token near 'NaN'"},
        {ROW("{\"sessions\": [[Infinity]]}"), "invalid token near 'Infinity'"},
        {ROW("{\"sessions\": [[1e400]]}"), "real number overflow"},
        {ROW("{\"sessions\": [[9223372036854775808]]}"), "too big integer"},
        {ROW("{\"sessions\": [[1]], \"pairs\": [[1, 2]], \"readings\": 5, \"anchor\": 1.5}"), NULL},
        {ROW("{\"reason\": \"r\"}"), "needs either \"sessions\" or \"state\""},
        {ROW("{\"reason\": \"r\", \"sessions\": [[1]]}"), "has a \"reason\" without a \"state\""},
        {ROW("{\"reason\": \"r\", \"state\": \"not supported\"}"),
         "has a \"reason\", but is \"not supported\" and not \"not counted\""},
        {ROW("{\"reason\": 5, \"state\": \"not counted\"}"), "metrics/time/reason: must be a text, not a number"},
        {ROW("{\"state\": \"not counted\", \"anchor\": 1}"), "needs either \"sessions\" or \"state\""},
        {ROW("{\"sessions\": [[1]], \"pairs\": 1}"), "metrics/time/pairs: must be a list, not a number"},
        {ROW("{\"sessions\": [[1]], \"pairs\": [[1]]}"), "metrics/time/pairs/0: has 1 numbers, not 2"},
        {ROW("{\"sessions\": [[1]], \"pairs\": [[1, 2], [1, -2]]}"), "metrics/time/pairs/1/1: is -2, but"},
        {ROW("{\"sessions\": [[1]], \"readings\": -1}"), "metrics/time/readings: is -1, but"},
        {ROW("{\"sessions\": [[1]], \"anchor\": \"1\"}"), "metrics/time/anchor: must be a number, not a text"},
        {ROW("{\"sessions\": [[1]], \"previous\": {}}"), "metrics/time/previous/value: is missing"},
        {ROW("{\"sessions\": [[1]], \"previous\": {\"when\": 1}}"), "metrics/time/previous: has an unknown key"},
        {KERNEL(", \"metrics\": {\"ti me\": {}}"), "x.json: kernels/a/b/metrics: \"ti me\" is not a metric name"},
        {KERNEL(", \"metrics\": {\"time\": {}, \"time\": {}}"), "duplicate object key"},

        {LAUNCH("1"), "x.json: kernels/a/b/launches/0: must be an object"},
        {LAUNCH("{\"grid\": [1,1]}"), "launches/0/grid: has 2 numbers, not 3"},
        {LAUNCH("{\"grid\": [1,1,0]}"), "launches/0/grid/2: is 0, but must be between 1 and 4294967295"},
        {LAUNCH("{\"grid\": [1,1,4294967296]}"), "launches/0/grid/2: is 4294967296, but"},
        {LAUNCH("{\"grid\": [1,1,1.5]}"), "launches/0/grid/2: must be a whole number, not a real number"},
        {LAUNCH("{\"grid\": [1,1,1], \"block\": [1,1,1]}"), "launches/0/shared: is missing"},
        {LAUNCH("{\"block\": [1,1,1], \"carve_out\": 101, \"grid\": [1,1,1], \"shared\": 0, \"times\": 1}"),
         "launches/0/carve_out: is 101, but must be between 0 and 100"},
        {LAUNCH("{\"thread\": 1}"), "launches/0: has an unknown key \"thread\""},
        {KERNEL("") " {}", "end of file expected"},
    };
    expect_texts(cases, ARRAY_SIZE(cases));
}

Test(run_read, errors_of_machine_code_and_roofs_say_where)
{
    static const struct run_text cases[] = {
        {MACHINE("\"barriers\": 1, \"local\": 0, \"max_threads\": 256, \"registers\": 32, \"shared\": 0"), NULL},
        {MACHINE(""), "x.json: kernels/a/b/launches/0/machine/barriers: is missing"},
        {MACHINE("\"barriers\": -1"), "launches/0/machine/barriers: is -1, but must be between 0 and 4294967295"},
        {MACHINE("\"barriers\": 1, \"local\": 1.5"), "launches/0/machine/local: must be a whole number"},
        {MACHINE("\"barriers\": 1, \"local\": 0, \"max_threads\": 4294967296"), "machine/max_threads: is 4294967296"},
        {MACHINE("\"barriers\": 1, \"local\": 0, \"max_threads\": 0, \"registers\": null"),
         "machine/registers: must be a whole number, not null"},
        {MACHINE("\"barriers\": 1, \"local\": 0, \"max_threads\": 0, \"registers\": 1"),
         "launches/0/machine/shared: is missing"},
        {MACHINE("\"barriers\": 1, \"local\": 0, \"max_threads\": 0, \"registers\": 1, \"shared\": 0, \"tensor\": 1"),
         "launches/0/machine/tensor: must be true or false"},
        {MACHINE("\"register\": 1"), "machine: has an unknown key \"register\"; did you mean \"registers\"?"},
        {LAUNCH("{\"block\": [1,1,1], \"grid\": [1,1,1], \"shared\": 0, \"times\": 1, \"machine\": []}"),
         "launches/0/machine: must be an object, not a list"},

        {ROOFS("{\"dram\": 4.1e12, \"fp16\": 1, \"fp32\": 2, \"fp64\": 3, \"shared\": 4}"), NULL},
        {ROOFS("{}"), NULL},
        {ROOFS("[]"), "x.json: sessions/0/roofs: must be an object, not a list"},
        {ROOFS("{\"fp8\": 1}"), "sessions/0/roofs: has an unknown key \"fp8\""},
        {ROOFS("{\"dram\": -1}"), "sessions/0/roofs/dram: is -1, but must not be negative"},
        {ROOFS("{\"dram\": \"1\"}"), "sessions/0/roofs/dram: must be a number, not a text"},
    };
    expect_texts(cases, ARRAY_SIZE(cases));
}

Test(run_read, errors_of_lines_say_where_and_what)
{
    static const struct run_text cases[] = {
        {LIST(""), NULL},
        {LIST("{\"counts\": {}, \"function\": \"f\", \"offset\": 0, \"stalls\": {}}"), NULL},
        {LIST("{\"counts\": {\"instructions\": 5}, \"file\": \"k.cu\", \"function\": \"f\", \"line\": 41, "
              "\"offset\": 16, \"stalls\": {\"wait\": 2.5}, \"text\": \"x += y;\"}"),
         NULL},
        {KERNEL(", \"estimated_time\": {}"), "needs either \"refused\" alone, or \"ns\" above 0 and \"model\""},
        {KERNEL(", \"estimated_time\": {\"ns\": 5, \"refused\": \"it waits\"}"), "needs either \"refused\" alone"},
        {KERNEL(", \"estimated_time\": {\"busy\": {\"DRAM\": {\"part\": 1}}, \"refused\": \"it waits\"}"),
         "needs either \"refused\" alone"},
        {KERNEL(", \"estimated_time\": {\"ns\": 5, \"low\": 6, \"high\": 9, \"model\": \"1\"}"),
         "has \"ns\" outside \"low\" to \"high\""},
        {KERNEL(", \"estimated_time\": {\"ns\": 5, \"low\": 4, \"high\": 9, \"model\": \"1\", \"moved\": {\"tags\": "
                "{\"part\": 0}}}"),
         "has a \"part\" that is not above 0"},
        {LINES("\"counted\": [], \"launches\": 1, \"period\": 1024, \"list\": []"), NULL},

        {KERNEL(", \"lines\": []"), "x.json: kernels/a/b/lines: must be an object, not a list"},
        {KERNEL(", \"base_lines\": {}"), "x.json: kernels/a/b/base_lines/counted: is missing; it must be a list"},
        {LINES("\"line\": []"), "kernels/a/b/lines: has an unknown key \"line\""},
        {LINES("\"counted\": {}"), "lines/counted: must be a list of counters, not an object"},
        {LINES("\"counted\": [1]"), "lines/counted/0: must be a text, not a number"},
        {LINES("\"counted\": [\"instructions\", \"wishes\"]"),
         "lines/counted/1: is \"wishes\", which is not a counter of a line"},
        {LINES("\"counted\": []"), "lines/launches: is missing"},
        {LINES("\"counted\": [], \"launches\": 1, \"list\": []"), "lines/period: is missing"},
        {LINES("\"counted\": [], \"launches\": 1, \"period\": -1"), "lines/period: is -1, but"},
        {LINES("\"counted\": [], \"launches\": 1, \"period\": 1"), "lines/list: is missing; it must be a list"},
        {LINES("\"counted\": [], \"launches\": 1, \"period\": 0, \"list\": []"),
         "kernels/a/b/lines: says neither which counters were \"counted\" nor the \"period\" of its samples"},
        {LINES("\"counted\": [], \"launches\": 0, \"period\": 1024, \"list\": []"),
         "kernels/a/b/lines: has samples of 0 \"launches\""},
        {LINES("\"counted\": [], \"estimated\": true, \"launches\": 1, \"period\": 1024, \"list\": []"),
         "stalls that were sampled, in each \"period\", and are \"estimated\""},
        {LINES("\"counted\": [\"instructions\"], \"estimated\": true, \"launches\": 0, \"period\": 0, \"list\": []"),
         NULL},

        {LIST("1"), "lines/list/0: must be an object, not a number"},
        {LIST("{\"counts\": {}}"), "lines/list/0/function: is missing"},
        {LIST("{\"counts\": {}, \"function\": \"f\"}"), "lines/list/0/offset: is missing"},
        {LIST("{\"function\": 5}"), "lines/list/0/function: must be a text, not a number"},
        {LIST("{\"function\": \"f\", \"offset\": 4294967296}"), "list/0/offset: is 4294967296, but"},
        {LIST("{" ALL "\"line\": 5}"), "lines/list/0: has a \"line\" but no \"file\""},
        {LIST("{" ALL "\"text\": \"x\"}"), "lines/list/0: has a \"text\" but no \"file\""},
        {LIST("{" ALL "\"file\": \"k.cu\"}"), "lines/list/0/line: is missing"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"file\": \"k.cu\", \"line\": 0}"),
         "lines/list/0/line: is 0, but must be between 1 and 4294967295"},
        {LIST("{\"function\": \"f\", \"offset\": 0}"), "lines/list/0/counts: is missing; it must be an object"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {\"wishes\": 1}}"),
         "lines/list/0/counts: has an unknown key \"wishes\""},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {\"instructions\": -1}}"),
         "lines/list/0/counts/instructions: is -1, but must not be negative"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {}}"), "lines/list/0/stalls: is missing"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {}, \"stalls\": []}"),
         "lines/list/0/stalls: must be an object, not a list"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {}, \"stalls\": {\"Wait\": 1}}"),
         "lines/list/0/stalls: \"Wait\" is not a stall reason: at most 64 of a-z, 0-9 and _"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {}, \"stalls\": {\"\": 1}}"),
         "\"\" is not a stall reason"},
        {LIST("{\"function\": \"f\", \"offset\": 0, \"counts\": {}, \"stalls\": {\"wait\": true}}"),
         "lines/list/0/stalls/wait: must be a number, not true"},
        {LIST("{\"functions\": \"f\"}"), "lines/list/0: has an unknown key \"functions\"; did you mean \"function\"?"},
    };
    expect_texts(cases, ARRAY_SIZE(cases));
}

/* The lines are unsorted, some places come twice, and sums overflow. */
Test(run_read, lines_in_any_order_become_one_each)
{
    static const char text[] =
        LIST("{\"counts\": {\"instructions\": 1e308}, \"file\": \"k.cu\", \"function\": \"f\", \"line\": 41, "
             "\"offset\": 32, \"stalls\": {\"wait\": 1e308}}, "
             "{\"counts\": {\"instructions\": 1}, \"file\": \"k.cu\", \"function\": \"f\", \"line\": 7, "
             "\"offset\": 0, \"stalls\": {}}, "
             "{\"counts\": {\"instructions\": 1e308}, \"file\": \"k.cu\", \"function\": \"f\", \"line\": 41, "
             "\"offset\": 16, \"stalls\": {\"wait\": 1e308}, \"text\": \"x\"}");
    OWNED(run) run;
    cr_assert_eq(run_parse(&run, "x.json", text, strlen(text)), 0);
    const struct profile *profile = &run.results[0].profile;
    cr_assert_eq(profile->count, 2);
    cr_expect_eq(profile->list[0].number, 7);
    cr_expect_eq(profile->list[1].offset, 16);
    cr_expect_str_eq(profile->list[1].text, "x");
    cr_expect_eq(profile->list[1].counts[LINE_INSTRUCTIONS], DBL_MAX);
    cr_expect_eq(profile->list[1].stalls[0].samples, DBL_MAX);
    /* The result that was read can be written. Writing would end this process at a sum that is not finite. */
    OWNED_TEXT line = result_to_line(&run.results[0]);
}

Test(run_read, every_truncation_is_an_error)
{
    static const char whole[] = RUN("\"a/b\": {\"bytes\": 1.5, \"flops\": 0, \"status\": \"ok\", "
                                    "\"launches\": [{\"block\": [1,1,1], \"function\": \"f<\\u00e9>\", "
                                    "\"grid\": [1,1,1], \"shared\": 0, \"times\": 1}], "
                                    "\"lines\": {\"counted\": [\"instructions\"], \"launches\": 2, \"list\": ["
                                    "{\"counts\": {\"instructions\": 5}, \"file\": \"k.cu\", \"function\": \"f\", "
                                    "\"line\": 1, \"offset\": 0, \"stalls\": {\"wait\": 1}}], \"period\": 1024}, "
                                    "\"metrics\": {\"hits\": {\"state\": \"not counted\"}, "
                                    "\"time\": {\"sessions\": [[1, 2.5e3], [3]]}}}");
    struct run run;
    cr_assert_eq(run_parse(&run, "x.json", whole, strlen(whole)), 0);
    run_release(&run);
    for (size_t cut = 0; cut < strlen(whole); cut++) {
        HEAR(result, run_parse(&run, "x.json", whole, cut));
        cr_expect_eq(result, -1, "the first %zu bytes were taken for a whole file", cut);
        cr_expect_gt(strlen(said), strlen("cugate: error: x.json"));
    }
}

Test(run_read, a_long_name_is_refused)
{
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    name[10] = '/';
    OWNED_TEXT text = x_sprintf("{" DEVICE ", \"kernels\": {\"%s\": {}}" REST, name);
    struct run run;
    HEAR(result, run_parse(&run, "x.json", text, strlen(text)));
    cr_expect_eq(result, -1);
    expect_word(said, "is not a kernel");
    cr_expect_lt(strlen(said), 250);
}

/* Files of a few megabytes that would make a naive reader allocate gigabytes, or run for hours. */
Test(run_read, hostile_files_cost_little)
{
    size_t size = 8u << 20;
    OWNED_TEXT text = x_calloc(size, 1);
    static const char *const patterns[] = {"[", "{\"a\":", "[],", "0,", "\"\",", "\"\\"};
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        size_t length = strlen(patterns[i]);
        for (size_t j = 0; j + length < size; j += length)
            memcpy(text + j, patterns[i], length);
        struct run run;
        HEAR(result, run_parse(&run, "x.json", text, size - 1));
        cr_expect_eq(result, -1);
        expect_word(said, "x.json");
        cr_expect_lt(strlen(said), 500);
    }
}

Test(run_read, kernels_in_any_order_are_sorted_at_once)
{
    enum { KERNELS = 50000 };
    OWNED_TEXT text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    fprintf(stream, "{" DEVICE ", \"kernels\": {");
    for (int i = KERNELS; i-- > 0;)
        fprintf(stream, "\"f/v%05d\": {\"bytes\": %d, \"flops\": 0, \"status\": \"ok\"}%s", i, i, i ? "," : "");
    fprintf(stream, "}" REST);
    fclose(stream);
    OWNED(run) run;
    cr_assert_eq(run_parse(&run, "x.json", text, length), 0);
    cr_assert_eq(run.result_count, KERNELS);
    for (int i = 0; i < KERNELS; i++)
        cr_assert_eq(run.results[i].bytes, i);
    cr_expect_eq(run_find(&run, "f/v00042")->bytes, 42);
}

/* Each reason is inserted in its place among the others, which would take hours for a million. */
Test(run_read, stall_reasons_without_end_are_refused)
{
    static const char *const words[] = {NULL, "lines/list/0/stalls: has 257 reasons; no GPU has more than 256",
                                        "lines: has more than 256 stall reasons"};
    for (int count = 256; count <= 258; count++) {
        OWNED_TEXT text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        fprintf(stream,
                "{" DEVICE ", \"kernels\": {\"a/b\": {\"bytes\": 0, \"flops\": 0, \"status\": \"ok\", \"lines\": "
                "{\"counted\": [], \"launches\": 1, \"period\": 1024, \"list\": [{\"counts\": {}, "
                "\"function\": \"f\", \"offset\": 0, \"stalls\": {");
        for (int i = count; i-- > 0;)
            fprintf(stream, "\"r%03d\": 1%s", i,
                    !i                       ? ""
                    : count == 258 && i == 9 ? "}}, {\"counts\": {}, \"function\": \"g\", \"offset\": 0, \"stalls\": {"
                                             : ", ");
        fprintf(stream, "}}]}}}" REST);
        fclose(stream);
        expect_texts(&(struct run_text){text, words[count - 256]}, 1);
    }
}

Test(run_read, run_read_refuses_what_is_no_run_file)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT empty = scratch_file(folder, "empty.json", "");
    OWNED_TEXT missing = x_sprintf("%s/missing.json", folder);
    OWNED_TEXT large = scratch_file(folder, "large.json", "");
    FILE *file = fopen(large, "w");
    cr_assert_eq(fseek(file, RUN_FILE_LIMIT, SEEK_SET), 0);
    fputc('x', file);
    fclose(file);
    OWNED_TEXT nowhen = scratch_file(folder, "nowhen.json",
                                     "{" DEVICE ", \"schema\": 1, \"sessions\": [], \"metrics\": {}, \"kernels\": {}}");
    const struct {
        const char *path, *words;
    } cases[] = {
        {nowhen, "sessions: names no session"}, {empty, "is empty"}, {missing, "No such file"}, {folder, "is a folder"},
        {large, "more than the limit"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run run;
        HEAR(result, run_read(&run, cases[i].path));
        cr_expect_eq(result, -1);
        cr_expect(strstr(said, cases[i].path) && strstr(said, cases[i].words), "%s", said);
    }
}

Test(run_read, several_files_are_read_or_none)
{
    const char *paths[] = {"tests/cli/made_up/before.json", "tests/cli/made_up/worse.json",
                           "tests/cli/made_up/same.json"};
    struct run runs[ARRAY_SIZE(paths)], alone;
    cr_assert_eq(runs_read(runs, paths, ARRAY_SIZE(paths)), 0);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        cr_assert_eq(run_read(&alone, paths[i]), 0);
        cr_expect_eq(runs[i].result_count, alone.result_count, "%s", paths[i]);
        cr_expect_str_eq(run_fact(&runs[i], SESSION_DATE), run_fact(&alone, SESSION_DATE), "%s", paths[i]);
        run_release(&alone);
        run_release(&runs[i]);
    }
    paths[1] = "/no/such.json";
    HEAR(result, runs_read(runs, paths, ARRAY_SIZE(paths)));
    cr_expect_eq(result, -1);
    expect_word(said, "/no/such.json");
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        cr_expect_eq(runs[i].result_count, 0);
}
