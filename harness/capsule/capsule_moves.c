/* Variables of machine code have another address in each process, so what points into one is moved. */
#include "replay_parts.h"

ORDER_BY(by_from, struct move, from)

void moves_sort(struct moves *moves)
{
    SORT(moves->list, moves->count, by_from);
    moves->least = UINT64_MAX;
    moves->most = 0;
    EACH(const struct move, move, moves->list, moves->count) {
        moves->least = move->from < moves->least ? move->from : moves->least;
        moves->most = move->from + move->size > moves->most ? move->from + move->size : moves->most;
    }
}

bool moves_find(const struct moves *moves, uint64_t pointer, uint64_t *here)
{
    if (pointer < moves->least || pointer > moves->most)
        return false;
    BISECT(low, moves->count, i, moves->list[i].from <= pointer); /* how many variables begin at or below it */
    if (low == 0 || pointer - moves->list[low - 1].from > moves->list[low - 1].size)
        return false;
    *here = moves->list[low - 1].to + (pointer - moves->list[low - 1].from);
    return true;
}

void moves_apply(const struct moves *moves, uint64_t address, unsigned char *bytes, size_t size)
{
    if (moves->count == 0)
        return;
    for (size_t at = (size_t)(-address & 7); at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (moves_find(moves, word, &word))
            memcpy(bytes + at, &word, sizeof word);
    }
}
