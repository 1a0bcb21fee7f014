#include "model/metric.h"
#include "test.h"

#define BODY "title = T\ncounter = c.sum\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n"

/* Each test has a process of its own, and so these of its own. */
static char *root, *shipped, *own;

static char *put_folder(const char *parent, const char *name)
{
    char *path = x_sprintf("%s/%s", parent, name);
    cr_assert_eq(make_folders(path), 0);
    return path;
}

static void begin(void)
{
    root = scratch_make();
    shipped = put_folder(root, "shipped");
    own = put_folder(root, "own");
    free(scratch_file(shipped, "core.ini", "[m1]\n" BODY));
    free(scratch_file(shipped, "tensor.ini", "; of few\noptional = yes\n[t1]\n" BODY "weight = m1\n"));
}

static void end(void)
{
    free(shipped);
    free(own);
    scratch_remove(root);
}

TestSuite(metric_sets, .init = begin, .fini = end);

/* Returns the metrics that are read, "m1 t1", or the error message. */
static char *read_sets(const char *first, const char *second)
{
    OWNED(metrics) metrics;
    char *sets[] = {(char *)first, (char *)second};
    capture_begin();
    const int result = metrics_read_sets(&metrics, shipped, sets, (size_t)(first != NULL) + (second != NULL), shipped);
    char *words = capture_end();
    if (result < 0) {
        cr_expect_eq(metrics.count, 0);
        cr_expect_null(metrics.list);
        return words;
    }
    cr_expect_str_empty(words);
    for (size_t i = 0; i < metrics.count; i++)
        x_append(&words, " ", "%s", metrics.list[i].name);
    return words;
}

static void expect_names(const char *first, const char *second, const char *names)
{
    OWNED_TEXT found = read_sets(first, second);
    cr_expect_str_eq(found, names);
}

static void expect_refused(const char *first, const char *words)
{
    OWNED_TEXT said = read_sets(first, NULL);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
}

Test(metric_sets, sets_are_added_to_a_folder)
{
    free(scratch_file(own, "a.ini", "[own]\n" BODY "weight = m1\n"));
    OWNED_TEXT file = scratch_file(root, "one.ini", "optional = yes\n[one]\n" BODY);
    expect_names(NULL, NULL, "m1");
    expect_names(own, NULL, "m1 own");
    expect_names("tensor", NULL, "m1 t1");
    expect_names(own, "tensor", "m1 own t1");
    expect_names("tensor", own, "m1 t1 own");
    expect_names(file, NULL, "m1 one");
}

Test(metric_sets, the_same_twice_is_once)
{
    free(scratch_file(own, "a.ini", "[m1]\n" BODY));
    expect_names(own, "core", "m1");
    expect_names("tensor", "tensor", "m1 t1");
}

static void expect_another(const char *where, const char *section, const char *key)
{
    (void)where;
    free(scratch_file(own, "a.ini", section));
    OWNED_TEXT words = x_sprintf("own/a.ini:1: [m1] is also defined at %s/core.ini:1, with another %s: ", shipped, key);
    expect_refused(own, words);
}

TEXTS(metric_sets, another_definition_of_a_name_is_refused_with_both_places, "tests/unit/model/metric_sets.txt",
      expect_another)

Test(metric_sets, what_is_no_set_is_refused)
{
    expect_refused(own, "own has no metric files (*.ini)");
    expect_refused("tensr", "+tensr: no such folder or file; did you mean +tensor? There are core, tensor");
    expect_refused("no/tensor", "+no/tensor: no such folder or file");
    free(scratch_file(own, "rare.ini", "optional = yes\n[r]\n" BODY));
    expect_refused(own, "are all optional or empty: add one with --metrics +");
    free(scratch_file(own, "a.ini", "[own]\n" BODY "weight = m9\n"));
    expect_refused(own, "[own] is weighed by \"m9\", but no section has that name");
}

Test(metric_sets, what_an_optional_file_has_is_known_to_be_optional)
{
    struct metrics metrics;
    char *set = "tensor";
    cr_assert_eq(metrics_read_sets(&metrics, "metrics", &set, 1, "metrics"), 0);
    cr_expect(metrics_find(&metrics, "tensor_active")->optional);
    cr_expect_not(metrics_find(&metrics, "time")->optional);
    metrics_release(&metrics);
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    cr_expect_null(metrics_find(&metrics, "tensor_active"));
    metrics_release(&metrics);
}
