/* An executor for `cargo xtask conform`: simavr's core without any peripheral, so that all data memory is memory.
 *
 * Requests come on standard input, answers go to standard output; numbers are little-endian.
 *   request: 'R' u32 writes { u64 place, u32 size, bytes } u32 size registers u32 steps u32 reads { u64 place, u32 size }
 *            'T' u32 last, then as after 'R': runs until it is at this address or all steps are done
 *            'G'
 *   answer:  u32 signal (0: none) u32 size registers, then the bytes of all reads
 *            to 'T', before that: u32 count { u32 address } of the instructions that were run
 * Registers: R0 to R31, SREG, SP (2 bytes), RAMPZ, PC (4 bytes, counting bytes).
 * Places: program memory from 0, data memory from 0x800000.
 */
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM = 0x20000, DATA = 0x10000, DATA_PLACE = 0x800000, REGISTERS = 32 + 1 + 2 + 1 + 4, INVALID = 4, CRASH = 11 };

static avr_t *avr;
/* What the core complained of. */
static int signal_number;

static void complain(avr_t *core, const int level, const char *format, va_list arguments)
{
	(void)core;
	(void)arguments;
	/* Only the first complaint says what it is. */
	if (level <= LOG_ERROR && !signal_number)
		signal_number = strstr(format, "Invalid Opcode") ? INVALID : CRASH;
}

static void take(void *bytes, size_t size)
{
	if (size && fread(bytes, size, 1, stdin) != 1)
		exit(0);
}

static uint32_t number(void)
{
	uint32_t value;
	take(&value, sizeof value);
	return value;
}

static void give(const void *bytes, size_t size)
{
	if (size && fwrite(bytes, size, 1, stdout) != 1)
		exit(1);
}

/* Where a place lies here. */
static uint8_t *find(uint64_t place, uint32_t size)
{
	if (place + size <= PROGRAM)
		return avr->flash + place;
	if (place >= DATA_PLACE && place + size <= DATA_PLACE + DATA)
		return avr->data + (place - DATA_PLACE);
	fprintf(stderr, "no memory at %#lx\n", (unsigned long)place);
	exit(1);
}

static void set_registers(const uint8_t *bytes)
{
	memcpy(avr->data, bytes, 32);
	for (int bit = 0; bit < 8; bit++)
		avr->sreg[bit] = bytes[32] >> bit & 1;
	avr->data[R_SREG] = bytes[32];
	avr->data[R_SPL] = bytes[33];
	avr->data[R_SPH] = bytes[34];
	avr->data[avr->rampz] = bytes[35];
	memcpy(&avr->pc, bytes + 36, 4);
}

static void give_registers(void)
{
	uint8_t bytes[REGISTERS];
	uint32_t size = REGISTERS;
	memcpy(bytes, avr->data, 32);
	bytes[32] = 0;
	for (int bit = 0; bit < 8; bit++)
		bytes[32] |= (avr->sreg[bit] & 1) << bit;
	bytes[33] = avr->data[R_SPL];
	bytes[34] = avr->data[R_SPH];
	bytes[35] = avr->data[avr->rampz];
	/* The counter has 16 bits and counts words; simavr keeps what goes beyond. */
	uint32_t counter = avr->pc % PROGRAM;
	memcpy(bytes + 36, &counter, 4);
	give(&size, sizeof size);
	give(bytes, sizeof bytes);
}

/* Steps until `last`, and gives the addresses. */
static void trace(uint32_t last, uint32_t steps)
{
	uint32_t count = 0, room = 1 << 16;
	uint32_t *addresses = malloc(room * sizeof *addresses);
	while (avr->pc != last && count < steps && !signal_number) {
		if (count == room)
			addresses = realloc(addresses, (room *= 2) * sizeof *addresses);
		if (!addresses)
			exit(1);
		addresses[count++] = avr->pc;
		avr->pc = avr_run_one(avr) % PROGRAM;
	}
	give(&count, sizeof count);
	give(addresses, count * sizeof *addresses);
	free(addresses);
}

static void run(int traced)
{
	uint32_t last = traced ? number() : 0;
	uint8_t registers[REGISTERS];
	for (uint32_t writes = number(); writes; writes--) {
		uint64_t place;
		take(&place, sizeof place);
		uint32_t size = number();
		take(find(place, size), size);
	}
	if (number() != REGISTERS)
		exit(1);
	take(registers, sizeof registers);
	set_registers(registers);
	signal_number = 0;
	avr->state = cpu_Running;
	avr->interrupt_state = 0;
	uint32_t steps = number();
	if (traced)
		trace(last, steps);
	else
		for (; steps && !signal_number; steps--)
			avr->pc = avr_run_one(avr);
	uint32_t signal = signal_number;
	give(&signal, sizeof signal);
	give_registers();
	for (uint32_t reads = number(); reads; reads--) {
		uint64_t place;
		take(&place, sizeof place);
		uint32_t size = number();
		give(find(place, size), size);
	}
	fflush(stdout);
}

static void nothing(avr_t *core)
{
	(void)core;
}

int main(void)
{
	avr_t core = {
		.mmcu = "core", .ioend = 0x5f, .ramend = DATA - 1, .flashend = PROGRAM - 1, .e2end = 0xff,
		.vector_size = 4, .address_size = 2, .rampz = 0x5b, .codeend = PROGRAM, .log = LOG_ERROR,
		.init = nothing, .reset = nothing,
	};
	avr_global_logger_set(complain);
	avr = avr_core_allocate(&core, sizeof core);
	if (avr_init(avr))
		return 1;
	avr->codeend = PROGRAM;
	for (int command; (command = getchar()) != EOF;) {
		if (command == 'G') {
			uint32_t signal = 0;
			give(&signal, sizeof signal);
			give_registers();
			fflush(stdout);
		} else {
			run(command == 'T');
		}
	}
	return 0;
}
