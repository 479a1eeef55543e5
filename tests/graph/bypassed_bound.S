// A comparison bounds the index of each table, and something leads past it. Each program ends with 3, the third entry.
// @build gcc -nostdlib -static -no-pie
// @block first
// @block second
// @unresolved undecoded
// @unresolved read_as_data
// @unresolved fallen_into
// @unresolved by_flags
// @unresolved by_store
// @unresolved-at last_jump
// @unresolved-at shared
// @unknown undecoded_table RCX
// @unknown data_table RDX
	.globl _start, first, second
	.text
_start:	mov $2, %edi
	call undecoded
	mov $2, %edi
	call read_as_data
	mov $1, %edi
	call fallen_into
	mov pointer(%rip), %rax
	mov $2, %edi
	call *%rax
	call by_flags
	call by_store
	mov $1, %esi
	call another_jump
	call checks
	call chooses
	jmp .

// An instruction that the description lacks may lead anywhere.
	.globl undecoded, undecoded_table
undecoded:
	.cfi_startproc
	mov %edi, %edi
	cmp $1, %edi
	ja 1f
	xor %ecx, %ecx
	jmp undecoded_table
1:	mov $5, %ecx
	.byte 0xc5, 0xed, 0x4a, 0xd9	// kaddb %k1, %k2, %k3
undecoded_table:
	mov %ecx, %ecx
	jmp *table(,%rdi,8)
	.cfi_endproc

// Code that the program reads, as a checksum of itself does.
	.globl read_as_data, data_table
read_as_data:
	.cfi_startproc
	mov %edi, %edi
	mov $7, %edx
	cmp $1, %edi
	ja 1f
	jmp data_table
1:	mov 2f(%rip), %eax
2:	xor %edx, %edx
	jmp data_table
	nop
data_table:
	mov %edi, %edi
	jmp *table(,%rdi,8)
	.cfi_endproc

// A function that another one falls into.
	.globl fallen_into
fallen_into:
	mov %edi, %edi
	cmp $1, %edi
	ja out
fallen_entry:
	nop
	jmp *table(,%rdi,8)

// Operations with a result may write what they do not name.
	.globl by_flags
by_flags:
	.cfi_startproc
	mov %edi, %edi
	cmp $1, %edi
	pcmpistri $0, %xmm0, %xmm1
	ja out
	jmp *table(,%rdi,8)
	.cfi_endproc
	.globl by_store
by_store:
	.cfi_startproc
	lea -16(%rsp), %rdi
	movq $0, (%rdi)
	maskmovdqu %xmm1, %xmm0
	mov (%rdi), %rdx
	jmp *table(,%rdx,8)
	.cfi_endproc

// An unresolved jump may lead to any block of its function.
	.globl another_jump, last_jump
another_jump:
	.cfi_startproc
	test %esi, %esi
	jne 1f
	jmp *hidden(%rip)
1:	cmp $1, %edi
	ja out
2:	mov %edi, %edi
last_jump:
	jmp *table(,%rdi,8)
	.cfi_endproc

// A block to which a jump of one function and a table of another lead, and a pointer in data.
	.globl checks, shared, chooses
checks:	.cfi_startproc
	cmp $1, %edi
	ja out
	jmp shared
	.cfi_endproc
	.cfi_startproc
shared:	mov %edi, %edi
	jmp *table(,%rdi,8)
	.cfi_endproc
chooses:
	.cfi_startproc
	mov %edi, %edi
	cmp $1, %edi
	ja out
	jmp *choice(,%rdi,8)
	.cfi_endproc

first:	mov $1, %eax
	ret
second:	mov $2, %eax
	ret
third:	mov $3, %eax
	ret
out:	xor %eax, %eax
	ret
	.section .rodata
	.balign 8
table:	.quad first, second, third
choice:	.quad shared, out
	.data
	.balign 8
pointer:
	.quad fallen_entry
	.quad 0
	.quad shared
hidden:	.quad 0
