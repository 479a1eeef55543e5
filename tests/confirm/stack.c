/* The stack of a guest that runs where nothing else gives it one. Where it lies is said to the linker. */
__attribute__((section(".guest_stack"), used)) static char guest_stack[0x20000] = {0};
