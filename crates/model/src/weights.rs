//! The model's numbers: small ones copied out of the asset, large ones left where they are.

use crate::asset::{Asset, Section};
use crate::bytes::f32_at;
use crate::error::ModelError;
use crate::shape::{HIDDEN, INTERMEDIATE, LAYERS, PIECES, PLACES};

/// A dense layer.
pub struct Linear {
    pub inner: usize,
    pub outer: usize,
    pub bias: Vec<f32>,
    pub panels: &'static [u8],
}

/// A normalisation.
pub struct LayerNorm {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// One of the model's layers.
pub struct Layer {
    pub qkv: Linear,
    pub mix: Linear,
    pub mixed: LayerNorm,
    pub up: Linear,
    pub down: Linear,
    pub done: LayerNorm,
}

/// All of the model's numbers.
pub struct Weights {
    pub table: &'static [u8],
    pub places: Vec<f32>,
    pub first: LayerNorm,
    pub layers: Vec<Layer>,
}

impl Weights {
    pub fn read(asset: Asset) -> Result<Self, ModelError> {
        let table = asset.section(Section::Rows);
        if table.len() != PIECES * HIDDEN * size_of::<u16>() {
            return Err(ModelError::Damaged("the table of word pieces"));
        }
        let mut rest = Rest { floats: asset.section(Section::Floats), panels: asset.section(Section::Panels) };
        let places = rest.floats(PLACES * HIDDEN)?;
        let first = rest.norm()?;
        let layers = (0..LAYERS).map(|_| rest.layer()).collect::<Result<_, _>>()?;
        if rest.floats.is_empty() && rest.panels.is_empty() {
            Ok(Self { table, places, first, layers })
        } else {
            Err(ModelError::Damaged("there is more than the layers"))
        }
    }
}

/// What has not been read yet.
struct Rest {
    floats: &'static [u8],
    panels: &'static [u8],
}

impl Rest {
    fn floats(&mut self, count: usize) -> Result<Vec<f32>, ModelError> {
        let (these, rest) =
            self.floats.split_at_checked(count * size_of::<f32>()).ok_or(ModelError::Damaged("the small numbers"))?;
        self.floats = rest;
        Ok((0..count).map(|at| f32_at(these, at)).collect())
    }

    fn norm(&mut self) -> Result<LayerNorm, ModelError> {
        Ok(LayerNorm { weight: self.floats(HIDDEN)?, bias: self.floats(HIDDEN)? })
    }

    fn linear(&mut self, inner: usize, outer: usize) -> Result<Linear, ModelError> {
        let bias = self.floats(outer)?;
        let length = inner * outer * size_of::<u16>();
        let (panels, rest) =
            self.panels.split_at_checked(length).ok_or(ModelError::Damaged("the weights of a layer"))?;
        self.panels = rest;
        Ok(Linear { inner, outer, bias, panels })
    }

    fn layer(&mut self) -> Result<Layer, ModelError> {
        Ok(Layer {
            qkv: self.linear(HIDDEN, 3 * HIDDEN)?,
            mix: self.linear(HIDDEN, HIDDEN)?,
            mixed: self.norm()?,
            up: self.linear(HIDDEN, INTERMEDIATE)?,
            down: self.linear(INTERMEDIATE, HIDDEN)?,
            done: self.norm()?,
        })
    }
}
