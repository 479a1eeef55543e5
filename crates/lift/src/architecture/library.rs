//! The library of architectures: the built-in ones, and those in the user's folders.

use super::compile::SleighCompiler;
use super::conformance::Conformance;
use super::description::Description;
use super::error::ArchitectureError;
use super::loaded::Architecture;
use everypath_image::Image;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// The origin of the built-in architectures.
const BUILT_IN_ORIGIN: &str = "built in";

/// The source of an architecture's compiled specification.
#[derive(Clone, Debug)]
enum Compiled {
    /// Compiled when this program was built.
    BuiltIn(&'static [u8]),
    /// To be compiled from this file.
    Source(PathBuf),
    /// One of the compiled specifications that the program carries.
    Package(String),
}

#[derive(Clone, Debug)]
struct Book {
    description: Description,
    compiled: Compiled,
    origin: String,
    conformance: Conformance,
}

/// The available architectures.
#[derive(Clone, Debug, Default)]
pub struct Library {
    books: BTreeMap<String, Book>,
    compiler: Option<SleighCompiler>,
}

impl Library {
    /// The built-in architectures.
    ///
    /// # Panics
    /// If a built-in description is wrong, which the build and the tests of this crate prevent.
    pub fn built_in() -> Self {
        let mut library = Self::default();
        for (name, text, sla, evidence) in BUILT_IN {
            let description =
                parse(text).unwrap_or_else(|error| panic!("built-in architecture `{name}`: {error}"));
            let conformance = Conformance::parse(evidence)
                .unwrap_or_else(|error| panic!("built-in architecture `{name}`: {error}"));
            let compiled = match (sla, &description.sleigh.package) {
                (Some(sla), _) => Compiled::BuiltIn(sla),
                (None, Some(package)) => Compiled::Package(package.clone()),
                (None, None) => panic!("built-in architecture `{name}` has no specification"),
            };
            let book = Book { description, compiled, origin: BUILT_IN_ORIGIN.to_owned(), conformance };
            library.books.insert((*name).to_owned(), book);
        }
        library
    }

    /// Sets the compiler for `.slaspec` files of added architectures.
    #[must_use]
    pub fn with_compiler(self, compiler: SleighCompiler) -> Self {
        Self { compiler: Some(compiler), ..self }
    }

    /// Adds the architectures of a folder, each a subfolder `<name>` with a `<name>.toml`. One with the name of a known
    /// architecture replaces it.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), ArchitectureError> {
        let file_error =
            |path: &Path, problem: String| ArchitectureError::File { path: path.to_owned(), problem };
        let entries = fs::read_dir(folder).map_err(|error| file_error(folder, error.to_string()))?;
        let mut added = 0;
        for entry in entries {
            let path = entry.map_err(|error| file_error(folder, error.to_string()))?.path();
            let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
                continue;
            };
            let file = path.join(format!("{name}.toml"));
            if !file.is_file() {
                continue;
            }
            let text = fs::read_to_string(&file).map_err(|error| file_error(&file, error.to_string()))?;
            let description = parse(&text).map_err(|error| file_error(&file, error))?;
            let sleigh = &description.sleigh;
            let compiled = match (&sleigh.source, &sleigh.package, &sleigh.overrides) {
                (Some(source), None, None) => Compiled::Source(path.join(source)),
                (None, Some(package), None) => Compiled::Package(package.clone()),
                (_, _, Some(_)) => {
                    let problem = "`overrides` are for built-in architectures; give the whole specification as `source`";
                    return Err(file_error(&file, problem.to_owned()));
                }
                _ => {
                    let problem = "`sleigh` has either a `source` or a `package`";
                    return Err(file_error(&file, problem.to_owned()));
                }
            };
            let evidence = path.join("conformance.toml");
            let conformance = match fs::read_to_string(&evidence) {
                Ok(text) => Conformance::parse(&text).map_err(|error| file_error(&evidence, error))?,
                // Nobody has to compare.
                Err(_) => Conformance::default(),
            };
            let origin = file.display().to_string();
            self.books.insert(name, Book { description, compiled, origin, conformance });
            added += 1;
        }
        if added == 0 {
            let problem =
                "no architecture in this folder: each is a folder <name> with a <name>.toml".to_owned();
            return Err(file_error(folder, problem));
        }
        Ok(())
    }

    /// Name, description and origin of each architecture, by name.
    pub fn list(&self) -> impl Iterator<Item = (&str, &Description, &str)> {
        self.books.iter().map(|(name, book)| (name.as_str(), &book.description, book.origin.as_str()))
    }

    /// Detects the architecture of an executable; of several that match, the most specific one.
    pub fn detect(&self, image: &Image) -> Option<&str> {
        let closeness = |description: &Description| {
            description.executables.iter().filter_map(|one| one.closeness(description, image)).max()
        };
        let fitting =
            self.books.iter().filter_map(|(name, book)| Some((closeness(&book.description)?, name)));
        // The first of equals, so that the result does not depend on further architectures.
        fitting.min_by_key(|(closeness, _)| std::cmp::Reverse(*closeness)).map(|(_, name)| name.as_str())
    }

    /// Loads an architecture by its name or one of its aliases.
    pub fn load(&self, name: &str) -> Result<Arc<Architecture>, ArchitectureError> {
        let (name, book) = self.find(name)?;
        let compiled = self.compiled_book(name, book)?;
        let architecture = Architecture::new(name, book.description.clone(), &compiled)?;
        // Tests check the specifications of the built-in architectures; nobody has checked another.
        if book.origin != BUILT_IN_ORIGIN {
            let wrong = |problem: String| ArchitectureError::Wrong { name: name.to_owned(), problem };
            architecture.specification().check_templates().map_err(|error| wrong(error.to_string()))?;
        }
        Ok(Arc::new(architecture.with_conformance(book.conformance.clone())))
    }

    /// The compiled specification (contents of a `.sla` file) of an architecture, for tools that read it themselves.
    pub fn compiled(&self, name: &str) -> Result<Cow<'static, [u8]>, ArchitectureError> {
        let (name, book) = self.find(name)?;
        self.compiled_book(name, book)
    }

    fn find(&self, name: &str) -> Result<(&str, &Book), ArchitectureError> {
        let is_named = |candidate: &(&String, &Book)| {
            candidate.0 == name || candidate.1.description.aliases.iter().any(|alias| alias == name)
        };
        let Some((name, book)) = self.books.iter().find(is_named) else {
            let known = self.books.keys().cloned().collect();
            return Err(ArchitectureError::Unknown { name: name.to_owned(), known });
        };
        Ok((name, book))
    }

    fn compiled_book(&self, name: &str, book: &Book) -> Result<Cow<'static, [u8]>, ArchitectureError> {
        let wrong = |problem: String| ArchitectureError::Wrong { name: name.to_owned(), problem };
        match &book.compiled {
            Compiled::BuiltIn(sla) => Ok(Cow::Borrowed(sla)),
            Compiled::Package(package) => {
                // If a built-in architecture corrects the package's specification, every user of it gets the corrected
                // one.
                let corrected = BUILT_IN.iter().find_map(|(_, text, sla, _)| {
                    parse(text).ok()?.sleigh.package.filter(|known| known == package).and(*sla)
                });
                let original = || sleigh_config::SLA_DATA.iter().find(|(known, _)| known == package);
                corrected
                    .or_else(|| original().map(|(_, sla)| *sla))
                    .map(Cow::Borrowed)
                    .ok_or_else(|| wrong(format!("there is no compiled specification `{package}`")))
            }
            Compiled::Source(source) => {
                let Some(compiler) = &self.compiler else {
                    return Err(wrong(
                        "it has a specification to compile, and no compiler was set".to_owned(),
                    ));
                };
                compiler.compiled(source).map(Cow::Owned)
            }
        }
    }
}

fn parse(text: &str) -> Result<Description, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}
