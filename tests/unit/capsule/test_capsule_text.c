#include "capsule/capsule_text.h"
#include "test.h"

#include "capsule_support.h"

static const char first[] =
    "{\n"
    " \"arguments\": [[0, 8, 1], [8, 4]],\n"
    " \"block\": [256, 1, 1],\n"
    " \"bytes\": \"00000000c07f0000100000ff\",\n"
    " \"carve_out\": 50,\n"
    " \"cluster\": [2, 1, 1],\n"
    " \"code\": {\"pages\": [0], \"size\": 300},\n"
    " \"cooperative\": true,\n"
    " \"function\": \"_Z7softmaxIfEvPT_i\",\n"
    " \"grid\": [32, 4, 1],\n"
    " \"id\": \"train/softmax<float>@256,32x4\",\n"
    " \"large_cluster\": true,\n"
    " \"launch\": 3,\n"
    " \"launched_by\": \"train.py:41 caf\xc3\xa9\",\n"
    " \"launches\": 7,\n"
    " \"overlaps\": true,\n"
    " \"proof\": \"varies\",\n"
    " \"ranges\": [\n"
    "  {\"address\": 140462610448384, \"after\": [-2, 3, -2], \"before\": [1, -1, 2], \"kind\": \"device\", "
    "\"size\": 131172, \"varies\": [-1, 4, -1]},\n"
    "  {\"address\": 140471200383232, \"after\": [0], \"before\": [0], \"kind\": \"variable\", \"size\": 300, "
    "\"variable\": \"_ZN3netE5scale\"}\n"
    " ],\n"
    " \"shared\": 4096,\n"
    " \"shared_limit\": 49152,\n"
    " \"swapped\": \"other.cubin\",\n"
    " \"time_ns\": 18700.5,\n"
    " \"tolerance\": 1e-05,\n"
    " \"type\": \"f32\"\n"
    "}";

static const char second[] = "{\n"
                             " \"arguments\": [],\n"
                             " \"block\": [1, 1, 1],\n"
                             " \"bytes\": \"\",\n"
                             " \"code\": {\"pages\": [0], \"size\": 300},\n"
                             " \"cooperative\": false,\n"
                             " \"function\": \"scale\",\n"
                             " \"grid\": [1, 1, 1],\n"
                             " \"id\": \"train/scale@1\",\n"
                             " \"large_cluster\": false,\n"
                             " \"launch\": 1,\n"
                             " \"launches\": 1,\n"
                             " \"overlaps\": false,\n"
                             " \"proof\": \"none\",\n"
                             " \"ranges\": [\n"
                             "  {\"address\": 2097152, \"after\": [-2, -2, -2], \"before\": [1, -1, 2], "
                             "\"kind\": \"host\", \"size\": 131172}\n"
                             " ],\n"
                             " \"shared\": 0,\n"
                             " \"shared_limit\": 0,\n"
                             " \"steps\": [\n"
                             "  {\"arguments\": [\n"
                             "    {\"of\": 0, \"offset\": 0, \"size\": 4}\n"
                             "   ], \"block\": [64, 1, 1], \"bytes\": \"01000000\", \"function\": \"half\", "
                             "\"grid\": [2, 1, 1], \"shared\": 16}\n"
                             " ]\n"
                             "}";

Test(capsule_text, it_is_for_people_too)
{
    static const char *const golden[] = {first, second};
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path = made_capsules(folder, "a", NULL);
    OWNED(capsules) capsules = opened_capsules(path, false);
    cr_assert_eq(capsules.count, 2);
    for (size_t i = 0; i < capsules.count; i++) {
        size_t length;
        OWNED_TEXT text = capsule_text(&capsules.list[i], &length);
        cr_expect_str_eq(text, golden[i]);
        cr_expect_eq(length, strlen(text));
    }
}
