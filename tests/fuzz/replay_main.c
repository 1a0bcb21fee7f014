/* replay_main.c - feeds files to a fuzz target, for compilers without libFuzzer: fuzz_run FILE|DIRECTORY... A crash or
 * a sanitizer report ends the process, with the file's name as the last line on standard error. */
#include "base/base.h"

#include <dirent.h>
#include <sys/stat.h>

#define INPUT_LIMIT ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    char *text;
    size_t length;
    TRY(file_read(path, INPUT_LIMIT, &text, &length));
    fprintf(stderr, "%s\n", path);
    /* A copy of the exact size, so that a sanitizer sees the first byte read too far. */
    uint8_t *data = x_calloc(length ? length : 1, 1);
    memcpy(data, text, length);
    free(text);
    LLVMFuzzerTestOneInput(data, length);
    free(data);
    return 0;
}

static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return error("cannot open the corpus %s", path);
    int result = 0;
    for (const struct dirent *entry; result == 0 && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        OWNED_TEXT file = x_sprintf("%s/%s", path, entry->d_name);
        result = replay_file(file);
    }
    closedir(folder);
    return result;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat info;
        const bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
        TRY_AS(EXIT_FAILURE, is_folder ? replay_folder(argv[i]) : replay_file(argv[i]));
    }
    return EXIT_SUCCESS;
}
