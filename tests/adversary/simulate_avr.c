/* Runs an AVR program once for every input on simavr's core, without any peripheral, for `cargo xtask adversary`.
 *
 *   simulate_avr PLAN RESULTS PROGRAM
 *
 * Addresses of the plan: program memory from 0, data memory from 0x800000.
 */
#include "every_input.h"
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdarg.h>

enum { PROGRAM = 0x20000, DATA = 0x10000, DATA_PLACE = 0x800000 };

static avr_t *avr;
static bool faulted;

static void complain(avr_t *core, const int level, const char *format, va_list arguments)
{
	(void)core;
	(void)format;
	(void)arguments;
	if (level <= LOG_ERROR)
		faulted = true;
}

static void nothing(avr_t *core)
{
	(void)core;
}

static uint16_t word_at(uint32_t address)
{
	return avr->flash[address] | avr->flash[address + 1] << 8;
}

/* The address of data memory that the next instruction loads from; -1 if it is no load. */
static long loaded(void)
{
	uint16_t code = word_at(avr->pc);
	const uint8_t *r = avr->data;
	uint16_t x = r[26] | r[27] << 8, y = r[28] | r[29] << 8, z = r[30] | r[31] << 8;
	unsigned far = (code & 7) | (code >> 7 & 0x18) | (code >> 8 & 0x20);
	switch (code & 0xfe0f) {
	case 0x9000: return word_at(avr->pc + 2);
	case 0x9001: return z;
	case 0x9002: return (uint16_t)(z - 1);
	case 0x9009: return y;
	case 0x900a: return (uint16_t)(y - 1);
	case 0x900c: case 0x900d: return x;
	case 0x900e: return (uint16_t)(x - 1);
	}
	if ((code & 0xd208) == 0x8008)
		return (uint16_t)(y + far);
	if ((code & 0xd208) == 0x8000)
		return (uint16_t)(z + far);
	return -1;
}

static void begin(const uint8_t *start)
{
	memcpy(avr->data, start, DATA);
	memset(avr->sreg, 0, sizeof avr->sreg);
	avr->data[R_SPL] = stack;
	avr->data[R_SPH] = stack >> 8;
	avr->pc = entry;
	avr->state = cpu_Running;
	faulted = false;
	set_input(results->next);
	path = 0xcbf29ce484222325ull;
	results->active = 1;
}

static void run(void)
{
	for (uint64_t steps = 0; avr->pc != stop; steps++) {
		if (steps > limit)
			fail(TOO_LONG);
		for (int i = 0; i < cell_count; i++)
			avr->data[cells[i].address - DATA_PLACE] = cell_value(&cells[i]);
		long from = loaded();
		uint32_t at = avr->pc;
		avr->pc = avr_run_one(avr) % PROGRAM;
		for (int i = 0; i < cell_count; i++)
			if (from >= 0 && (uint64_t)from + DATA_PLACE == cells[i].address)
				cell_read(&cells[i]);
		if (faulted) {
			results->runs[results->next].fault = at;
			finish(FAULTED);
			return;
		}
		edge(at, avr->pc);
		extend_path(at, avr->pc);
	}
	finish(ENDED);
}

int main(int count, char **arguments)
{
	avr_t core = {
		.mmcu = "core", .ioend = 0x5f, .ramend = DATA - 1, .flashend = PROGRAM - 1, .e2end = 0xff,
		.vector_size = 4, .address_size = 2, .rampz = 0x5b, .codeend = PROGRAM, .log = LOG_ERROR,
		.init = nothing, .reset = nothing,
	};
	static uint8_t start[DATA];
	if (count != 4)
		return 4;
	read_plan(arguments[1]);
	map_results(arguments[2]);
	FILE *file = fopen(arguments[3], "r");
	avr_global_logger_set(complain);
	avr = avr_core_allocate(&core, sizeof core);
	if (!file || avr_init(avr))
		return 4;
	avr->codeend = PROGRAM;
	for (int i = 0; i < load_count; i++) {
		struct range *load = &loads[i];
		uint8_t *to = load->address >= DATA_PLACE ? start + (load->address - DATA_PLACE) : avr->flash + load->address;
		if (fseek(file, load->offset, SEEK_SET) || fread(to, 1, load->size, file) != load->size)
			return 4;
	}
	for (;;) {
		begin(start);
		run();
	}
}
