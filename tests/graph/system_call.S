// A system call changes registers and memory: what they held before says nothing of a jump behind it.
// @build gcc -nostdlib -static -no-pie
// @targets by_result 2
// @block first
// @block second
// @unresolved by_memory
// @unresolved by_convention
	.globl _start, by_result, by_memory, by_convention, first, second
	.text
_start:	call by_result
	call by_memory
	call by_convention
	jmp .
by_result:
	.cfi_startproc
	mov $1, %eax
	syscall
	and $1, %eax
	jmp *table(,%rax,8)
first:	nop
	ret
second:	ret
	.cfi_endproc
by_memory:
	.cfi_startproc
	sub $24, %rsp
	movq $first, 8(%rsp)
	mov $0, %eax
	mov $0, %edi
	lea 8(%rsp), %rsi
	mov $8, %edx
	syscall
	mov 8(%rsp), %rax
	add $24, %rsp
	jmp *%rax
	.cfi_endproc
// That a system call preserves a register is a convention.
by_convention:
	.cfi_startproc
	lea first(%rip), %rbx
1:	mov $39, %eax
	syscall
	test %eax, %eax
	js 1b
	jmp *%rbx
	.cfi_endproc
	.section .rodata
	.balign 8
table:	.quad first, second
