# A function that changes to another stack returns behind a call that was made in another state.
# @build gcc -nostdlib -static -no-pie
# @unknown behind R12
	.globl _start, switch, behind
	.text
_start:	mov $0x22, %r12
	lea first(%rip), %rdi
	mov $second_stack, %esi
	call switch
behind:	nop
	mov $0x99, %r12
	lea second(%rip), %rdi
	mov first(%rip), %rsi
	call switch
	hlt
	.type switch, @function
switch:	mov %rsp, (%rdi)
	mov %rsi, %rsp
	ret
	.data
	.balign 8
first:	.quad 0
second:	.quad 0
	.quad 0, 0, 0, 0
second_stack:	.quad behind
