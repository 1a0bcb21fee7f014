#include "occupancy_gap.h"

#define GAP_SHARE 0.95    /* if at least this share of the warps that fit was active, none is said to be missing */
#define GAP_SHORT_NS 5000 /* below this, starting and ending a launch matters: it takes one or two microseconds */

static const char *const gap_names[GAPS] = {
    [GAP_UNKNOWN] = "unknown",           [GAP_NONE] = "none",
    [GAP_FEW_BLOCKS] = "few_blocks",     [GAP_TAIL] = "tail",
    [GAP_SHORT_KERNEL] = "short_kernel", [GAP_SHORT_BLOCKS] = "short_blocks",
    [GAP_IMBALANCE] = "imbalance",
};

const char *explained_gap_name(enum explained_gap gap)
{
    return gap_names[gap];
}

/* Multiplies extents as doubles, because those in a file may be huge. */
static double product(const unsigned extents[3])
{
    return (double)extents[0] * extents[1] * extents[2];
}

static double work(const struct explained_launch *launch)
{
    return launch->blocks * launch->threads * launch->launch->times;
}

/* Adds the changes with which more warps would fit. A smaller block helps against registers too, since they are
 * allocated to whole blocks. */
static void add_steps(const struct explanation *explanation, struct explained_launch *launch)
{
    const int capability = static_facts_capability(&explanation->run->device);
    static const enum occupancy_limit resources[EXPLAIN_STEPS] = {
        OCCUPANCY_REGISTERS, OCCUPANCY_SHARED_MEMORY, OCCUPANCY_THREADS, OCCUPANCY_BLOCKS, OCCUPANCY_BARRIERS};
    const struct occupancy_launch takes = static_facts_of_launch(launch->launch);
    unsigned limits = launch->occupancy.limits;
    if (limits & OCCUPANCY_REGISTERS)
        limits |= OCCUPANCY_THREADS;
    for (size_t i = 0; i < ARRAY_SIZE(resources); i++)
        if (limits & resources[i] &&
            occupancy_step(&launch->steps[launch->step_count], capability, &takes, resources[i]))
            launch->step_count++;
}

static bool takes_the_same(const struct launch *a, const struct launch *b)
{
    const char *one = a->function ? a->function : "", *other = b->function ? b->function : "";
    return strcmp(one, other) == 0 && memcmp(a->block, b->block, sizeof a->block) == 0 && a->shared == b->shared &&
           a->has_machine == b->has_machine &&
           (!a->has_machine || memcmp(&a->machine, &b->machine, sizeof a->machine) == 0);
}

/* Looks only among the first launches, since a file may have any number. */
static size_t first_like(const struct explanation *explanation, size_t place)
{
    for (size_t i = 0; i < place && i < EXPLAIN_LAUNCHES; i++)
        if (takes_the_same(explanation->launches[i].launch, explanation->launches[place].launch))
            return i;
    return place;
}

static void add_launch(struct explanation *explanation, const struct launch *launch)
{
    const struct device *device = &explanation->run->device;
    const int capability = static_facts_capability(device);
    const size_t place = explanation->launch_count;
    struct explained_launch *explained = ARRAY_GROW(explanation->launches, explanation->launch_count);
    *explained = (struct explained_launch){
        .launch = launch,
        .threads = product(launch->block),
        .blocks = product(launch->grid),
        .capacity = NAN,
        .waves = NAN,
    };
    explained->same_as = first_like(explanation, place);
    const struct occupancy_launch takes = static_facts_of_launch(launch);
    explained->known = launch->has_machine && occupancy_of(&explained->occupancy, capability, &takes);
    if (!explained->known)
        return;
    const double capacity = (double)explained->occupancy.blocks * (double)device->sm_count;
    if (capacity > 0) {
        explained->capacity = capacity;
        explained->waves = explained->blocks / capacity;
    }
}

static enum explained_gap gap_of(const struct explanation *explanation)
{
    const struct explained_launch *largest = explanation->largest;
    if (!largest || !largest->known || isnan(largest->waves) || isnan(explanation->achieved))
        return GAP_UNKNOWN;
    const double fits = largest->occupancy.percent;
    const double time = roofline_value(explanation->result, "time");
    if (explanation->achieved >= GAP_SHARE * fits)
        return GAP_NONE;
    if (largest->waves < 1)
        return GAP_FEW_BLOCKS;
    const double tail = 1 - largest->waves / ceil(largest->waves); /* empty slots for blocks, as a share of all waves */
    if (tail * fits >= (fits - explanation->achieved) / 2)
        return GAP_TAIL;
    if (isnan(time))
        return GAP_UNKNOWN;
    if (time < GAP_SHORT_NS * explanation->launches_in_all)
        return GAP_SHORT_KERNEL;
    return time / largest->waves < GAP_SHORT_NS ? GAP_SHORT_BLOCKS : GAP_IMBALANCE;
}

void explain_launches(struct explanation *explanation)
{
    for (size_t i = 0; i < explanation->result->launch_count; i++)
        add_launch(explanation, &explanation->result->launches[i]);
    struct explained_launch *largest = explanation->launches;
    for (size_t i = 0; i < explanation->launch_count; i++)
        if (work(&explanation->launches[i]) > work(largest))
            largest = &explanation->launches[i];
    for (size_t i = 0; i < explanation->launch_count; i++)
        if (explanation->launches[i].known && (i < EXPLAIN_LAUNCHES || &explanation->launches[i] == largest))
            add_steps(explanation, &explanation->launches[i]);
    explanation->largest = largest;
    explanation->achieved = roofline_value(explanation->result, "achieved_occupancy");
    for (size_t i = 0; i < explanation->launch_count; i++)
        explanation->launches_in_all += explanation->launches[i].launch->times;
    explanation->gap = gap_of(explanation);
}
