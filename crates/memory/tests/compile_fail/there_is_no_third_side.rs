//! A side of an agent is the actor or the subconscious: nobody can make another that sees more.

use idetic_memory::core::words::Persona;
use idetic_memory::{Side, View};

enum Everything {}

impl Side for Everything {
    const PERSONA: Persona = Persona::Subconscious;
}

fn all_of_it(_: &View<Everything>) {}

fn main() {}
