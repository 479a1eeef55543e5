# A store at a small negative offset that reaches across its base changes the index behind the check of its bound.
# @build arm-none-eabi-gcc -nostdlib -static
# @unresolved f
	.syntax unified
	.arch armv7-a
	.text
	.globl _start, f
_start:	ldr r0, =variable
	ldr r4, =0x00050000
	bl f
	mov r7, #1
	svc 0
	.type f, %function
f:	ldr r3, [r0]
	cmp r3, #3
	bhi 9f
	str r4, [r0, #-2]
	ldr r3, [r0]
	ldr r2, =table
	ldr pc, [r2, r3, lsl #2]
9:	mov r0, #1
	bx lr
c0:	mov r0, #10
	bx lr
c1:	mov r0, #11
	bx lr
c5:	mov r0, #15
	bx lr
	.ltorg
	.section .rodata
	.p2align 2
table:	.word c0, c1, c0, c1, 0, c5
	.data
	.word 0
variable: .word 0, 0
