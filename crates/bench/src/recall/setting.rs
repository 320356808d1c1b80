//! What every subject of the bench needs.

use std::path::{Path, PathBuf};

use idetic_model::MiniLm;

use super::corpus::Corpus;
use crate::ground::Ground;
use crate::model::asset_bytes;
use crate::options::Options;
use crate::progress::progress;
use crate::python::{Python, target_folder};

/// One run: the folder, Python, the model and the texts.
pub struct Setting {
    /// The root of the repository.
    pub root: PathBuf,
    /// The target directory.
    pub target: PathBuf,
    /// The folder of this run, with the programs.
    pub ground: Ground,
    /// What was asked for.
    pub options: Options,
    /// What is compared with.
    pub python: Python,
    /// The asset of the built-in model.
    pub asset: &'static [u8],
    /// The built-in model.
    pub model: MiniLm,
    /// The texts.
    pub corpus: Corpus,
}

impl Setting {
    /// Builds, installs, downloads and embeds what is missing.
    pub fn prepare(root: &Path, options: Options) -> Result<Self, String> {
        progress("building");
        let ground = Ground::prepare(root)?;
        let target = target_folder()?;
        let python = Python::prepare(&target)?;
        let asset = asset_bytes(root)?;
        let model = MiniLm::from_bytes(asset).map_err(|error| error.to_string())?;
        let corpus = Corpus::prepare(root, &target, &python, &model, options.quick)?;
        Ok(Self { root: root.to_owned(), target, ground, options, python, asset, model, corpus })
    }

    /// How often two things are measured in turn.
    pub fn rounds(&self) -> usize {
        self.options.rounds()
    }
}
