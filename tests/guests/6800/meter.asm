; Arithmetic of several bytes: pulses times a factor, in 24 bits, against a limit, and the result's low byte in decimal.
;
; 65535 times 15 fits into 20 bits, so that the carry out of the 24th is checked in vain.

        cpu 6800
        output scode

high    = $8000         ; pulses, as two reads of two ports
low     = $8001
factor  = $8002         ; its low half

value   = $10           ; three bytes, the highest first
product = $13           ; three bytes
scale   = $16
verdict = $17           ; 0 small, 1 above the limit, 2 at it, 3 does not fit, 4 nothing counted
decimal = $18           ; the last two digits

LIMIT_H = $03           ; 200000
LIMIT_M = $0d
LIMIT_L = $40

        * = $c000
start   lds #$7f
        clr value
        ldaa high
        staa value+1
        ldaa low
        staa value+2
        oraa value+1
        bne counted
        ldab #4
        bra judged

counted ldaa factor
        anda #$0f
        staa scale
        clr product
        clr product+1
        clr product+2

; Shift and add, until nothing is left of the factor.
times   tst scale
        beq compare
        lsr scale
        bcc double
        ldaa product+2
        adda value+2
        staa product+2
        ldaa product+1
        adca value+1
        staa product+1
        ldaa product
        adca value
        staa product
        bcs too_big
double  asl value+2
        rol value+1
        rol value
        bra times

too_big ldab #3
        bra judged

compare ldaa product
        cmpa #LIMIT_H
        bne unequal
        ldaa product+1
        cmpa #LIMIT_M
        bne unequal
        ldaa product+2
        cmpa #LIMIT_L
        bne unequal
        ldab #2
        bra judged
unequal bcs small
        ldab #1
        bra judged
small   clrb

; The number of the verdict plus nine, as two decimal digits.
judged  stab verdict
        tba
        adda #9
        daa
        staa decimal
        cmpa #$10
        bcs digit
        inc decimal+1
digit   bra digit

        * = $fffe
        dw start
        code
