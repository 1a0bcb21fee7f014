#include "referee.h"

#include <unistd.h>

/* ---- Inputs ---- */

/* Whether the task has the kernels that are asked for, and their names can take the number of their inputs. */
static int check_task(const struct referee_request *request)
{
    OWNED(capsules) task = {0};
    struct problem problem;
    if (capsules_open(&task, request->task, false, &problem) < 0)
        return error("%s", problem.text);
    for (size_t i = 0; i < task.count; i++)
        if (strlen(task.list[i].id) + strlen(DRAWN_SUFFIX) > NAME_LENGTH - 1)
            return error(
                "the name of %s is too long, because its inputs need a number: capture it with a shorter --name",
                task.list[i].id);
    return capsules_check_globs(&task, request->swap.globs, request->swap.glob_count);
}

static bool is_chosen(const struct referee_request *request, const char *id)
{
    return glob_any(request->swap.globs, request->swap.glob_count, id);
}

int referee_draw(struct referee_inputs *inputs, const struct referee_request *request)
{
    const struct draws draws = {
        .measurement = &request->measurement,
        .globs = request->swap.globs,
        .glob_count = request->swap.glob_count,
        .count = request->draws,
        .seed = (uint64_t)request->seed,
        .nans = !(request->allowed & ALLOW_NAN),
        .narrow = request->allowed & ALLOW_PRECISION,
        .keep = request->keep,
        .tolerance = request->swap.tolerance,
        .type = request->swap.type,
    };
    struct prove *drawing = &inputs->drawing;
    *inputs = (struct referee_inputs){0};
    if (check_task(request) < 0 || !(inputs->folder = make_temporary_folder()))
        return EXIT_USAGE;
    inputs->path = x_sprintf("%s/task.capsule", inputs->folder);
    *drawing = (struct prove){
        .from = request->task,
        .to = inputs->path,
        .draws = &draws,
        .timeout = request->measurement.timeout,
        .progress = request->measurement.progress,
    };
    const int code = measure_prove(drawing);
    drawing->draws = NULL;
    if (code != EXIT_SAME || drawing->kept > 0)
        return code;
    for (size_t i = 0; i < drawing->count; i++)
        if (is_chosen(request, drawing->results[i].id))
            error("%s cannot be judged on other inputs: %s", drawing->results[i].id, drawing->results[i].refused);
    return EXIT_UNSURE;
}

void referee_inputs_release(struct referee_inputs *inputs)
{
    prove_release(&inputs->drawing);
    if (inputs->folder)
        remove_temporary_folder(inputs->folder);
    free(inputs->path);
}

/* ---- Certificates ---- */

/* Whether all code that the kernel launched is known to add and multiply no halves, or no float32. */
static bool has_no_halves(const struct result *result)
{
    return result->launch_count > 0 && ALL(i, result->launch_count, result->launches[i].machine.no_halves);
}

static bool has_no_singles(const struct result *result)
{
    return result->launch_count > 0 && ALL(i, result->launch_count, result->launches[i].machine.no_singles);
}

/* Adds the arrays that the launch may read. */
static void add_inputs(struct certificate_facts *facts, struct certificate_input *inputs, const struct drawn *drawn)
{
    EACH(const struct drawn_array, array, drawn->arrays, drawn->count) {
        const bool is_size = array->kind == DRAWN_SIZE && array->way < DRAW_KEPT;
        if (array->size == 0)
            continue;
        struct certificate_input *input = &inputs[facts->input_count++];
        *input = (struct certificate_input){
            .argument = array->argument,
            .bytes = array->size,
            .kept = array->way == DRAW_KEPT ? drawn_kind_name(array->kind) : NULL,
            .moves = array->effect == EFFECT_SEEN,
            .within = array->effect == EFFECT_WITHIN,
            .asked = array->asked,
            .of_grid = array->of_grid,
            .reorders = array->reorders,
            .multiple = (array->value | array->drawn) & -(array->value | array->drawn),
        };
        if (array->is_scalar)
            drawn_value_text(input->value, array->value, array->size);
        if (is_size)
            drawn_value_text(input->size, array->drawn, array->size);
        for (unsigned k = 0; k < DRAWN_PARTS && array->in_parts; k++)
            input->parts[k] = array->parts >> k & 1 ? '1' : '0';
    }
    facts->inputs = inputs;
}

/* What holds of the candidate: the options, or what the task says. */
static void add_tolerance(struct certificate_facts *facts, const struct capsules *candidate)
{
    for (size_t i = 0; i < candidate->count; i++)
        if (drawn_name_is_of(candidate->list[i].id, facts->kernel)) {
            facts->tolerance = candidate->list[i].tolerance;
            facts->type = value_type_name(candidate->list[i].type);
        }
}

/* What is read for the certificates of a candidate. */
struct certifying {
    const struct referee_request *request;
    struct referee_result *refereed;
    struct capsules candidate, base;
    double gains;          /* sum of ln(time of the reference / time of the candidate) */
    size_t timed, untimed; /* of how many launches, and of how many it is not known */
};

/* Returns the time of a launch, estimated where it was computed; NAN: it is not known. */
static double time_of(const struct certifying *certifying, const struct result *result)
{
    if (certifying->request->way == ORIGIN_COMPUTED)
        return result && result->estimated ? result->estimated->ns : NAN;
    return result_value(result, "time");
}

static void add_gain(struct certifying *certifying, const struct result *now, const struct result *base)
{
    const double gain = log(time_of(certifying, base) / time_of(certifying, now));
    if (isfinite(gain)) {
        certifying->gains += gain;
        certifying->timed++;
    } else {
        certifying->untimed++;
    }
}

static void certify(struct certifying *certifying, const struct proof_result *drawn)
{
    struct certificate_input inputs[DRAWN_MOST] = {{0}};
    struct referee_result *refereed = certifying->refereed;
    const struct check *check = &refereed->check;
    struct certificate_facts facts = {
        .kernel = drawn->id,
        .undrawn = drawn->refused,
        .filled = drawn->drawn.filled,
        .unfilled = drawn->unfilled,
        .uncounted = drawn->uncounted,
        .overflows = drawn->overflows,
        .loose = drawn->loose,
        .undecided = drawn->undecided,
        .undecided_argument = drawn->of_argument,
        .allowed = certifying->request->allowed,
    };
    EACH(const struct capsule, one, certifying->base.list, certifying->base.count)
        facts.wanted += drawn_name_is_of(one->id, drawn->id);
    if (!drawn->refused && facts.wanted < 1 + certifying->request->draws)
        facts.wanted = 1 + certifying->request->draws; /* a draw that was lost is not run */
    add_inputs(&facts, inputs, &drawn->drawn);
    add_tolerance(&facts, &certifying->candidate);
    refereed->tolerance = facts.tolerance;
    refereed->type = facts.type;
    EACH(const struct result, now, check->run.results, check->run.result_count) {
        size_t count = facts.count, executed = facts.count;
        if (!drawn_name_is_of(now->id, drawn->id))
            continue;
        const struct result *base = run_find(&check->baseline, now->id);
        facts.no_halves |= has_no_halves(now);
        facts.no_singles |= has_no_singles(now);
        facts.base_no_halves |= base && has_no_halves(base);
        facts.base_no_singles |= base && has_no_singles(base);
        *ARRAY_GROW(facts.now, count) = now;
        *ARRAY_GROW(facts.executed, executed) =
            certifying->request->way == ORIGIN_COMPUTED ? now : run_find(&refereed->cross_checked, now->id);
        *ARRAY_GROW(facts.base, facts.count) = base;
        if (drawn_name_has_speed(now->id))
            add_gain(certifying, now, base);
    }
    *ARRAY_GROW(refereed->certificates, refereed->certificate_count) = certificate_make(&facts);
    free(facts.base);
    free(facts.executed);
    free(facts.now);
}

/* ---- The verdict ---- */

/* Judges each kernel, and all together. -1 after error(). */
static int certify_all(struct referee_result *refereed, const struct referee_request *request,
                       const struct referee_inputs *inputs)
{
    struct certifying certifying = {.request = request, .refereed = refereed};
    size_t with;
    struct problem problem;
    int failed = capsules_open(&certifying.candidate, refereed->request.measurement.kernels, false, &problem);
    if (failed == 0)
        failed = capsules_open(&certifying.base, refereed->request.against, false, &problem);
    if (failed < 0)
        error("%s", problem.text);
    for (size_t i = 0; i < inputs->drawing.count && failed == 0; i++)
        if (is_chosen(request, inputs->drawing.results[i].id))
            certify(&certifying, &inputs->drawing.results[i]);
    capsules_release(&certifying.candidate);
    capsules_release(&certifying.base);
    refereed->outcome = certificates_worst(refereed->certificates, refereed->certificate_count, &with);
    refereed->exit_code = refereed->outcome == CERTIFICATE_REFUSED     ? EXIT_NOT_MEASURED
                          : refereed->outcome == CERTIFICATE_UNDECIDED ? EXIT_UNSURE
                                                                       : check_exit_code(&refereed->check);
    const bool passed = refereed->outcome <= CERTIFICATE_ALLOWED && refereed->exit_code != EXIT_NOT_MEASURED;
    refereed->score = !passed ? 0
                      : certifying.untimed > 0 || certifying.timed == 0
                          ? NAN
                          : exp(certifying.gains / (double)certifying.timed);
    return failed;
}

int referee_judge(struct referee_result *refereed, const struct referee_request *request,
                  const struct referee_inputs *inputs)
{
    *refereed = (struct referee_result){.request = {.metrics = request->metrics,
                                                    .measurement = request->measurement,
                                                    .way = request->way,
                                                    .all = true,
                                                    .against = inputs->path,
                                                    .paired = request->way != ORIGIN_COMPUTED,
                                                    .explain = request->explain}};
    struct check_request *checked = &refereed->request;
    struct swap_request swap = request->swap;
    /* Candidates may be judged by several processes at once. */
    char *candidate = refereed->candidate = x_sprintf("%s/%d.capsule", inputs->folder, (int)getpid());
    refereed->absent_baselines = x_sprintf("%s/none", inputs->folder);
    checked->measurement.kernels = candidate;
    checked->measurement.globs = swap.globs = NULL; /* the others were not drawn */
    checked->measurement.glob_count = swap.glob_count = 0;
    checked->baselines = refereed->absent_baselines;
    TRY_AS(EXIT_USAGE, swap_file(&swap, inputs->path, candidate));
    if (request->cross_check) {
        struct measurement measurement = *request->cross_check;
        measurement.kernels = candidate;
        if (measure_run(&measurement, &refereed->cross_checked) == EXIT_INTERRUPTED)
            return EXIT_INTERRUPTED;
    }
    struct check *const check = &refereed->check;
    TRY_CODE(check_judge(check, checked));
    if (check->measured == EXIT_INTERRUPTED)
        return EXIT_INTERRUPTED;
    /* Whoever made the task chose the sizes at which speed matters. */
    EACH(const struct result, result, check->run.results, check->run.result_count)
        if (!drawn_name_has_speed(result->id))
            comparison_show_only(&check->comparison, result->id,
                                 "only the results are judged, not the speed, because other sizes, another order or "
                                 "extreme values were drawn");
    diagnosis_release(&check->diagnosis); /* the rows have another order now */
    diagnosis_make(&check->diagnosis, &check->comparison, &check->baseline, &check->run);
    return certify_all(refereed, request, inputs) < 0 ? EXIT_USAGE : EXIT_SAME;
}

void referee_result_release(struct referee_result *refereed)
{
    run_release(&refereed->cross_checked);
    check_release(&refereed->check);
    for (size_t i = 0; i < refereed->certificate_count; i++)
        certificate_release(&refereed->certificates[i]);
    free(refereed->certificates);
    if (refereed->candidate)
        unlink(refereed->candidate);
    free(refereed->candidate);
    free(refereed->absent_baselines);
}

const char *referee_result_why(const struct referee_result *refereed)
{
    for (size_t i = 0; i < refereed->certificate_count && refereed->outcome > CERTIFICATE_ALLOWED; i++)
        for (size_t k = 0; k < CERTIFICATE_RULES; k++)
            if (refereed->certificates[i].rows[k].outcome == refereed->outcome)
                return refereed->certificates[i].rows[k].words;
    return NULL;
}
