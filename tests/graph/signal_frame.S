# Where a signal handler returns to, the tables for unwinding begin one byte early on purpose.
# @build gcc -nostdlib -static -no-pie
# @function restorer
	.globl _start, restorer
	.text
_start:	mov $60, %eax
	syscall
	hlt
	.balign 16
	.skip 15, 0x90
	.cfi_startproc
	.cfi_signal_frame
	.byte 0
restorer:
	mov $15, %rax
	syscall
	.cfi_endproc
	.cfi_startproc
	hlt
	.cfi_endproc
