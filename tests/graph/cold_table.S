# A table that a byte indexes has 256 entries, some of them in the part of the function that is seldom run.
# @build gcc -nostdlib -static -no-pie
# @targets run 10
# @resolved run
	.globl _start, run
	.text
_start:	mov %rsp, %rdi
	call run
	mov $60, %eax
	xor %edi, %edi
	syscall
	hlt
	.type run, @function
run:	.cfi_startproc
	sub $0x28, %rsp
	.cfi_adjust_cfa_offset 0x28
	movzbl 2(%rdi), %eax
	mov table(, %rax, 8), %rax
	jmp *%rax
	.altmacro
	.macro part name, value
\name:	mov $\value, %eax
	add $0x28, %rsp
	ret
	.endm
	part l0, 0
	part l1, 1
	part l2, 2
	part l3, 3
	part l4, 4
	part l5, 5
	part l6, 6
	part l7, 7
	.cfi_endproc
	.section .text.unlikely, "ax"
	.cfi_startproc
	part c0, 99
	part c1, 98
	.cfi_endproc
	.section .rodata
	.balign 8
table:	.rept 16
	.quad l0, l1, l2, l3, l4, l5, l6, l7, c0, l1, l2, l3, l4, l5, l6, c1
	.endr
