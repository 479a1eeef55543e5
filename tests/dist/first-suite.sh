# Generates, replays and reports the first suite with an installed command.
set -e
cd "$(mktemp -d)"
printf ':0C000000900005E0B42A0375900180FE1A\n:00000001FF\n' > alarm.hex
printf 'architecture = "8051"\n[[volatile]]\nname = "sensor"\nspace = "EXTMEM"\naddress = 5\n' > everypath.toml
everypath test alarm.hex
everypath replay alarm.hex alarm.hex.tests
everypath report alarm.hex alarm.hex.tests
