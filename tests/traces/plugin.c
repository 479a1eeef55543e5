/* A QEMU user-mode plugin that records what a program executes: the instructions of its own code with their lengths, and every
 * control transfer that is not to the next instruction.
 *
 * The record is a file that is mapped shared, so that it survives fork, exec and a killing signal, and so that several runs of a
 * program add up. It is read by `cargo xtask traces`:
 *
 *     u64 start of code, u64 size of code, u64 capacity of the table, u64 instructions executed, u64 edges that found no room,
 *     one byte for each byte of code (the length of the executed instruction that begins there, or 0), padded to 8,
 *     the table of edges, a hash table with linear probing: u32 to, u32 from, each 0 for outside the code, else 1 + the offset
 *
 * Debian has no header for plugins, so that what is used of the interface (version 1) is declared here.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_CB_NO_REGS = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_start_code(void);
uint64_t qemu_plugin_end_code(void);
EXPORT int qemu_plugin_version = 1;

#define CAPACITY (1u << 21)

struct header {
    uint64_t start, size, capacity, executed, lost;
};

/* A translated block, in offsets from the start of code. */
struct block {
    uint32_t first, last, end, count;
    bool inside, marked;
    uint8_t lengths[];
};

static const char *file;
static struct header *header;
static uint8_t *lengths;
static uint64_t *edges;
/* The block that a thread executed last. Outside of the code, all blocks are one. */
static __thread const struct block *previous;
static struct block outside;

static void map_record(void)
{
    uint64_t start = qemu_plugin_start_code(), end = qemu_plugin_end_code();
    if (header || !start)
        return;
    size_t room = ((end - start) + 7) & ~(size_t)7;
    size_t total = sizeof *header + room + (size_t)CAPACITY * sizeof *edges;
    int descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0 || ftruncate(descriptor, total) != 0)
        abort();
    void *map = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED)
        abort();
    close(descriptor);
    header = map;
    lengths = (uint8_t *)(header + 1);
    edges = (uint64_t *)(lengths + room);
    header->start = start;
    header->size = end - start;
    header->capacity = CAPACITY;
}

static void add_edge(uint32_t from, uint32_t to)
{
    uint64_t edge = (uint64_t)from << 32 | to, hash = edge * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    for (uint32_t probe = 0; probe < CAPACITY / 2; probe++) {
        uint64_t *slot = &edges[(hash + probe) & (CAPACITY - 1)], none = 0;
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) == edge)
            return;
        if (__atomic_compare_exchange_n(slot, &none, edge, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == edge)
            return;
    }
    __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
}

static void executed(unsigned processor, void *data)
{
    struct block *block = data;
    const struct block *before = previous;
    (void)processor;
    previous = block;
    if (before && (before->inside || block->inside) && !(before->inside && block->inside && before->end == block->first))
        add_edge(before->inside ? before->last + 1 : 0, block->inside ? block->first + 1 : 0);
    if (!block->inside)
        return;
    __atomic_fetch_add(&header->executed, block->count, __ATOMIC_RELAXED);
    if (block->marked)
        return;
    block->marked = true;
    uint32_t at = block->first;
    for (uint32_t i = 0; i < block->count; at += block->lengths[i++])
        lengths[at] = block->lengths[i];
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    map_record();
    size_t count = qemu_plugin_tb_n_insns(tb);
    if (!header || count == 0)
        return;
    uint64_t first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    struct block *block = &outside;
    if (first - header->start < header->size) {
        block = calloc(1, sizeof *block + count);
        block->inside = true;
        block->first = block->end = first - header->start;
        for (; block->count < count && block->end < header->size; block->count++) {
            size_t size = qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, block->count));
            block->lengths[block->count] = size;
            block->last = block->end;
            block->end += size;
        }
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], "record=", 7))
            file = strdup(argv[i] + 7);
    if (!file)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
