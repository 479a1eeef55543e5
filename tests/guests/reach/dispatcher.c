/* A frame dispatcher: a command, a count, at most four bytes, and what the command makes of them. Directed searches ask for
   preconditions of its functions, of which half can be met:

   confirmed  store: arg0 == 3
   confirmed  store: arg1 == 0x7f
   confirmed  alarm: arg0 == 2
   confirmed  motor: arg0 < 0
   confirmed  motor: arg0 == 100 && arg1 == 1
   confirmed  scale: arg1 == 0
   confirmed  report: arg1 > 3
   confirmed  alarm; motor
   confirmed  reset: ram[errors] == 2
   confirmed  calibrate: ram[level, 4] > 60 && arg0 == 7
   confirmed  store: arg0 == 0 && arg1 == 65; motor: arg0 == 65
   refuted    store: arg0 > 3 || arg0 < 0
   refuted    store: arg1 > 255
   refuted    alarm: arg0 == 3
   refuted    motor: arg0 > 100
   refuted    motor: arg1 == 0
   refuted    scale: arg0 < 0
   refuted    report: arg1 > 4
   refuted    motor; alarm
   refuted    reset: arg0 != ram[errors]
   refuted    calibrate: arg0 <= 0
   refuted    store: arg0 == 0 && arg1 == 65; motor: arg0 == 66
*/
#include "../bugs/guest.h"
static u8 payload[4];
static i32 level, sum;
static u8 errors;

static void store(i32 index, i32 value) {
  payload[index] = value;
  sum += value;
}

static void alarm(i32 code) { out = code; }

static void motor(i32 speed, i32 gear) { out = gear == 2 ? speed + speed : speed; }

static i32 scale(i32 value, i32 divisor) {
  i32 quotient = 0;
  while (value >= divisor && quotient < 3) {
    value -= divisor;
    quotient++;
  }
  return quotient;
}

static void report(i32 kind, i32 count) { out = kind + count; }

static void reset(i32 cause) {
  out = cause;
  sum = 0;
}

static void calibrate(i32 excess) { out = excess; }

static void drive(void) {
  i32 speed = payload[0];
  if (speed > 100) {
    alarm(1);
    speed = 100;
  }
  if (payload[1] & 0x80)
    speed = -speed;
  motor(speed, payload[1] & 1 ? 2 : 1);
}

static void watch(void) {
  level = payload[0] + payload[1];
  if (level > 60)
    calibrate(level - 60);
  else
    alarm(2);
}

static void prog(void) {
  u8 command = in_u8, count = in_u8;
  if (count > 4) {
    errors++;
    if (command == 9)
      errors++;
    reset(errors);
    return;
  }
  for (u8 i = 0; i < count; i++)
    store(i, in_u8);
  report(command, count);
  if (command == 1)
    drive();
  else if (command == 2)
    watch();
  else if (command == 3)
    out = scale(payload[2], payload[3]);
  else
    out = sum;
}
