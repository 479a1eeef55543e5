//! Whole firmware images of a public suite: which of its goals, or how many of its basic blocks, the generated tests
//! reach, without a configuration.

mod blocks;
mod explored;
mod goals;

use crate::command::given_or_built;
use blocks::ListedImage;
use explored::Explored;
use goals::{ImageEntry, goals_of};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The firmware images to measure, the time limit, and the command under test.
pub struct FirmwareOptions {
    /// The folder of the suite.
    pub suite: PathBuf,
    /// Only images with this in their name.
    pub image: Option<String>,
    /// Time limit of each exploration in seconds.
    pub seconds: u64,
    /// The command under test; built if it is not given.
    pub everypath: Option<PathBuf>,
}

impl FirmwareOptions {
    fn want(&self, name: &str) -> bool {
        self.image.as_ref().is_none_or(|part| name.contains(part))
    }
}

/// Explores each image, runs its tests, and prints what they reach: the goals of a suite with a list of them, or the basic
/// blocks of images with lists of those. Returns whether all could be measured.
///
/// # Errors
/// If the suite cannot be read, or the command cannot be built.
pub fn firmware(root: &Path, options: &FirmwareOptions) -> Result<bool, String> {
    let everypath = given_or_built(options.everypath.as_deref(), root)?;
    if goals::list(&options.suite).exists() {
        reach_goals(&everypath, options)
    } else {
        count_blocks(&everypath, options)
    }
}

fn reach_goals(everypath: &Path, options: &FirmwareOptions) -> Result<bool, String> {
    let entries = goals::read(&options.suite)?;
    let (mut good, mut reached, mut all) = (true, 0, 0);
    println!("{:28} {:>9} {:>6}  goals", "image", "CPU s", "tests");
    for entry in entries.iter().filter(|entry| options.want(&entry.name)) {
        match reached_goals(everypath, options.seconds, entry) {
            Ok((explored, goals)) => {
                let shown = goals.iter().map(|(name, is_reached)| {
                    format!("{name} {}", if *is_reached { "reached" } else { "not reached" })
                });
                let shown = shown.collect::<Vec<_>>().join(", ");
                println!(
                    "{:28} {:>9.1} {:>6}  {shown}",
                    entry.name,
                    explored.cpu,
                    explored.suite.tests.len()
                );
                reached += goals.iter().filter(|(_, is_reached)| *is_reached).count();
                all += goals.len();
            }
            Err(error) => {
                println!("{:28} {error}", entry.name);
                good = false;
            }
        }
    }
    println!("{reached} of {all} goals");
    Ok(good)
}

/// The goals of an image, each with whether a test reaches it.
fn reached_goals(
    everypath: &Path,
    seconds: u64,
    entry: &ImageEntry,
) -> Result<(Explored, Vec<(String, bool)>), String> {
    let explored = Explored::new(everypath, &entry.file, seconds)?;
    let goals = goals_of(entry, explored.image())?;
    let mut found: Vec<(String, bool)> = goals.iter().map(|(name, _)| (name.clone(), false)).collect();
    explored.for_each_trace(|trace| {
        for ((_, is_reached), (_, goal)) in found.iter_mut().zip(&goals) {
            *is_reached |= goal.is_reached(trace);
        }
    })?;
    Ok((explored, found))
}

fn count_blocks(everypath: &Path, options: &FirmwareOptions) -> Result<bool, String> {
    let (images, without_image) = blocks::read(&options.suite)?;
    for folder in &without_image {
        println!("{}: no image beside the list, or more than one", folder.display());
    }
    if images.is_empty() {
        return Err(format!(
            "{} has neither a list of goals nor lists of basic blocks",
            options.suite.display()
        ));
    }
    let (mut good, mut half, mut all) = (without_image.is_empty(), 0, 0);
    println!("{:20} {:>9} {:>6} {:>8} {:>7} {:>5}", "image", "CPU s", "tests", "reached", "blocks", "%");
    for image in images.iter().filter(|image| options.want(&image.name)) {
        match reached_blocks(everypath, options.seconds, image) {
            Ok((explored, reached)) => {
                let (blocks, tests) = (image.blocks.len(), explored.suite.tests.len());
                let percent = 100.0 * reached as f64 / blocks as f64;
                println!(
                    "{:20} {:>9.1} {tests:>6} {reached:>8} {blocks:>7} {percent:>5.1}",
                    image.name, explored.cpu
                );
                half += usize::from(2 * reached >= blocks);
                all += 1;
            }
            Err(error) => {
                println!("{:20} {error}", image.name);
                good = false;
            }
        }
    }
    println!("at least half of the blocks on {half} of {all} images");
    Ok(good)
}

/// The number of listed blocks whose first instruction a test executes.
fn reached_blocks(everypath: &Path, seconds: u64, image: &ListedImage) -> Result<(Explored, usize), String> {
    let explored = Explored::new(everypath, &image.file, seconds)?;
    let mut reached: HashSet<u64> = HashSet::new();
    explored.for_each_trace(|trace| {
        reached.extend(trace.iter().filter(|address| image.blocks.contains(*address)));
    })?;
    Ok((explored, reached.len()))
}
