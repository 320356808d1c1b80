//! Nobody turns the view of one agent into that of another by putting its parts together.

use idetic_memory::{Actor, ActorView, View};

fn of_another(actor: ActorView) -> ActorView {
    View::<Actor> { agent: "another".to_owned(), ..actor }
}

fn main() {}
