@ An unrolled division is entered by how many leading zeros one number has more than another: their order bounds that.
@ @build arm-linux-gnueabihf-gcc -mthumb -nostdlib -static
@ @block first
@ @block last
@ @targets divide 33
	.syntax unified
	.globl _start, divide, first, last
	.text
	.thumb
	.thumb_func
_start:	ldr r2, =numbers
	ldrd r0, r1, [r2]
	bl divide
1:	b 1b
	.ltorg
	.balign 4
	.thumb_func
divide:	cmp r0, r1
	bls done
	clz r3, r0
	clz r2, r1
	sub r3, r2, r3
	rsb r3, r3, #31
	adr r2, first
	add r3, r2, r3, lsl #2
	mov pc, r3
	.balign 4
	nop
	nop
first:	.rept 31
	adds r0, #1
	nop
	.endr
last:	adds r0, #2
	nop
done:	bx lr
	.data
	.balign 4
numbers:	.word 100, 7
