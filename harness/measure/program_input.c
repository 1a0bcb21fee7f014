#include "program_parts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

void program_input_open(struct program_input *input, bool repeats)
{
    struct stat file;
    *input = (struct program_input){.file = -1, .sink = -1};
    if (!repeats || fstat(STDIN_FILENO, &file) < 0 || S_ISCHR(file.st_mode))
        return; /* standard input is a terminal or /dev/null */
    input->piped = !S_ISREG(file.st_mode);
    input->file = input->piped ? memfd_create("input", MFD_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (input->file >= 0)
        input->beginning = lseek(input->file, 0, SEEK_CUR);
}

void program_input_rewind(const struct program_input *input)
{
    if (input->file < 0 || input->piped) /* nothing was read */
        return;
    lseek(input->file, input->beginning, SEEK_SET);
    dup2(input->file, STDIN_FILENO);
}

void program_input_close(struct program_input *input)
{
    program_input_end(input);
    if (input->file >= 0)
        close(input->file);
    input->file = -1;
}

int program_input_begin(struct program_input *input)
{
    int ends[2];
    TRY(input->file);
    if (!input->piped) {
        lseek(input->file, input->beginning, SEEK_SET);
        return fcntl(input->file, F_DUPFD_CLOEXEC, 3);
    }
    input->piped = false; /* from the next run on, the bytes that come now are a file */
    TRY(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    fcntl(ends[0], F_SETFL, 0); /* the program expects a pipe that blocks */
    input->sink = ends[1];
    return ends[0];
}

struct pollfd program_input_event(const struct program_input *input)
{
    struct pollfd sink = {.fd = input->sink, .events = POLLOUT};
    /* Nothing is read that cannot be handed on: a full pipe is waited for first. */
    if (input->sink >= 0 && poll(&sink, 1, 0) > 0)
        return (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    return (struct pollfd){.fd = input->sink, .events = POLLOUT};
}

void program_input_pass(struct program_input *input, const struct pollfd *event)
{
    char bytes[PIPE_BUF]; /* a pipe that can be written has space for this many */
    if (event->fd != STDIN_FILENO)
        return;
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        program_input_end(input);
        return;
    }
    if (write(input->file, bytes, (size_t)got) != got)
        warning("the program's input cannot be kept for its next run: %s", strerror(errno));
    if (write(input->sink, bytes, (size_t)got) != got)
        program_input_end(input); /* the program reads no more */
}

void program_input_end(struct program_input *input)
{
    if (input->sink >= 0)
        close(input->sink);
    input->sink = -1;
}
