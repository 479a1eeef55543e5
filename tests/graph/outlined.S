# A part of a function that is seldom run lies elsewhere, with unwinding of its own, and leads back: the address of the table,
# which a register keeps over the whole loop, reaches the jump through it.
# @build gcc -nostdlib -static -no-pie
# @block one
# @block two
	.globl _start, run, one, two, zero, helper
	.text
_start:	call run
	hlt
	.type helper, @function
helper:	.cfi_startproc
	mov value(%rip), %eax
	ret
	.cfi_endproc
	.type run, @function
run:	.cfi_startproc
	push %r12
	.cfi_adjust_cfa_offset 8
	lea table(%rip), %r12
again:	call helper
	call helper
	cmp $2, %eax
	ja rare
	mov %eax, %eax
	movslq (%r12, %rax, 4), %rax
	add %r12, %rax
	jmp *%rax
zero:	pop %r12
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
one:	call helper
	jmp again
two:	call helper
	call helper
	jmp again
behind:	call helper
	jmp again
	.cfi_endproc
	.section .text.unlikely, "ax"
	.cfi_startproc
rare:	jmp behind
	.cfi_endproc
	.section .rodata
	.balign 4
table:	.long zero - table, one - table, two - table
	.data
value:	.long 1
