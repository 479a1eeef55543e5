/* The plan and the results of a program that runs a guest with every input, for `cargo xtask adversary`.
 *
 * Plan (lines of text, numbers in hexadecimal):
 *   entry A | stop A | inputs N | limit N (blocks or instructions per run) | base A | stack A | stepped
 *   data A SIZE                 restored before each run
 *   load A OFFSET SIZE          part of the program's file that is in memory at the start
 *   cell A MASK READS           input, one byte; each of READS reads has its own value below MASK
 *   script A VALUE...           one byte; the reads give these values in turn, the last one stays
 *   probe A SIZE                written with the divisor before each division
 *
 * Results go to a file that is mapped shared, so that they survive the process.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EDGES = 1 << 14, INPUTS = 1 << 16, MOST = 16 };
enum { ENDED = 1, FAULTED = 2, DIVIDED_BY_ZERO = 16 };
enum { TOO_MANY_EDGES = 1, TOO_LONG, TOO_MANY_READS, NO_START };

struct edge {
	uint64_t from, to;
	uint32_t first, used;
};

struct run {
	uint64_t path, fault;
	uint32_t state, unused;
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

struct range {
	uint64_t address, size, offset;
	uint8_t *saved;
};

static struct results *results;
static uint64_t entry, stop, inputs, limit, base, stack, probe, probe_size;
static struct range data[MOST], loads[MOST];
static struct cell cells[MOST];
static int data_count, load_count, cell_count;
static bool stepped;
static uint64_t path;

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
				fail(TOO_MANY_EDGES);
			return;
		}
		if (found->from == from && found->to == to)
			return;
	}
}

static void extend_path(uint64_t from, uint64_t to)
{
	path = ((path ^ from) * 0x100000001b3ull ^ to) * 0x100000001b3ull;
	path ^= path >> 31;
}

/* The value of the cell's next read. */
static uint8_t cell_value(const struct cell *cell)
{
	uint32_t last = cell->reads - 1;
	return cell->values[cell->seen < last ? cell->seen : last];
}

/* Counts a read of a cell. */
static void cell_read(struct cell *cell)
{
	if (++cell->seen > cell->reads && !cell->scripted)
		fail(TOO_MANY_READS);
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
	}
}

static void finish(uint32_t state)
{
	results->runs[results->next].path = path;
	results->runs[results->next].state |= state;
	results->active = 0;
	if (++results->next == inputs)
		_exit(0);
}

static void read_plan(const char *file)
{
	char line[4096];
	FILE *plan = fopen(file, "r");
	while (plan && fgets(line, sizeof line, plan)) {
		char *word = strtok(line, " \n");
		uint64_t numbers[66] = {0};
		int count = 0;
		for (char *text; count < 65 && (text = strtok(NULL, " \n"));)
			numbers[count++] = strtoull(text, NULL, 16);
		if (!word)
			continue;
		if (!strcmp(word, "entry"))
			entry = numbers[0];
		else if (!strcmp(word, "stop"))
			stop = numbers[0];
		else if (!strcmp(word, "base"))
			base = numbers[0];
		else if (!strcmp(word, "stack"))
			stack = numbers[0];
		else if (!strcmp(word, "inputs"))
			inputs = numbers[0];
		else if (!strcmp(word, "limit"))
			limit = numbers[0];
		else if (!strcmp(word, "stepped"))
			stepped = true;
		else if (!strcmp(word, "probe"))
			probe = numbers[0], probe_size = numbers[1];
		else if (!strcmp(word, "data") && data_count < MOST)
			data[data_count++] = (struct range){.address = numbers[0], .size = numbers[1]};
		else if (!strcmp(word, "load") && load_count < MOST)
			loads[load_count++] = (struct range){.address = numbers[0], .offset = numbers[1], .size = numbers[2]};
		else if (!strcmp(word, "cell") && cell_count < MOST)
			cells[cell_count++] = (struct cell){.address = numbers[0], .mask = numbers[1], .reads = numbers[2]};
		else if (!strcmp(word, "script") && cell_count < MOST) {
			struct cell *cell = &cells[cell_count++];
			*cell = (struct cell){.address = numbers[0], .reads = count - 1, .scripted = true};
			for (int i = 1; i < count; i++)
				cell->values[i - 1] = numbers[i];
		}
	}
	if (!plan || !inputs || inputs > INPUTS)
		exit(4);
	fclose(plan);
}

static void map_results(const char *name)
{
	int file = open(name, O_RDWR | O_CREAT, 0644);
	if (file < 0 || ftruncate(file, sizeof *results))
		exit(4);
	results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (results == MAP_FAILED)
		exit(4);
	if (results->active) {
		/* The process before this one died within a run. */
		results->runs[results->next].state |= FAULTED;
		results->active = 0;
		if (++results->next == inputs)
			_exit(0);
	}
}
