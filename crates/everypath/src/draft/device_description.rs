//! The registers and interrupts of a chip by name, from a CMSIS-SVD file.

use crate::error::Error;
use std::fs;
use std::path::Path;
use svd_parser::svd::{
    Access, Device, DimElement, MaybeArray, PeripheralInfo, RegisterCluster, RegisterProperties,
};
use svd_parser::{Config, ValidateLevel};

/// The size in bytes of a register whose size the file does not give.
const REGISTER: u64 = 4;
/// The maximum number of names in a range of array indices, such as `0-31`: the parser makes a list of them.
const INDICES: u64 = 4096;
/// The maximum number of peripherals from which one is derived, one by the other.
const DERIVATIONS: usize = 8;

/// A chip as its vendor describes it (CMSIS-SVD): peripherals with their registers, and interrupts.
///
/// ```
/// let chip = everypath::DeviceDescription::parse("<device><name>chip</name><peripherals><peripheral>
///     <name>UART</name><baseAddress>0x40011000</baseAddress><registers>
///     <register><name>SR</name><addressOffset>0</addressOffset><access>read-only</access></register>
///     </registers></peripheral></peripherals></device>")?;
/// assert_eq!(chip.register_at(0x4001_1000).map(|register| register.name), Some("UART.SR".to_owned()));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceDescription {
    device: Device,
}

/// A register of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedRegister {
    /// Its peripheral, its clusters and its name, with dots between them.
    pub name: String,
    /// Its access rights, in the words of CMSIS-SVD, such as `read-only`.
    pub access: Option<&'static str>,
    /// Its value after a reset.
    pub reset: Option<u64>,
}

impl DeviceDescription {
    /// Reads a CMSIS-SVD file.
    ///
    /// # Errors
    /// If it cannot be read or parsed.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let text =
            fs::read_to_string(file).map_err(|source| Error::Open { file: file.to_owned(), source })?;
        Self::parse(&text).map_err(|message| Error::Configuration {
            program: file.display().to_string(),
            message: format!("no CMSIS-SVD file: {message}"),
        })
    }

    /// Parses the text of a CMSIS-SVD file.
    ///
    /// # Errors
    /// The problem and its place, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.split("<dimIndex").skip(1).any(is_too_long) {
            return Err(format!("a `dimIndex` has more than {INDICES} names"));
        }
        // Files of vendors break rules that do not matter here.
        let config = Config::default().validate_level(ValidateLevel::Disabled).ignore_enums(true);
        let device = svd_parser::parse_with_config(text, &config).map_err(|error| format!("{error:#}"))?;
        Ok(Self { device })
    }

    /// The register that contains this address.
    #[must_use]
    pub fn register_at(&self, address: u64) -> Option<DescribedRegister> {
        self.device.peripherals.iter().find_map(|peripheral| {
            let (distance, index) = element(peripheral, peripheral.base_address, address)?;
            let mut defaults = self.device.default_register_properties;
            let mut registers = None;
            // From the most basic one to the peripheral itself, whose properties come last.
            for base in self.bases(peripheral).iter().rev() {
                defaults = inherit(base.default_register_properties, defaults);
                registers = base.registers.as_deref().or(registers);
            }
            let found = find(registers?, distance, defaults)?;
            let name = format!("{}.{}", indexed(&peripheral.name, index.as_deref()), found.name);
            Some(DescribedRegister { name, ..found })
        })
    }

    /// The name of an interrupt by its number, which counts from the first interrupt of a device.
    #[must_use]
    pub fn interrupt(&self, number: u64) -> Option<&str> {
        let mut interrupts = self.device.peripherals.iter().flat_map(|peripheral| &peripheral.interrupt);
        interrupts.find(|interrupt| u64::from(interrupt.value) == number).map(|found| found.name.as_str())
    }

    /// A peripheral, and those from which it is derived.
    fn bases<'d>(&'d self, peripheral: &'d PeripheralInfo) -> Vec<&'d PeripheralInfo> {
        let mut bases = vec![peripheral];
        let mut next = peripheral.derived_from.as_deref();
        while let Some(name) = next.filter(|_| bases.len() <= DERIVATIONS) {
            let base = self.device.peripherals.iter().find(|other| other.name == name);
            bases.extend(base.map(|base| &**base));
            next = base.and_then(|base| base.derived_from.as_deref());
        }
        bases
    }
}

/// Whether a range of array indices, which the text begins with, has too many names.
fn is_too_long(text: &str) -> bool {
    let content = text.split_once('>').and_then(|(_, rest)| rest.split('<').next()).unwrap_or_default();
    let range = content.split_once('-').map(|(first, last)| (first.trim().parse(), last.trim().parse()));
    matches!(range, Some((Ok::<u64, _>(first), Ok::<u64, _>(last))) if last.saturating_sub(first) >= INDICES)
}

/// The register at a distance from the start of these registers and clusters.
fn find(children: &[RegisterCluster], at: u64, defaults: RegisterProperties) -> Option<DescribedRegister> {
    children.iter().find_map(|child| match child {
        RegisterCluster::Register(register) => {
            let (distance, index) = element(register, u64::from(register.address_offset), at)?;
            let properties = inherit(register.properties, defaults);
            let size = properties.size.map_or(REGISTER, |bits| u64::from(bits).div_ceil(8));
            (distance < size).then(|| DescribedRegister {
                name: indexed(&register.name, index.as_deref()),
                access: properties.access.map(Access::as_str),
                reset: properties.reset_value,
            })
        }
        RegisterCluster::Cluster(cluster) => {
            let (distance, index) = element(cluster, u64::from(cluster.address_offset), at)?;
            let defaults = inherit(cluster.default_register_properties, defaults);
            let found = find(&cluster.children, distance, defaults)?;
            let name = format!("{}.{}", indexed(&cluster.name, index.as_deref()), found.name);
            Some(DescribedRegister { name, ..found })
        }
    })
}

/// The distance of an address from the element of an array that is nearest before it, and the element's index.
fn element<T>(array: &MaybeArray<T>, start: u64, address: u64) -> Option<(u64, Option<String>)> {
    let distance = address.checked_sub(start)?;
    let MaybeArray::Array(_, DimElement { dim, dim_increment, dim_index, .. }) = array else {
        return Some((distance, None));
    };
    let index = distance.checked_div(u64::from(*dim_increment)).filter(|index| *index < u64::from(*dim))?;
    let names = dim_index.as_deref().unwrap_or_default();
    let name = usize::try_from(index).ok().and_then(|index| names.get(index).cloned());
    Some((distance % u64::from(*dim_increment), Some(name.unwrap_or_else(|| index.to_string()))))
}

/// A name with the index of an array's element in it.
fn indexed(name: &str, index: Option<&str>) -> String {
    match index {
        Some(index) => name.replace("[%s]", index).replace("%s", index),
        None => name.to_owned(),
    }
}

/// Properties with defaults for those that are not given.
fn inherit(own: RegisterProperties, defaults: RegisterProperties) -> RegisterProperties {
    let mut properties = own;
    properties.size = own.size.or(defaults.size);
    properties.access = own.access.or(defaults.access);
    properties.reset_value = own.reset_value.or(defaults.reset_value);
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHIP: &str = "<device><name>chip</name><resetValue>0</resetValue><size>32</size><peripherals>
        <peripheral><name>UART1</name><baseAddress>0x40011000</baseAddress><access>read-write</access>
            <interrupt><name>UART1_IRQ</name><value>5</value></interrupt>
            <registers>
                <register><name>SR</name><addressOffset>0</addressOffset><resetValue>0xc0</resetValue></register>
                <register><name>DR</name><addressOffset>4</addressOffset><size>8</size><access>read-only</access></register>
                <register><dim>3</dim><dimIncrement>4</dimIncrement><dimIndex>A,B,C</dimIndex><name>FILTER%s</name>
                    <addressOffset>0x20</addressOffset></register>
                <cluster><dim>2</dim><dimIncrement>0x10</dimIncrement><name>CH[%s]</name><addressOffset>0x40</addressOffset>
                    <register><name>DATA</name><addressOffset>8</addressOffset></register></cluster>
            </registers></peripheral>
        <peripheral derivedFrom='UART1'><name>UART2</name><baseAddress>0x40012000</baseAddress></peripheral>
        <peripheral derivedFrom='LOOP'><name>LOOP</name><baseAddress>0x40020000</baseAddress></peripheral>
        </peripherals></device>";

    #[test]
    fn registers_are_found_in_arrays_clusters_and_derived_peripherals() {
        let chip = DeviceDescription::parse(CHIP).expect("a device");
        let cases = [
            (0x4001_1000, Some(("UART1.SR", Some("read-write"), Some(0xc0)))),
            (0x4001_1004, Some(("UART1.DR", Some("read-only"), Some(0)))),
            (0x4001_1005, None),
            (0x4001_1027, Some(("UART1.FILTERB", Some("read-write"), Some(0)))),
            (0x4001_102c, None),
            (0x4001_1058, Some(("UART1.CH1.DATA", Some("read-write"), Some(0)))),
            (0x4001_2000, Some(("UART2.SR", Some("read-write"), Some(0xc0)))),
            (0x4002_0000, None),
            (0, None),
        ];
        for (address, expected) in cases {
            let found = chip.register_at(address);
            let found = found.as_ref().map(|found| (found.name.as_str(), found.access, found.reset));
            assert_eq!(found, expected, "{address:#x}");
        }
        assert_eq!((chip.interrupt(5), chip.interrupt(6)), (Some("UART1_IRQ"), None));
    }

    #[test]
    fn what_is_no_description_or_too_large_is_refused() {
        for text in ["", "<device>", "architecture = 1", "<other/>"] {
            assert!(DeviceDescription::parse(text).is_err(), "{text}");
        }
        let large = CHIP.replace("<dimIndex>A,B,C", "<dimIndex>0-4294967295");
        assert!(DeviceDescription::parse(&large).is_err_and(|error| error.contains("dimIndex")));
    }
}
