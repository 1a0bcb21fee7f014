#include "command/from_check.h"
#include "test.h"

#define ROW(kernel, metric, verdict, base, now)                                                                        \
    "{\"kernel\": \"" kernel "\", \"metric\": " metric ", \"verdict\": \"" verdict "\", \"base\": " base               \
    ", \"now\": " now "},"

/* Reads a report with these judgements. Returns the kernels, a line each, or what was wrong. Caller frees. */
static char *chosen(const char *report)
{
    struct problem problem = {""}, *before = error_into(&problem);
    char *folder = scratch_make(), *path = scratch_file(folder, "report.json", report), **kernels = NULL, *text = NULL;
    size_t count = 0, size = 0;
    const int result = from_check_read(path, &kernels, &count);
    FILE *stream = open_memstream(&text, &size);
    error_into(before);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%s\n", kernels[i]);
        free(kernels[i]);
    }
    cr_expect_eq(result < 0, count == 0, "%s", report);
    fputs(problem.text, stream);
    fclose(stream);
    free(kernels);
    free(path);
    scratch_remove(folder);
    return text;
}

static void expect_chosen(const char *rows, const char *wanted)
{
    OWNED_TEXT report = x_sprintf("{\"schema\": 1, \"judgements\": [%s{}]}", rows), *got = chosen(report);
    cr_expect_str_eq(got, wanted, "%s", rows);
}

static void expect_wrong(const char *report, const char *wanted)
{
    OWNED_TEXT got = chosen(report);
    cr_expect(strstr(got, wanted), "%s: %s", report, got);
}

Test(from_check, what_is_regressed_is_chosen_once)
{
    static const char rows[] = ROW("app/a@1,32", "\"time\"", "regressed", "1", "2")
        ROW("app/b@1,32", "\"time\"", "same", "1", "2") ROW("app/a@1,32", "\"launches\"", "regressed", "1", "2")
            ROW("app/graph:a+b~12345678", "\"time\"", "regressed", "1", "2");
    expect_chosen(rows, "app/a@1,32\n");
}

/* By 1 % of its time at least, or by something that is new. */
Test(from_check, where_the_program_is_slower_what_made_it_so_is_chosen)
{
    static const char rows[] = ROW("app/more@1,32", "\"gpu_time\"", "info", "10", "20")
        ROW("app/little@1,32", "\"gpu_time\"", "info", "10", "19")
            ROW("app/less@1,32", "\"gpu_time\"", "info", "20", "10")
                ROW("app/gone@1,32", "\"gpu_time\"", "info", "20", "null")
                    ROW("app/new@1,32", "null", "new", "null", "null");
    OWNED_TEXT slower = x_sprintf("%s%s", ROW("app/program", "\"gpu_time\"", "regressed", "500", "1000"), rows);
    expect_chosen(slower, "app/more@1,32\napp/new@1,32\n");
    OWNED_TEXT as_before = x_sprintf("%s%s%s", ROW("app/program", "\"gpu_time\"", "same", "1000", "1000"), rows,
                                     ROW("app/a@1,32", "\"time\"", "regressed", "1", "2"));
    expect_chosen(as_before, "app/a@1,32\n");
}

Test(from_check, what_is_no_report_or_chooses_nothing_is_an_error)
{
    expect_wrong("{\"judgements\": []}", "report.json has no worse kernels");
    expect_wrong("{\"kernels\": {}}", "judgements: is missing; it must be a list");
    expect_wrong("{\"judgements\": {}}", "judgements: must be a list");
    expect_wrong("[]", "must be an object");
    expect_wrong("{", "report.json");
    expect_wrong("{\"judgements\": [1, null, {\"kernel\": 5, \"verdict\": []}]}", "has no worse kernels");
}
