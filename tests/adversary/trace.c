/* A TCG plugin of QEMU's user mode for `cargo xtask adversary`: runs a guest once for every input, in one process.
 *
 * The guest's start-up code calls its entry function again and again. Whenever that function is entered, the plugin restores
 * the writable memory and puts the next input into the input cells; when the stop is reached, it records a hash of the path.
 * Guest memory is host memory at a constant distance (`qemu -B`), so the guest need not cooperate. When a run faults, QEMU dies
 * of the guest's signal, and the next process continues behind that input.
 *
 * The declarations below are the few of qemu-plugin.h (version 1 of the interface) that are used: Debian's packages of
 * QEMU do not contain that header.
 */
#include "every_input.h"
#include <sys/resource.h>

typedef uint64_t plugin_id;
struct block;
struct instruction;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct instruction *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
size_t qemu_plugin_insn_size(const struct instruction *);
unsigned qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

enum { NO_REGISTERS = 0, READ_AND_WRITE = 3 };

/* A translated block. */
struct translated {
	uint64_t start, end, last;
};

static bool active;
static uint64_t blocks;
static const struct translated *now;

static void *host(uint64_t address)
{
	return (void *)(uintptr_t)(address + base);
}

static void refill(const struct cell *cell)
{
	*(uint8_t *)host(cell->address) = cell_value(cell);
}

static void begin(void)
{
	for (int i = 0; i < data_count; i++) {
		if (!data[i].saved) {
			data[i].saved = malloc(data[i].size);
			memcpy(data[i].saved, host(data[i].address), data[i].size);
		}
		memcpy(host(data[i].address), data[i].saved, data[i].size);
	}
	set_input(results->next);
	for (int i = 0; i < cell_count; i++)
		refill(&cells[i]);
	path = 0xcbf29ce484222325ull;
	blocks = 0;
	active = true;
	results->active = 1;
}

/* Of a sequence of blocks only what is not sequential counts, so that it does not matter how QEMU divides code. */
static void enter(unsigned cpu, void *user)
{
	const struct translated *block = user;
	(void)cpu;
	if (++blocks > limit)
		fail(active ? TOO_LONG : NO_START);
	if (!active) {
		if (block->start != entry)
			return;
		begin();
	} else {
		edge(now->last, block->start);
		if (now->end != block->start)
			extend_path(now->last, block->start);
		if (block->start == stop) {
			active = false;
			blocks = 0;
			finish(ENDED);
			return;
		}
	}
	now = block;
	/* In case it faults. */
	results->runs[results->next].path = path;
}

static void access_memory(unsigned cpu, uint32_t info, uint64_t address, void *user)
{
	(void)cpu;
	(void)user;
	if (!active)
		return;
	uint64_t size = 1ull << qemu_plugin_mem_size_shift(info);
	bool store = qemu_plugin_mem_is_store(info);
	for (int i = 0; i < cell_count; i++) {
		struct cell *cell = &cells[i];
		if (cell->address - address >= size)
			continue;
		if (!store)
			cell_read(cell);
		/* A store does not change what comes from outside. */
		refill(cell);
	}
	if (probe && store && address == probe) {
		uint64_t divisor = 0;
		memcpy(&divisor, host(probe), probe_size);
		if (!divisor)
			results->runs[results->next].state |= DIVIDED_BY_ZERO;
	}
}

static void step(unsigned cpu, void *user)
{
	(void)cpu;
	if (active)
		results->runs[results->next].fault = (uint64_t)(uintptr_t)user;
}

static void translate(plugin_id id, struct block *block)
{
	(void)id;
	struct translated *own = calloc(1, sizeof *own);
	size_t count = qemu_plugin_tb_n_insns(block);
	for (size_t i = 0; i < count; i++) {
		struct instruction *instruction = qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(instruction);
		if (i == 0)
			own->start = address;
		own->last = address;
		own->end = address + qemu_plugin_insn_size(instruction);
		qemu_plugin_register_vcpu_mem_cb(instruction, access_memory, NO_REGISTERS, READ_AND_WRITE, NULL);
		if (stepped)
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, step, NO_REGISTERS, (void *)(uintptr_t)address);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(block, enter, NO_REGISTERS, own);
}

EXPORTED int qemu_plugin_install(plugin_id id, const void *information, int count, char **arguments)
{
	(void)information;
	const char *out = "results";
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < count; i++) {
		if (!strncmp(arguments[i], "plan=", 5))
			read_plan(arguments[i] + 5);
		else if (!strncmp(arguments[i], "out=", 4))
			out = arguments[i] + 4;
	}
	map_results(out);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
