# A function keeps the global pointer on the stack over calls, and finds a table and other functions from it; the file says
# what it is.
# @build mips-linux-gnu-gcc -nostdlib -static -mno-abicalls -fno-pic
# @block zero
# @block one
# @block two
# @targets run 3
# @unresolved run
	.globl __start, run, zero, one, two, helper
	.text
	.set noreorder
	.ent __start
__start: lui $28, %hi(_gp)
	addiu $28, $28, %lo(_gp)
	lui $25, %hi(run)
	addiu $25, $25, %lo(run)
	jal run
	nop
	.end __start
	.ent helper
helper:	lw $2, 0($4)
	jr $31
	nop
	.end helper
	.ent run
run:	addiu $29, $29, -32
	sw $31, 28($29)
	sw $28, 16($29)
again:	jal helper
	nop
	lw $28, 16($29)
	sltiu $3, $2, 3
	beqz $3, again
	sll $2, $2, 2
	addiu $3, $28, %gp_rel(table)
	addu $2, $2, $3
	lw $2, 0($2)
	jr $2
	nop
zero:	lw $31, 28($29)
	jr $31
	addiu $29, $29, 32
one:	jal helper
	nop
	b again
	nop
two:	jal helper
	nop
	jal helper
	nop
	b again
	nop
	.end run
	.section .data.rel.ro, "aw"
	.balign 4
table:	.word zero, one, two
