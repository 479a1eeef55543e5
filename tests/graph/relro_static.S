# A program that no dynamic linker loads writes its own protected memory before it protects it.
# @build gcc -nostdlib -static -no-pie -Wl,-z,relro
# @reached live
# @block live
	.globl _start, live
	.text
_start:	mov $1, %eax
	mov %eax, setting(%rip)
	call run
	hlt
run:	mov setting(%rip), %eax
	test %eax, %eax
	je dead
live:	mov $2, %eax
	ret
dead:	mov $3, %eax
	ret
	.section .data.rel.ro, "aw"
	.balign 8
setting: .quad 0
	.quad setting
