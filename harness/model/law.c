#include "law.h"

static const struct {
    const char *sign; /* of two signs that begin alike, the longer one comes first */
    enum law_relation relation;
} relations[] = {
    {">=", LAW_AT_LEAST},
    {">", LAW_MORE},
    {"<=", LAW_AT_MAX},
    {"<", LAW_LESS},
};

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyz_"

struct parser {
    const char *text; /* the text of the law that is being parsed */
    const char *rest;
    struct problem *problem;
};

static void skip_blanks(struct parser *parser)
{
    parser->rest += strspn(parser->rest, " \t");
}

static int wrong(const struct parser *parser, const char *expected)
{
    const bool at_end = *parser->rest == '\0';
    return problem_set(
        parser->problem,
        "%s is missing %s%s%s in the law \"%s\": write laws such as `> 0` or `<= 1.1 * sm_cycles`, separated by commas",
        expected, at_end ? "at the end" : "before \"", at_end ? "" : parser->rest, at_end ? "" : "\"", parser->text);
}

/* Whether the sign comes next in the text; if so, moves behind it. */
static bool take_sign(struct parser *parser, const char *sign)
{
    skip_blanks(parser);
    if (strncmp(parser->rest, sign, strlen(sign)) != 0)
        return false;
    parser->rest += strlen(sign);
    return true;
}

/* Parses a decimal number. (strtod alone would also take "inf", "nan" and "0x1p3".) */
static bool take_number(struct parser *parser, double *number)
{
    char *end;
    if (!strchr(DIGITS ".", *parser->rest))
        return false;
    *number = strtod(parser->rest, &end);
    const size_t length = (size_t)(end - parser->rest);
    if (length == 0 || !isfinite(*number) || strspn(parser->rest, DIGITS ".e+-") < length)
        return false;
    parser->rest = end;
    return true;
}

static bool take_name(struct parser *parser, char **name)
{
    const size_t length = strspn(parser->rest, LETTERS DIGITS ".");
    if (length == 0 || !strchr(LETTERS, *parser->rest))
        return false;
    *name = x_sprintf("%.*s", (int)length, parser->rest);
    parser->rest += length;
    return true;
}

static int parse_factor(struct parser *parser, struct law_product *product, bool divides)
{
    char *name;
    double number;
    skip_blanks(parser);
    if (!*parser->rest)
        return wrong(parser, "a number or a name");
    if (take_name(parser, &name)) {
        *ARRAY_GROW(product->factors, product->factor_count) = (struct law_factor){name, divides};
        return 0;
    }
    const char *begin = parser->rest;
    if (!take_number(parser, &number) || (divides && number == 0)) {
        parser->rest = begin;
        return wrong(parser, divides ? "a name or a number that is not 0" : "a number or a name");
    }
    product->number = divides ? product->number / number : product->number * number;
    return 0;
}

static int parse_sum(struct parser *parser, struct law *law)
{
    double sign = take_sign(parser, "-") ? -1 : 1;
    for (;;) {
        struct law_product *product = ARRAY_GROW(law->products, law->product_count);
        bool divides = false;
        product->number = sign;
        do {
            TRY(parse_factor(parser, product, divides));
            divides = take_sign(parser, "/");
        } while (divides || take_sign(parser, "*"));
        if (take_sign(parser, "+"))
            sign = 1;
        else if (take_sign(parser, "-"))
            sign = -1;
        else
            return *parser->rest ? wrong(parser, "one of + - * /") : 0;
    }
}

static int parse_law(struct parser *parser, struct law *law)
{
    law->text = x_strdup(parser->text);
    for (size_t i = 0; i < ARRAY_SIZE(relations); i++)
        if (take_sign(parser, relations[i].sign)) {
            law->relation = relations[i].relation;
            return parse_sum(parser, law);
        }
    return wrong(parser, "one of > >= < <=");
}

int laws_parse(struct laws *laws, const char *text, struct problem *problem)
{
    int result = 0;
    *problem = (struct problem){0};
    for (bool more = true; more && result == 0;) {
        text += strspn(text, " \t");
        const size_t length = strcspn(text, ",");
        OWNED_TEXT one = x_sprintf("%.*s", (int)length, text);
        for (size_t end = length; end > 0 && strchr(" \t", one[end - 1]); end--)
            one[end - 1] = '\0';
        struct parser parser = {one, one, problem};
        result = parse_law(&parser, ARRAY_GROW(laws->list, laws->count));
        more = text[length] == ',';
        text += length + more;
    }
    return result;
}

void laws_release(struct laws *laws)
{
    EACH(struct law, law, laws->list, laws->count) {
        for (size_t p = 0; p < law->product_count; p++) {
            for (size_t f = 0; f < law->products[p].factor_count; f++)
                free(law->products[p].factors[f].name);
            free(law->products[p].factors);
        }
        free(law->products);
        free(law->text);
    }
    free(laws->list);
    *laws = (struct laws){0};
}

/* Computes the least and the largest value of a product. Values are never negative, so the least product has the least
 * factors over the largest divisors. */
static bool product_span(const struct law_product *product, const struct law_reader *reader, struct span *span)
{
    *span = (struct span){fabs(product->number), fabs(product->number)};
    for (size_t f = 0; f < product->factor_count; f++) {
        struct span factor;
        if (!reader->read(reader->of, product->factors[f].name, &factor))
            return false;
        if (product->factors[f].divides) {
            if (factor.low <= 0)
                return false;
            factor = (struct span){1 / factor.high, 1 / factor.low};
        }
        span->low *= factor.low;
        span->high *= factor.high;
    }
    if (product->number < 0)
        *span = (struct span){-span->high, -span->low};
    return true;
}

bool law_bound(const struct law *law, const struct law_reader *reader, struct span *bound)
{
    *bound = (struct span){0, 0};
    for (size_t p = 0; p < law->product_count; p++) {
        struct span product;
        if (!product_span(&law->products[p], reader, &product))
            return false;
        bound->low += product.low;
        bound->high += product.high;
    }
    return true;
}

size_t law_name_count(const struct law *law)
{
    size_t count = 0;
    for (size_t p = 0; p < law->product_count; p++)
        count += law->products[p].factor_count;
    return count;
}

const char *law_name(const struct law *law, size_t place)
{
    size_t p = 0;
    while (p < law->product_count && place >= law->products[p].factor_count)
        place -= law->products[p++].factor_count;
    if (p == law->product_count)
        BUG("the law \"%s\" has no such name", law->text);
    return law->products[p].factors[place].name;
}

bool law_has_metric(const struct law *law)
{
    return ANY(n, law_name_count(law), strcmp(law_name(law, n), LAW_WARPS) != 0);
}

bool law_is_kept(const struct law *law, struct span numbers, struct span bound)
{
    const bool one_is_enough = law_has_metric(law);
    const double for_low = one_is_enough ? numbers.high : numbers.low;
    const double for_high = one_is_enough ? numbers.low : numbers.high;
    switch (law->relation) {
    case LAW_MORE:
        return for_low > bound.low;
    case LAW_AT_LEAST:
        return for_low >= bound.low;
    case LAW_LESS:
        return for_high < bound.high;
    case LAW_AT_MAX:
        return for_high <= bound.high;
    case LAW_RELATIONS:
        break;
    }
    BUG("a law of relation %d", (int)law->relation);
}
