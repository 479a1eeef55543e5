@ A table of labels without the bit that says Thumb names no functions of the other instruction set.
@ @build arm-linux-gnueabihf-gcc -mthumb -nostdlib -static
@ @no-function odd
@ @no-function odder
	.syntax unified
	.globl _start, odd, odder
	.text
	.thumb
	.thumb_func
_start:	push {r4, lr}
	ldr r1, =table
	ldr r2, =index
	ldr r2, [r2]
	ldr r0, [r1, r2, lsl #2]
	orr r0, r0, #1
	nop
	bx r0
	.balign 4
	nop
odd:	movs r0, #1
	nop
	b end
	.balign 4
	nop
odder:	movs r0, #2
	nop
end:	b end
	.data
	.balign 4
table:	.word odd
	.word odder
index:	.word 0
