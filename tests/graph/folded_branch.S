# A branch that is constant where its block begins is not where something jumps into the block.
# @build gcc -nostdlib -static -no-pie
# @block done
# @reached done
	.globl _start, done
	.text
_start:	xor %ebx, %ebx
again:	cmp $3, %ebx
	jae done
	inc %ebx
	mov offset(%rip), %rax
	lea again(%rip), %rcx
	add %rcx, %rax
	jmp *%rax
done:	mov %ebx, %edi
	mov $60, %eax
	syscall
	hlt
	.data
offset:	.quad 0
