.text
.globl main
main:
 movzbl in_a(%rip),%ecx
 mov $0x1234,%eax
 div %cl
 push f(%rip)
 pop %rdx
 jmp *%rdx
1: cmp $0x20,%cl
 jb 2f
 nop
2: ret
.data
f: .quad 1b
