# A function that is not known may give back more of the stack than its return address.
# @build gcc -nostdlib -static -no-pie
# @reached after
# @unknown after RSP
	.globl _start, after
	.text
_start:	xor %ebx, %ebx
	mov pointer(%rip), %rax
	sub $16, %rsp
	call *%rax
after:	mov %rsp, %rdi
	mov $60, %eax
	syscall
	hlt
pops:	mov $5, %ebx
	ret $16
	.data
pointer: .quad pops
