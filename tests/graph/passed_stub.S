// Code inside another function's table entry, which only its address leads to.
// @build aarch64-linux-gnu-gcc -nostdlib -static
// @block stub
// @block main
	.globl _start, stub, main
	.text
_start:	.cfi_startproc
	adrp x0, stub
	add x0, x0, :lo12:stub
	bl starts
	b .
stub:	nop
	b main
	.cfi_endproc
starts:	.cfi_startproc
	mov x1, x0
	br x1
	.cfi_endproc
main:	.cfi_startproc
	mov w0, #0
	ret
	.cfi_endproc
