# A callee's store that begins in its own frame and ends in that of its caller changes the caller's slot.
# @build riscv64-linux-gnu-gcc -march=rv32imafdc -mabi=ilp32 -nostdlib -static
# @unknown behind a1
	.globl _start, f, behind
	.text
_start:	addi sp, sp, -64
	li t0, 5
	sw t0, 0(sp)
	jal ra, f
	lw a1, 0(sp)
	j behind
behind:	li a7, 93
	mv a0, a1
	ecall
	.type f, @function
f:	fsd fa0, -4(sp)
	ret
