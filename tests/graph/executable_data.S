// A table leads to code outside of the sections for code, in a segment that may be executed.
// @build gcc -nostdlib -static -no-pie -Wl,-z,noseparate-code
// @unresolved choose
	.globl _start, choose
	.text
_start:	mov $1, %edi
	call choose
	jmp .
choose:	.cfi_startproc
	mov %edi, %edi
	cmp $1, %edi
	ja out
	jmp *table(,%rdi,8)
out:	xor %eax, %eax
	ret
	.cfi_endproc
inside:	mov $1, %eax
	ret
	.section .rodata
	.balign 8
table:	.quad inside, outside
outside:
	mov $2, %eax
	ret
