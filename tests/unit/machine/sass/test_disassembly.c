#include "machine/sass/disassembly.h"
#include "test.h"

#include <sys/wait.h>

#define LIE "{\"function-name\":\"f\",\"sass-instructions\":[{},{},{}]}"

/* In a folder of its own: a disassembler that counts how often it is asked, and knows a function of one instruction. */
static char *enter(void)
{
    char *root = scratch_make();
    cr_assert_eq(chdir(root), 0);
    cr_assert(setenv("XDG_CACHE_HOME", root, 1) == 0 && setenv("CUGATE_NVDISASM", "./nvdisasm", 1) == 0);
    free(scratch_file(root, "nvdisasm",
                      "#!/bin/sh\n[ \"$(cat \"$2\")\" = image ] || exit 1\necho >>asked\n"
                      "echo '[{},[{\"function-name\":\"f\",\"sass-instructions\":[{}]}]]'\n"));
    cr_assert_eq(chmod("nvdisasm", 0755), 0);
    return root;
}

static void leave(char *root)
{
    cr_assert_eq(chdir("/"), 0);
    scratch_remove(root);
}

/* How many instructions the function has, by a process of its own; -1 where it is not told. */
static int instructions(void)
{
    const pid_t process = fork();
    if (process == 0) {
        json_t *whole;
        struct problem problem = {0};
        const json_t *list =
            disassemble(disassembler_open(), &whole, (const unsigned char *)"image", 5, "f", 1, &problem);
        _exit(list ? (int)json_array_size(list) : 99);
    }
    int status;
    cr_assert(waitpid(process, &status, 0) == process && WIFEXITED(status));
    return WEXITSTATUS(status) == 99 ? -1 : WEXITSTATUS(status);
}

static long asked(void)
{
    struct stat facts;
    return stat("asked", &facts) == 0 ? (long)facts.st_size : 0;
}

/* The name of the only entry of the cache, below the current folder. Caller frees. */
static char *entry(void)
{
    char *name = NULL;
    DIR *folder = opendir("cugate");
    cr_assert_not_null(folder);
    for (const struct dirent *one; (one = readdir(folder));)
        if (*one->d_name != '.') {
            cr_assert_null(name, "%s and %s", name, one->d_name);
            name = x_sprintf("cugate/%s", one->d_name);
        }
    closedir(folder);
    cr_assert_not_null(name);
    return name;
}

static void lie(const char *name)
{
    FILE *stream = fopen(name, "w");
    cr_assert(stream && fputs(LIE, stream) >= 0 && fclose(stream) == 0);
}

Test(disassembly, what_was_said_is_kept_for_its_program)
{
    char *root = enter();
    cr_expect_eq(instructions(), 1);
    cr_expect_eq(instructions(), 1);
    cr_expect_eq(asked(), 1);
    OWNED_TEXT name = entry();
    lie(name);
    cr_expect_eq(instructions(), 3, "one's own is believed");
    FILE *program = fopen("nvdisasm", "a");
    cr_assert(program && fputs("# another\n", program) >= 0 && fclose(program) == 0);
    cr_expect_eq(instructions(), 1, "of another program it is another entry");
    cr_expect_eq(asked(), 2);
    leave(root);
}

Test(disassembly, what_others_may_have_written_is_not_believed)
{
    static const struct {
        bool folder; /* else the entry */
        uid_t owner;
        mode_t mode;
        bool believed;
    } rows[] = {
        {true, 0, 0700, true},   {true, 0, 0755, true},       {true, 0, 0777, false}, {true, 0, 0770, false},
        {true, 0, 01777, false}, {true, 12345, 0700, false},  {false, 0, 0644, true}, {false, 0, 0666, false},
        {false, 0, 0660, false}, {false, 12345, 0600, false},
    };
    char *root = enter();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].owner && geteuid() != 0)
            continue; /* only root can give a file away */
        cr_expect_eq(instructions(), 1);
        OWNED_TEXT name = entry(), *changed = rows[i].folder ? x_strdup("cugate") : x_strdup(name);
        lie(name);
        cr_assert_eq(chmod(changed, rows[i].mode), 0);
        cr_assert_eq(chown(changed, rows[i].owner ? rows[i].owner : geteuid(), (gid_t)-1), 0);
        cr_expect_eq(instructions(), rows[i].believed ? 3 : 1, "row %zu", i);
        scratch_remove(x_sprintf("%s/cugate", root));
    }
    leave(root);
}

Test(disassembly, a_link_is_no_entry)
{
    char *root = enter();
    cr_expect_eq(instructions(), 1);
    OWNED_TEXT name = entry();
    lie("elsewhere");
    cr_assert(unlink(name) == 0 && symlink("../elsewhere", name) == 0);
    cr_expect_eq(instructions(), 1);
    leave(root);
}

Test(disassembly, what_cannot_be_disassembled)
{
    char *root = enter();
    FILE *program = fopen("nvdisasm", "a");
    cr_assert(program && fputs("exit 3\n", program) >= 0 && fclose(program) == 0);
    cr_expect_eq(instructions(), -1, "one that fails is not believed, whatever it said");
    cr_assert_eq(unlink("nvdisasm"), 0);
    cr_expect_eq(instructions(), -1);
    leave(root);
}

static bool tells_of(const char *function, const unsigned char *image, size_t size)
{
    static struct disassembler *disassembler;
    json_t *whole;
    struct problem problem = {0};
    disassembler = disassembler ? disassembler : disassembler_open();
    const bool told = disassemble(disassembler, &whole, image, size, function, 7, &problem) != NULL;
    json_decref(whole);
    return told;
}

/* Of a large image only the function's section is asked for, until that has taken as long as all of it does. The
 * disassembler here tells of f when it is asked for a function, and else of g. */
Test(disassembly, of_a_large_image_one_function_is_asked_for)
{
    enum { LARGE = (1 << 20) + 1 };
    char *root = enter();
    FILE *program = fopen("nvdisasm", "w");
    cr_assert(program && fputs("#!/bin/sh\n[ \"$3 $4\" = '-fun 7' ] && name=f || name=g\n"
                               "echo \"[{},[{\\\"function-name\\\":\\\"$name\\\",\\\"sass-instructions\\\":[{}]}]]\"\n",
                               program) >= 0);
    cr_assert_eq(fclose(program), 0);
    OWNED_MEMORY unsigned char *image = calloc(LARGE, 1);
    cr_expect(tells_of("f", image, LARGE) && !tells_of("g", image, LARGE), "a large one is asked for one function");
    cr_expect(tells_of("g", image, LARGE), "but not for one after the other");
    cr_expect(tells_of("g", image, LARGE - 1), "a small one is asked for whole");
    leave(root);
}
