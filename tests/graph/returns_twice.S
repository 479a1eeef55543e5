# A function that keeps its return address elsewhere, mangled, returns again when something jumps there.
# @build gcc -nostdlib -static -no-pie
# @reached again
# @unknown back RAX
# @unknown back RSP
	.globl _start, back, again
	.text
_start:	lea buffer(%rip), %rdi
	call saves
back:	test %eax, %eax
	jne again
	lea buffer(%rip), %rdi
	call restores
again:	mov $60, %eax
	mov $7, %edi
	syscall
	hlt
saves:	xor %esi, %esi
	jmp keeps
keeps:	mov %rbx, (%rdi)
	mov (%rsp), %rax
	xor %fs:0x30, %rax
	rol $17, %rax
	mov %rax, 8(%rdi)
	lea 8(%rsp), %rdx
	mov %rdx, 16(%rdi)
	xor %eax, %eax
	ret
restores:
	mov (%rdi), %rbx
	mov 8(%rdi), %rdx
	ror $17, %rdx
	xor %fs:0x30, %rdx
	mov 16(%rdi), %rsp
	mov $42, %eax
	jmp *%rdx
	.bss
buffer:	.zero 64
