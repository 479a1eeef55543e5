# A function that leaves by a jump of which nothing is known: what it jumps to gives the stack back.
# @build riscv64-linux-gnu-gcc -nostdlib -static
# @reached after
# @unknown after sp
	.globl _start, after
	.text
_start:	addi sp, sp, -64
	jal leave
after:	addi a0, a0, 0
	li a7, 93
	ecall
1:	j 1b
leave:	addi sp, sp, -512
	la a5, pointer
	ld a5, 0(a5)
	jr a5
target:	li a0, 42
	addi sp, sp, 512
	ret
	.data
pointer: .dword target
