#include "client.h"

#include "machine/block/block.h"

static void call(struct client *client, const cugate_event *event)
{
    NUMERIC_DEFAULT; /* what a hook sets ends with it */
    const struct client_hook *hook = &client->hooks[event->kind];
    if (hook->call)
        hook->call(event, hook->user);
}

static cugate_event event_of(enum cugate_hook_kind kind, const struct block *block, const struct warp *warp)
{
    return (cugate_event){.kind = kind,
                          .kernel = block->grid->client->fault.kernel,
                          .block = {block->index[0], block->index[1], block->index[2]},
                          .warp = warp ? warp->number : 0,
                          .state = warp};
}

/* ---- Accesses ---- */

static const unsigned char *bytes_at(const struct client *client, const struct block *block, uint64_t address)
{
    return client->there ? client->there->shared + address : device_bytes(block->machine, address);
}

/* Tells of the access that was told last, since nothing was executed since but that access. */
static void tell_access(struct client *client)
{
    if (!client->waits)
        return;
    client->waits = false;
    cugate_event *event = &client->access;
    const struct block *block = client->warp->block;
    event->values = client->values;
    if (event->lanes == 1)
        event->values = bytes_at(client, block, client->addresses[0]);
    EACH_BIT(l, event->lanes == 1 ? 0 : event->lanes) {
        memcpy(client->values + (size_t)l * event->bytes, bytes_at(client, block, client->addresses[l]), event->bytes);
    }
    call(client, event);
}

enum {
    READS = ACCESS_READS | ACCESS_CHANGES | ACCESS_COPIES | ACCESS_MULTIPLIES | ACCESS_GOES | ACCESS_FAR_READS,
    WRITES = ACCESS_STORES | ACCESS_WRITES | ACCESS_CHANGES | ACCESS_FAR | ACCESS_COMES
};

/* Copies of the hardware and of lanes read one memory and write the other. */
static unsigned access_of(const struct access *access)
{
    const unsigned kind = access->kind;
    if (kind & ACCESS_COPIES)
        return access->block ? CUGATE_WRITES : CUGATE_READS;
    if (kind & (ACCESS_GOES | ACCESS_COMES) && !access->block)
        return kind & ACCESS_COMES ? CUGATE_READS : CUGATE_WRITES | (access->more ? CUGATE_READS : 0);
    return (kind & READS || access->code->traits & TRAIT_ATOMIC ? CUGATE_READS : 0) |
           (kind & WRITES ? CUGATE_WRITES : 0);
}

static void client_hear(const struct access *access)
{
    const struct block *block = access->warp ? access->warp->block : access->block;
    struct client *client = block->grid->client;
    tell_access(client);
    if (access->kind & ACCESS_MEETS) {
        cugate_event event = event_of(CUGATE_HOOK_BARRIER, block, NULL);
        event.warps = (uint32_t)(access->first | access->more);
        call(client, &event);
        return;
    }
    cugate_event *event = &client->access;
    *event = event_of(CUGATE_HOOK_ACCESS, block, access->warp);
    event->instruction = access->code->index;
    event->lanes = access->lanes;
    event->access = access_of(access);
    event->space = !access->block ? CUGATE_GLOBAL : access->block == block ? CUGATE_SHARED : CUGATE_CLUSTER;
    event->bytes = access->size;
    event->addresses = client->addresses;
    for (unsigned l = 0; l < LANES; l++)
        client->addresses[l] = access->lanes >> l & 1 ? access_address(access, l) : 0;
    client->there = access->block;
    client->warp = access->warp;
    client->waits = true;
}

static bool client_begin(struct block *block)
{
    return client_calls(block->grid->client);
}

const struct watcher client_watcher = {
    READS | WRITES, READS | WRITES | ACCESS_MEETS, 0, true, client_begin, client_hear, NULL, NULL};

/* ---- Instructions, ends ---- */

void client_step(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct client *client = warp->block->grid->client;
    tell_access(client);
    client->warp = warp;
    client->code = code;
    client->lanes = lanes;
    cugate_event event = event_of(CUGATE_HOOK_INSTRUCTION, warp->block, warp);
    event.instruction = code->index;
    event.lanes = lanes;
    call(client, &event);
}

static const char *end(struct client *client, enum client_end why, const char *words)
{
    atomic_store(&client->ended, why);
    return words;
}

const char *client_check(struct client *client, uint64_t steps)
{
    enum { BETWEEN = 14 }; /* the clock is read after 2 to the power of so many instructions */
    const uint64_t before = atomic_fetch_add(&client->executed, steps), now = before + steps;
    if (atomic_load_explicit(&client->stop, memory_order_relaxed))
        return end(client, CLIENT_STOPPED, "stopped");
    if (client->steps && now > client->steps)
        return end(client, CLIENT_LIMIT, "not done within the limit of instructions");
    if (client->until > 0 && before >> BETWEEN != now >> BETWEEN && now_seconds() > client->until)
        return end(client, CLIENT_LIMIT, "not done within the limit of seconds");
    return NULL;
}

/* Of several blocks that fail the one is kept that grid_run() tells of. */
void client_fails(struct block *block)
{
    static const cugate_fault_kind kinds[] = {
        [FAULT_NONE] = CUGATE_FAULT_OTHER,      [FAULT_OTHER] = CUGATE_FAULT_OTHER,
        [FAULT_ADDRESS] = CUGATE_FAULT_ADDRESS, [FAULT_MISALIGNED] = CUGATE_FAULT_MISALIGNED,
        [FAULT_CLUSTER] = CUGATE_FAULT_CLUSTER, [FAULT_ASSERT] = CUGATE_FAULT_ASSERT,
    };
    struct client *client = block->grid->client;
    if (!*block->fault)
        return;
    pthread_mutex_lock(&block->machine->doubts);
    if (!client->failed || block->number < client->number) {
        client->failed = true;
        client->number = block->number;
        client->fault.kind = kinds[*block->fault];
        client->fault.instruction = block->now ? block->now->index : 0;
        memcpy(client->fault.block, block->index, sizeof block->index);
        client->fault.text = memcpy(client->text, block->problem->text, sizeof client->text);
    }
    pthread_mutex_unlock(&block->machine->doubts);
    if (!client->calls)
        return;
    tell_access(client);
    struct warp *warp = client->warp && client->warp->block == block ? client->warp : NULL;
    cugate_event event = event_of(CUGATE_HOOK_FAULT, block, warp);
    event.instruction = client->fault.instruction;
    event.lanes = warp && client->code == block->now ? client->lanes : 0;
    event.fault = &client->fault;
    call(client, &event);
}

bool client_register(const cugate_event *event, bool uniform, unsigned number, unsigned lane, uint32_t *value)
{
    const struct warp *warp = event->state;
    if (!warp || lane >= LANES || number >= (uniform ? ROW_SINK - ROW_UNIFORM : ROW_UNIFORM))
        return false;
    *value = warp->rows[(uniform ? ROW_UNIFORM : 0) + number][lane];
    return true;
}

bool client_predicate(const cugate_event *event, unsigned number, uint32_t *lanes)
{
    const struct warp *warp = event->state;
    if (!warp || number > MASK_TRUE)
        return false;
    *lanes = warp->masks[number];
    return true;
}
