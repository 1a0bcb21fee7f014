/* Gives kernels of one name the numbers that another run gave to the same code, and a kernel whose launch changed the
 * name that it has in the run. */
#include "exact_counters.h"
#include "program_row.h"

/* Whether ids differ in nothing but their number: "f@1,32" and "f@1,32#2". */
static bool are_namesakes(const char *a, const char *b)
{
    const size_t length = strcspn(a, "#");
    return strcspn(b, "#") == length && strncmp(a, b, length) == 0;
}

static bool has_place(const struct result *now, const struct run *like)
{
    const struct result *base = run_find(like, now->id);
    return base && same_code(base, now);
}

/* Exchanges all of two results but their ids. */
static void exchange(struct result *a, struct result *b)
{
    const struct result kept = *a;
    char *const id = b->id;
    *a = *b;
    *b = kept;
    a->id = kept.id;
    b->id = id;
}

void run_number_like(struct run *run, const struct run *like)
{
    for (size_t i = 0, begin = 0; i < run->result_count; i++) {
        struct result *now = &run->results[i];
        const struct result *base = run_find(like, now->id);
        begin = are_namesakes(run->results[begin].id, now->id) ? begin : i;
        if (!base || same_code(base, now))
            continue;
        for (size_t k = begin; k < run->result_count && are_namesakes(run->results[k].id, now->id); k++)
            if (same_code(base, &run->results[k]) && !has_place(&run->results[k], like)) {
                exchange(now, &run->results[k]);
                break;
            }
    }
}

/* What two kernels have in common, the closest first. */
enum likeness {
    LIKE_FUNCTION, /* the function, which may have another name by now, in another shape */
    LIKE_NAME,     /* the shape, and the name but for arguments of a template: one of them is none */
    LIKE_SHAPE,    /* the shape alone: its function is another one */
    LIKENESSES,
};

/* Whether it is launched in one shape, and may be that one under another name. */
static bool is_like(const struct result *result, const struct result *like, enum likeness likeness)
{
    const size_t name = strcspn(like->id, "<@");
    const char *shapes[] = {strrchr(result->id, '@'), strrchr(like->id, '@')};
    if (result->status != RESULT_OK || result->launch_count != 1 || !shapes[0] || !shapes[1] ||
        program_is_of_shapes(result->id) || !is_of_family(result->id, like->id))
        return false;
    if (likeness == LIKE_FUNCTION)
        return strcmp(result->launches[0].function, like->launches[0].function) == 0 || same_code(result, like);
    return strcmp(shapes[0], shapes[1]) == 0 &&
           (likeness == LIKE_SHAPE || (strncmp(result->id, like->id, name) == 0 && strcspn(result->id, "<@") == name));
}

/* Returns the only kernel like that one which the run has and the other one lacks; NULL: there is none, or several.
 * Which of several functions became which only their names tell. */
static struct result *only_one(const struct run *among, const struct run *lacking, const struct result *like,
                               enum likeness likeness)
{
    struct result *found = NULL;
    EACH(struct result, one, among->results, among->result_count) {
        const bool is = is_like(one, like, likeness), any = likeness == LIKE_SHAPE && is_kernel_of(one->id, like->id);
        if ((!is && !any) || run_find(lacking, one->id))
            continue;
        if (found || !is)
            return NULL;
        found = one;
    }
    return found;
}

void run_rename_former(struct run *run, const struct run *baseline)
{
    for (size_t i = 0; i < baseline->result_count; i++) {
        const struct result *base = &baseline->results[i];
        struct result *one = base->former_id && !run_find(run, base->id) ? run_find(run, base->former_id) : NULL;
        if (!one)
            continue;
        free(one->id);
        one->id = x_strdup(base->id);
        qsort(run->results, run->result_count, sizeof *run->results, by_text);
    }
}

/* Whether a kernel of another function executes at least half as many instructions: it may do the same work. */
static bool does_as_much(const struct result *now, const struct result *base, const struct metrics *metrics)
{
    const struct metric *metric = FIND(one, metrics->list, metrics->count, exact_counter_of(one) == EXACT_INSTRUCTIONS);
    return metric && result_measured(now, metric->name) && result_measured(base, metric->name) &&
           2 * result_value(now, metric->name) >= result_value(base, metric->name);
}

/* Gives each kernel that is gone the name of the one that came in its place. */
static void follow(struct run *baseline, const struct run *run, const struct metrics *metrics, enum likeness likeness)
{
    EACH(struct result, now, run->results, run->result_count) {
        struct result *base = now->launch_count == 1 && only_one(run, baseline, now, likeness) == now
                                  ? only_one(baseline, run, now, likeness)
                                  : NULL;
        if (!base || (likeness == LIKE_NAME && strchr(base->id, '<') && strchr(now->id, '<')) ||
            (likeness != LIKE_FUNCTION && !does_as_much(now, base, metrics)) || !program_of(baseline, now->id) ||
            !program_of(run, now->id) || program_launches(metrics, base) != program_launches(metrics, now))
            continue;
        base->former_id = base->id;
        base->id = x_strdup(now->id);
        SORT(baseline->results, baseline->result_count, by_text);
    }
}

void run_follow_launches(struct run *baseline, const struct run *run, const struct metrics *metrics)
{
    for (enum likeness like = 0; like < LIKENESSES && run_origin(run)->own_caches; like++)
        follow(baseline, run, metrics, like);
}
