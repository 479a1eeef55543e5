//! Any text is read as a description of a chip (CMSIS-SVD), or refused; and any address can be looked up in it.
#![no_main]

use everypath::DeviceDescription;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first bytes are the address, so that it is mutated, too.
    let Some((address, text)) = data.split_first_chunk::<4>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(device) = DeviceDescription::parse(text) else { return };
    let address = u64::from(u32::from_le_bytes(*address));
    let _ = device.register_at(address);
    let _ = device.interrupt(address & 0xff);
});
