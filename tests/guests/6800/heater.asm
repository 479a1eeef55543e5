; A controller: waits for a converter, switches a heater with hysteresis, and gives up when something is wrong.
;
; Every read of `status` and `sensor` is another one. After three measurements it stops.

        cpu 6800
        output scode

status  = $8004         ; bit 7: the value is there; bit 0: the sensor is broken
sensor  = $8005         ; degrees
heater  = $8006         ; bit 0: on

left    = $10           ; measurements to go
patience = $11          ; how often it asks before it gives up
hot     = $12           ; measurements above the limit, one after the other
error   = $13           ; 1: no answer, 2: broken, 3: too hot

COLD    = 40
WARM    = 60
DANGER  = 200

        * = $f000
start   lds #$7f
        clr heater
        clr hot
        clr error
        ldaa #3
        staa left

measure ldaa #2
        staa patience
wait    ldaa status
        bmi ready       ; bit 7
        dec patience
        bne wait
        ldab #1
        bra giveup

ready   bita #1
        beq whole
        ldab #2
        bra giveup

whole   ldaa sensor
        cmpa #DANGER
        bhi limit
        clr hot
        cmpa #WARM
        bcc cool        ; at or above
        cmpa #COLD
        bcs heat        ; below
        bra next        ; between: as it is

limit   inc hot
        ldab hot
        cmpb #2
        bcs cool
        ldab #3
        bra giveup

heat    ldaa #1
        staa heater
        bra next
cool    clr heater

next    dec left
        bne measure
done    bra done

giveup  stab error
        clr heater
failed  bra failed

        * = $fffe
        dw start
        code
