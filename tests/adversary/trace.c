/* A TCG plugin of QEMU's user mode for `cargo xtask adversary`: runs a guest once for every input, in one process.
 *
 * The guest's start-up code calls its entry function again and again. Whenever that function is entered, the plugin restores the
 * writable memory and puts the next input into the input cells; when the stop is reached, it records a hash of the path.
 * Guest memory is host memory at a constant distance (`qemu -B`), so all of it happens without help of the guest.
 *
 * A plan, lines of text, says what to do; results go to a file that is mapped shared: when a run faults, QEMU dies by the
 * guest's signal, the results survive, and the next process goes on behind the input that faulted.
 *
 * Plan (numbers in hexadecimal):
 *   entry A | stop A | inputs N | limit N (blocks per run)
 *   data A SIZE                 restored before each run
 *   cell A MASK READS           input, one byte; each of READS reads has its own value below MASK
 *   script A VALUE...           one byte; the reads give these values in turn, the last one stays
 *   probe A WIDTH               written before each division with the divisor
 *
 * The declarations below are the few of qemu-plugin.h (version 1 of the interface) that are used: Debian's packages of
 * QEMU do not contain that header.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct block;
struct instruction;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct instruction *, int, void *, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct instruction *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
size_t qemu_plugin_insn_size(const struct instruction *);
unsigned qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

enum { NO_REGISTERS = 0, ADD = 0, READ_AND_WRITE = 3 };
enum { EDGES = 1 << 14, INPUTS = 1 << 16, MOST = 16 };
enum { ENDED = 1, FAULTED = 2, TOO_LONG = 4, TOO_MANY_READS = 8, DIVIDED_BY_ZERO = 16 };

struct edge {
	uint64_t from, to;
	uint32_t first, used;
};

struct run {
	uint64_t path, fault;
	uint32_t state, reads;
};

struct results {
	uint64_t next, active, failed, edges;
	struct run runs[INPUTS];
	struct edge table[EDGES];
};

struct cell {
	uint64_t address;
	uint32_t mask, reads, seen;
	uint8_t values[64];
	bool scripted;
};

/* A translated block: its instructions, to name the one that faulted. */
struct translated {
	uint64_t start, end, last;
	size_t count;
	uint64_t *addresses;
};

static struct results *results;
static uint64_t entry, stop, inputs, limit = 2000000, base, probe, probe_width;
static struct { uint64_t address, size; uint8_t *saved; } data[MOST];
static struct cell cells[MOST];
static int ranges, cell_count;
static bool active;
static uint64_t path, blocks, executed;
static const struct translated *now;

static void *host(uint64_t address)
{
	return (void *)(uintptr_t)(address + base);
}

static void fail(uint64_t why)
{
	results->failed = why;
	_exit(3);
}

static void edge(uint64_t from, uint64_t to)
{
	uint64_t hash = (from * 0x9e3779b97f4a7c15ull) ^ (to * 0xc2b2ae3d27d4eb4full);
	for (hash ^= hash >> 29;; hash++) {
		struct edge *found = &results->table[hash % EDGES];
		if (!found->used) {
			*found = (struct edge){from, to, (uint32_t)results->next, 1};
			if (++results->edges > EDGES / 2)
				fail(1);
			return;
		}
		if (found->from == from && found->to == to)
			return;
	}
}

/* The value of the cell's next read. */
static void refill(struct cell *cell)
{
	uint32_t last = cell->reads - 1;
	*(uint8_t *)host(cell->address) = cell->values[cell->seen < last ? cell->seen : last];
}

/* Splits the number of an input into the values of the reads. */
static void set_input(uint64_t number)
{
	for (int i = 0; i < cell_count; i++) {
		struct cell *cell = &cells[i];
		for (uint32_t read = 0; !cell->scripted && read < cell->reads; read++) {
			cell->values[read] = 0;
			for (uint32_t bit = 1; bit < 256; bit <<= 1)
				if (cell->mask & bit) {
					cell->values[read] |= number & 1 ? bit : 0;
					number >>= 1;
				}
		}
		cell->seen = 0;
		refill(cell);
	}
}

static void begin(void)
{
	for (int i = 0; i < ranges; i++) {
		if (!data[i].saved) {
			data[i].saved = malloc(data[i].size);
			memcpy(data[i].saved, host(data[i].address), data[i].size);
		}
		memcpy(host(data[i].address), data[i].saved, data[i].size);
	}
	set_input(results->next);
	path = 0xcbf29ce484222325ull;
	blocks = executed = 0;
	active = true;
	results->active = 1;
}

static void finish(uint32_t state)
{
	struct run *run = &results->runs[results->next];
	run->path = path;
	run->state |= state;
	active = false;
	results->active = 0;
	if (++results->next == inputs)
		_exit(0);
}

/* Of a sequence of blocks only what is not sequential counts, so that it does not matter how QEMU divides code. */
static void enter(unsigned cpu, void *user)
{
	const struct translated *block = user;
	(void)cpu;
	if (!active) {
		if (block->start != entry) {
			if (++blocks > limit)
				fail(4);
			return;
		}
		begin();
	} else {
		edge(now->last, block->start);
		if (now->end != block->start)
			path = ((path ^ now->last) * 0x100000001b3ull ^ block->start) * 0x100000001b3ull, path ^= path >> 31;
		if (++blocks > limit) {
			results->runs[results->next].state |= TOO_LONG;
			fail(2);
		}
		if (block->start == stop) {
			finish(ENDED);
			return;
		}
	}
	now = block;
	executed = 0;
	/* In case it faults; `executed` tells the instruction, see qemu_plugin_install. */
	results->runs[results->next].path = path;
	results->runs[results->next].fault = (uint64_t)(uintptr_t)0;
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
		if (!store && ++cell->seen > cell->reads && !cell->scripted) {
			results->runs[results->next].state |= TOO_MANY_READS;
			fail(3);
		}
		refill(cell);
	}
	if (probe && store && address == probe) {
		uint64_t divisor = 0;
		memcpy(&divisor, host(probe), probe_width);
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

void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, void (*)(unsigned, void *), int, void *);

static bool stepped;

static void translate(plugin_id id, struct block *block)
{
	(void)id;
	struct translated *own = calloc(1, sizeof *own);
	own->count = qemu_plugin_tb_n_insns(block);
	for (size_t i = 0; i < own->count; i++) {
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

static void read_plan(const char *file)
{
	char line[4096];
	FILE *plan = fopen(file, "r");
	while (plan && fgets(line, sizeof line, plan)) {
		char *word = strtok(line, " \n");
		uint64_t numbers[68] = {0};
		int count = 0;
		for (char *text; count < 68 && (text = strtok(NULL, " \n"));)
			numbers[count++] = strtoull(text, NULL, 16);
		if (!word)
			continue;
		if (!strcmp(word, "entry"))
			entry = numbers[0];
		else if (!strcmp(word, "stop"))
			stop = numbers[0];
		else if (!strcmp(word, "base"))
			base = numbers[0];
		else if (!strcmp(word, "inputs"))
			inputs = numbers[0];
		else if (!strcmp(word, "limit"))
			limit = numbers[0];
		else if (!strcmp(word, "stepped"))
			stepped = true;
		else if (!strcmp(word, "probe"))
			probe = numbers[0], probe_width = numbers[1];
		else if (!strcmp(word, "data") && ranges < MOST)
			data[ranges].address = numbers[0], data[ranges++].size = numbers[1];
		else if (!strcmp(word, "cell") && cell_count < MOST)
			cells[cell_count++] = (struct cell){.address = numbers[0], .mask = numbers[1], .reads = numbers[2]};
		else if (!strcmp(word, "script") && cell_count < MOST) {
			struct cell *cell = &cells[cell_count++];
			*cell = (struct cell){.address = numbers[0], .reads = count - 1, .scripted = true};
			for (int i = 1; i < count && i <= 64; i++)
				cell->values[i - 1] = numbers[i];
		}
	}
	if (!plan)
		exit(4);
	fclose(plan);
}

EXPORTED int qemu_plugin_install(plugin_id id, const void *information, int count, char **arguments)
{
	(void)information;
	const char *out = NULL;
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < count; i++) {
		if (!strncmp(arguments[i], "plan=", 5))
			read_plan(arguments[i] + 5);
		else if (!strncmp(arguments[i], "out=", 4))
			out = arguments[i] + 4;
	}
	int file = out ? open(out, O_RDWR | O_CREAT, 0644) : -1;
	if (file < 0 || ftruncate(file, sizeof *results) || !inputs || inputs > INPUTS)
		exit(4);
	results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (results == MAP_FAILED)
		exit(4);
	if (results->active) {
		/* The process before this one died of the guest's signal. */
		results->runs[results->next].state |= FAULTED;
		results->active = 0;
		results->next++;
		if (results->next == inputs)
			_exit(0);
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
