        cpu 6800
        output scode
acc     = $10
input   = $11
second  = $12
pointer = $13
        * = $e000
start   lds #$7f
        ldaa $8000
        staa input
        staa acc
        ldab $8001
        andb #15
        stab second
; The operand of a compare swallows a load: overlapping instructions.
        ldaa acc
        cmpa #248
        beq o1
        ldab #42
        db $8c
o1    ldab #169
        stab acc
        ldaa acc
        anda #6
        ldx #t2
        jsr entry
        ldx 0,x
        jmp 0,x
t2    dw t2a, t2b, t2c, t2a
t2a   inc acc
t2b   ldaa #73
        eora acc
        staa acc
t2c   ldab second
        jmp done
; X = X + A
entry   stx pointer
        adda pointer+1
        staa pointer+1
        ldaa pointer
        adca #0
        staa pointer
        ldx pointer
        rts
; Returns early for some values of A.
early   cmpa #$40
        bcc early1
        rts
early1  cmpa #$80
        bne early2
        inc acc
        rts
early2  eora #$55
        staa acc
        rts
        * = $ff00
done    bra done
        * = $fffe
        dw start
        code

