#include "machine.h"

#include "left.h"

struct machine *machine_open(struct problem *problem)
{
    struct machine *machine = x_calloc(1, sizeof *machine);
    if (memory_open(&machine->memory) < 0) {
        problem_set(problem, "this process has no address space left for another GPU");
        free(machine);
        return NULL;
    }
    machine->headway = x_calloc(1, sizeof *machine->headway);
    machine->stream_races = x_calloc(1, sizeof *machine->stream_races);
    machine->heap.limit = HEAP_LIMIT;
    machine->call_stack = MODULE_CALL_STACK;
    machine->disassembler = disassembler_open();
    pthread_mutex_init(&machine->lock, NULL);
    pthread_mutex_init(&machine->doubts, NULL);
    pthread_mutex_init(&machine->changing, NULL);
    outcomes_forget(machine);
    return machine;
}

void machine_close(struct machine *machine)
{
    for (size_t i = 0; i < machine->module_count; i++)
        module_release(machine->modules[i]);
    free(machine->modules);
    outside_forget(machine);
    free(machine->noted);
    outcomes_forget(machine);
    grid_forget(machine);
    left_close(machine->left);
    heap_close(&machine->heap);
    stream_races_close(machine->stream_races);
    memory_close(&machine->memory);
    disassembler_close(machine->disassembler);
    free(machine->textures);
    free(machine->touched);
    free(machine->headway);
    free(machine->stream_races);
    pthread_mutex_destroy(&machine->lock);
    pthread_mutex_destroy(&machine->doubts);
    pthread_mutex_destroy(&machine->changing);
    free(machine);
}
