//! The draft of a configuration: what the program reads of its devices, and what the file says.

mod configuration_draft;
mod device_description;
mod exploration;
mod observed_register;
mod text;

pub use configuration_draft::{ConfigurationDraft, DraftEntry, MappedRange, ObservedInterrupt};
pub use device_description::{DescribedRegister, DeviceDescription};
pub use observed_register::ObservedRegister;
