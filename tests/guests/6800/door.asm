; A state machine of a door, driven by tables: which state follows which event, and where the code of each state is.
;
; Events come from a port, two bits each; what a state does is reached by a computed jump. It stops after three events,
; or when the door is broken.

        cpu 6800
        output scode

events  = $8000         ; 0 nothing, 1 button, 2 end of the way, 3 obstacle
motor   = $8001         ; 0 off, 1 opening, 2 closing

state   = $10           ; 0 closed, 1 opening, 2 open, 3 closing, 4 broken
left    = $11
jammed  = $12           ; how often something was in the way
pointer = $13           ; two bytes

DEFECT  = 4

        * = $e000
start   lds #$7f
        clr state
        clr jammed
        ldaa #3
        staa left

again   ldab events
        andb #3
        ldaa state      ; four entries for each state
        asla
        asla
        aba
        ldx #follows
        jsr entry
        ldaa 0,x
        staa state

        asla            ; two bytes for each state
        ldx #actions
        jsr entry
        ldx 0,x
        jmp 0,x

; X = X + A
entry   stx pointer
        adda pointer+1
        staa pointer+1
        ldaa pointer
        adca #0
        staa pointer
        ldx pointer
        rts

closed  clr motor
        bra next
opening ldaa #1
        staa motor
        bra next
open    clr motor
        bra next
closing ldaa #2
        staa motor
        bra next
broken  clr motor
stuck   bra stuck

next    cmpb #3
        bne fine
        inc jammed
        ldaa jammed
        cmpa #2
        bcs fine
        ldaa #DEFECT
        staa state
        bra broken
fine    dec left
        bne again
done    bra done

;               nothing button end  obstacle
follows db      0,      1,     0,   0           ; closed
        db      1,      3,     2,   3           ; opening
        db      2,      3,     2,   2           ; open
        db      3,      1,     0,   1           ; closing
        db      4,      4,     4,   4           ; broken

actions dw      closed, opening, open, closing, broken

        * = $fffe
        dw start
        code
