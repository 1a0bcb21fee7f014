#include "import_support.h"
#include "test.h"

void import_begin(struct imported *imported, const char *format, const char *gpu, const char *text)
{
    *imported = (struct imported){0};
    OWNED_TEXT definitions = file_text("tests/unit/import/import.ini");
    cr_assert_eq(metrics_read_text(&imported->metrics, "x.ini", definitions), 0);
    const struct import_request request = {import_format_find(format), &imported->metrics, gpu};
    capture_begin();
    imported->result = import_text(&imported->run, &request, "x", text, strlen(text), import_date);
    imported->said = capture_end();
}

void import_end(struct imported *imported)
{
    run_release(&imported->run);
    metrics_release(&imported->metrics);
    free(imported->said);
}

/* Returns "KERNEL: METRIC SAMPLES, METRIC STATE (REASON); KERNEL STATUS (REASON)". Caller frees. */
static char *told(const struct run *run)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        fprintf(out, "%s%s", i > 0 ? "; " : "", result->id);
        if (result->status != RESULT_OK)
            fprintf(out, " %s (%s)", result_status_name(result->status), result->reason);
        for (size_t k = 0; k < result->row_count; k++) {
            const struct row *row = &result->rows[k];
            fprintf(out, "%s %s", k > 0 ? "," : ":", row->metric);
            for (size_t n = 0; row->session_count > 0 && n < row->sessions[0].count; n++)
                fprintf(out, " %.17g", row->sessions[0].samples[n]);
            if (row->state != VALUE_MEASURED)
                fprintf(out, " %s", value_state_name(row->state));
            if (row->reason)
                fprintf(out, " (%s)", row->reason);
        }
    }
    fclose(out);
    return text;
}

static const char *imported_format, *imported_gpu;

static void expect_import(const char *where, const char *text, const char *words)
{
    WITH(import_end, struct imported imported, import_begin(&imported, imported_format, imported_gpu, text));
    OWNED_TEXT kernels = told(&imported.run);
    cr_expect(imported.result == 0 ? strcmp(kernels, words) == 0 : strstr(imported.said, words) != NULL, "%s: %s%s",
              where, imported.said, kernels);
    cr_expect(imported.result == 0 || imported.run.result_count + imported.run.session_count == 0,
              "%s: the run is not empty", where);
}

void import_texts(const char *path, const char *format, const char *gpu)
{
    imported_format = format;
    imported_gpu = gpu;
    each_text(path, expect_import);
}

void import_expect_error(const char *format, const char *gpu, const char *text, const char *words)
{
    WITH(import_end, struct imported imported, import_begin(&imported, format, gpu, text));
    cr_expect_eq(imported.result, -1, "%s: was taken", words);
    cr_expect(strstr(imported.said, words), "\"%s\" lacks \"%s\"", imported.said, words);
    cr_expect_eq(imported.run.result_count + imported.run.session_count, 0, "%s: the run is not empty", words);
}

void import_expect_samples(const struct imported *imported, const char *id, const char *metric, const double *samples,
                           size_t count)
{
    const struct row *row = made_row(&imported->run, id, metric);
    cr_assert_eq(row->state, VALUE_MEASURED, "%s of %s: %s", metric, id, row->reason);
    cr_assert_eq(row->sessions[0].count, count, "%s of %s has %zu samples", metric, id, row->sessions[0].count);
    for (size_t i = 0; i < count; i++)
        cr_expect(row->sessions[0].samples[i] == samples[i], "%s of %s: sample %zu is %.17g", metric, id, i,
                  row->sessions[0].samples[i]);
}
