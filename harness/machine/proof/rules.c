/* What is known of what an instruction writes, by what is known of what it reads. An instruction without a rule ends
 * the proof; a rule that does not fit gives data. ../README.md has the rules in one table. */
#include "rules.h"

/* ---- Control ---- */

/* What it asks has to be the same. BMOV writes lanes that are together, which are the same then. */
void rule_asks(struct step *step)
{
    const struct instruction *code = step->code;
    const uint32_t lanes = step->warp->active;
    const bool writes = code->control == CONTROL_MOVE_BARRIER && code->operands[0].kind != OPERAND_BARRIER;
    for (unsigned n = writes; n < code->operand_count; n++) {
        const unsigned kind = code->operands[n].kind;
        if (kind == OPERAND_PREDICATE && !need(step, mask_tag(step, n), lanes, "a branch"))
            return;
        if (kind == OPERAND_ROW && !need(step, row_tag(step, n, 0), lanes, "a branch"))
            return;
    }
    if (writes)
        put_row(step, 0, 0, &tag_same);
}

#define RULE_ROW(name, rule) [RULE_##name >> RULE_SHIFT] = (rule),
static void (*const rules[])(struct step *) = {RULES(RULE_ROW)};
#undef RULE_ROW

static bool only_computes(const struct instruction *code)
{
    const uint64_t rule = (uint64_t)code->rule << RULE_SHIFT;
    const bool constant = rule == RULE_CONSTANT && code->operands[1].kind == OPERAND_ROW; /* one address of all lanes */
    return (rule >= RULE_SAME && rule <= RULE_SPECIAL) || constant;
}

/* Whether its guard may be data, since it only computes: then it is not known how many of its threads work. Where
 * nobody asks, it is so too of floats whose guard would cut the class, since no address follows from them. */
static bool may_be_guarded(const struct step *step)
{
    const struct instruction *code = step->code;
    const struct tag *guard = &step->tags->masks[code->guard / sizeof(uint32_t)];
    bool cut = !tag_knows(guard, step->warp->active) || tag_moves(guard);
    const bool floats = step->proof->threadless && code->traits & (TRAIT_FP16 | TRAIT_FP32 | TRAIT_FP64);
    for (unsigned i = 0; i < guard->count && floats; i++) {
        const struct box *box = &step->proof->box[guard->parts[i].axis];
        cut |= guard->parts[i].low > box->low || guard->parts[i].high < box->high || guard->parts[i].every > box->every;
    }
    return cut && only_computes(code);
}

void proof_step(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block_proof *proof = warp->block->proof;
    if (proof->values && code->control == CONTROL_EXIT && (warp->alive & ~(lanes & extra_predicate(warp, code))) == 0)
        proof_check(warp);
    struct step step = {proof, &proof->warps[proof_place(warp)], warp, code, code->uniform ? ALL_LANES : lanes, false};
    if (proof->why || proof->of_class)
        return;
    if (code->guarded && may_be_guarded(&step)) {
        proof->uneven[code->index] = step.maybe = true;
        step.lanes = lanes = code->uniform ? ALL_LANES : warp->active;
    } else if (code->guarded && !need(&step, &step.tags->masks[code->guard / sizeof(uint32_t)], warp->active,
                                      code->control == CONTROL_NEXT ? "a guard" : "a branch")) {
        return;
    }
    if (code->control == CONTROL_NEXT && (!lanes || !code->run))
        return;
    warp->guarded = lanes;
    if (!code->rule)
        proof_fail(proof, code, "no rule");
    else
        rules[code->rule](&step);
}
