# A stack slot that is read behind two calls holds what was stored in it, not a return address that a call has pushed.
# @build gcc -nostdlib -static -no-pie
# @no-function first
# @no-function second
# @function target
# @reached second
	.globl _start, first, second, target
	.text
_start:	sub $0x18, %rsp
	lea target(%rip), %rax
	mov %rax, 8(%rsp)
	call callee
first:	nop
	call callee
second:	mov 8(%rsp), %rcx
	call *%rcx
	hlt
	.type callee, @function
callee:	ret
	.type target, @function
target:	ret
