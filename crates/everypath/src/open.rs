//! Opening an executable: its format, its architecture and its configuration.

use crate::binary::Binary;
use crate::error::Error;
use everypath_environment::{AddressOrSymbol, Configuration, Guest, GuestError, without_justifications};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::{Architecture, Library};
use everypath_record::sha256_hexadecimal;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Options for opening an executable, where the file alone does not decide.
///
/// ```
/// use everypath::Binary;
/// let code = [0x80, 0xfe]; // sjmp $
/// let binary = Binary::options().architecture("8051").raw(0).read(code)?;
/// assert_eq!(binary.architecture().name(), "8051");
/// # Ok::<(), everypath::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    library: Option<Library>,
    architecture: Option<String>,
    format: Option<&'static ImageFormat>,
    base: Option<u64>,
    entry: Option<u64>,
    configuration: Configuration,
    configuration_hash: String,
    configuration_source: String,
}

impl Binary {
    /// Opens a file that names its architecture, such as an ELF file.
    ///
    /// # Errors
    /// If it cannot be read, is no executable, or its architecture is not known.
    pub fn open(file: impl AsRef<Path>) -> Result<Binary, Error> {
        OpenOptions::new().open(file)
    }

    /// Options for opening a file or bytes.
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }
}

impl OpenOptions {
    /// Options that leave every decision to the file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The architectures to choose from. The default is [`Library::built_in`].
    #[must_use]
    pub fn library(self, library: Library) -> Self {
        Self { library: Some(library), ..self }
    }

    /// The architecture, by name; overrides the file's.
    #[must_use]
    pub fn architecture(self, name: &str) -> Self {
        Self { architecture: Some(name.to_owned()), ..self }
    }

    /// The file format; overrides the one that the contents suggest.
    #[must_use]
    pub fn format(self, format: &'static ImageFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    /// The bytes are plain memory contents, a raw binary, to be loaded at this address.
    #[must_use]
    pub fn raw(self, address: u64) -> Self {
        Self { format: ImageFormat::by_name("raw"), base: Some(address), ..self }
    }

    /// The load address of a raw binary or an object file.
    #[must_use]
    pub fn base(self, address: u64) -> Self {
        Self { base: Some(address), ..self }
    }

    /// The entry address; overrides the file's.
    #[must_use]
    pub fn entry(self, address: u64) -> Self {
        Self { entry: Some(address), ..self }
    }

    /// The configuration of the environment, as in an `everypath.toml`.
    #[must_use]
    pub fn configuration(self, configuration: Configuration) -> Self {
        let empty = String::new();
        Self { configuration, configuration_hash: empty.clone(), configuration_source: empty, ..self }
    }

    /// The text that the configuration comes from. Suites record its hash, so that `everypath replay` recognises the
    /// configuration. Justifications are no part of it: see [`without_justifications`].
    #[must_use]
    pub fn configuration_text(self, text: &[u8]) -> Self {
        Self { configuration_hash: sha256_hexadecimal(text), ..self }
    }

    /// The text of the `everypath.toml` that the configuration comes from, without justifications. Suites record it, so that
    /// [`Binary::read_traces`] can replay their tests under it; what was changed since, as by flags, is put into it.
    #[must_use]
    pub fn configuration_source(self, text: &str) -> Self {
        Self { configuration_source: text.to_owned(), ..self }
    }

    /// Reads the configuration from an `everypath.toml`.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn configuration_file(self, file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let text =
            fs::read_to_string(file).map_err(|source| Error::Open { file: file.to_owned(), source })?;
        let configuration = Configuration::parse(&text).map_err(|message| Error::Configuration {
            program: file.display().to_string(),
            message: message.trim_end().to_owned(),
        })?;
        let text = without_justifications(&text);
        Ok(self.configuration(configuration).configuration_text(text.as_bytes()).configuration_source(&text))
    }

    /// Opens a file. Unlike the command, this reads no `everypath.toml` beside it; see
    /// [`OpenOptions::configuration_file`].
    ///
    /// # Errors
    /// If it cannot be read, is no executable, or its architecture is not known.
    pub fn open(self, file: impl AsRef<Path>) -> Result<Binary, Error> {
        let file = file.as_ref();
        let bytes = fs::read(file).map_err(|source| Error::Open { file: file.to_owned(), source })?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.build(bytes, name, file.display().to_string())
    }

    /// Reads an executable from memory.
    ///
    /// # Errors
    /// If it is no executable, or its architecture is not known.
    pub fn read(self, bytes: impl Into<Vec<u8>>) -> Result<Binary, Error> {
        self.build(bytes.into(), "image".to_owned(), "image".to_owned())
    }

    /// Makes the program. Errors call it `label`; suites call it `name`.
    fn build(self, bytes: Vec<u8>, name: String, label: String) -> Result<Binary, Error> {
        let program_hash = sha256_hexadecimal(&bytes);
        let options = ReadOptions { format: self.format, base: self.base, entry: self.entry, space: None };
        let file: Arc<[u8]> = bytes.into();
        let image = Image::read(file.clone(), &options)
            .map_err(|source| Error::Format { program: label.clone(), source })?;
        let library = self.library.unwrap_or_else(Library::built_in);
        let mut configuration = self.configuration;
        let named = self.architecture.as_deref().or(configuration.architecture.as_deref());
        let architecture = architecture_of(&image, named, &library, &label)?;
        if let Some(entry) = self.entry {
            configuration.entry = Some(AddressOrSymbol::Address(entry));
        }
        let is_detected = library.detect(&image) == Some(architecture.name());
        let refused =
            |error: GuestError| Error::Configuration { program: label.clone(), message: error.to_string() };
        let mut guest = Guest::new(architecture, image).map_err(refused)?;
        if self.base.is_none()
            && let Some(base) = guest.process_base(&configuration)
        {
            let options = ReadOptions { base: Some(base), ..options };
            let image = Image::read(file, &options)
                .map_err(|source| Error::Format { program: label.clone(), source })?;
            guest = Guest::new(guest.shared_architecture(), image).map_err(refused)?;
        }
        let (configuration_hash, configuration_source) = (self.configuration_hash, self.configuration_source);
        let guest = Arc::new(guest);
        let graph = Arc::default();
        Ok(Binary {
            guest,
            configuration,
            is_detected,
            name,
            label,
            program_hash,
            configuration_hash,
            configuration_source,
            graph,
        })
    }
}

/// The named architecture, otherwise the one that the image is for. Errors call the image `program`.
///
/// # Errors
/// If there is no such architecture, or the image does not tell.
pub fn architecture_of(
    image: &Image,
    named: Option<&str>,
    library: &Library,
    program: &str,
) -> Result<Arc<Architecture>, Error> {
    let name = named.or_else(|| library.detect(image)).ok_or_else(|| undecided(image, library, program))?;
    Ok(library.load(name)?)
}

fn undecided(image: &Image, library: &Library, program: &str) -> Error {
    let reason = match image.machine() {
        Some(machine) => {
            let (number, bits) = (machine.number, machine.class.bits());
            format!(
                "no architecture is known for ELF machine {number}, {bits}-bit, {}-endian",
                machine.endian
            )
        }
        None => format!("the format {} does not say which processor the file is for", image.format().name),
    };
    let known = library.list().map(|(name, _, _)| name.to_owned()).collect();
    Error::NoArchitecture { program: program.to_owned(), reason, known }
}
