@ A jump to an address that the file has nothing at may return.
@ @build arm-linux-gnueabi-gcc -nostdlib -static
@ @returns thread_pointer
@ @unresolved thread_pointer
@ @block behind
	.globl _start, thread_pointer, behind
	.text
	.arm
_start:	bl thread_pointer
behind:	mov r7, #1
	svc #0
	b .
thread_pointer:
	mvn r0, #0xf000
	sub pc, r0, #31
