// Code that is also read as data, as a checksum of the program does: the function that it is in may return.
// @build gcc -nostdlib -static -no-pie
// @returns twice
// @block behind
	.globl _start, twice, behind
	.text
_start:	call check
	mov $2, %edi
	call twice
behind:	nop
	jmp .
check:	.cfi_startproc
	mov inside(%rip), %eax
	ret
	.cfi_endproc
twice:	.cfi_startproc
	lea (%rdi,%rdi), %eax
inside:	nop
	ret
	.cfi_endproc
