//! An actor's view is no subconscious view, and leads to no space, no log, no other agent and no other side.

use idetic_memory::{ActorView, Models, Question, Subconscious, SubconsciousView, View};

fn maintain(_: &SubconsciousView) {}

fn of_another_kind(actor: &ActorView) {
    maintain(actor);
}

fn turned_into_one(actor: ActorView) -> SubconsciousView {
    actor.into()
}

fn methods(actor: &ActorView) {
    actor.subconscious();
    actor.actor();
    actor.space();
    actor.log();
    actor.viewpoint();
}

fn fields(mut actor: ActorView) {
    let _ = &actor.viewpoint;
    actor.agent = "another".to_owned();
}

fn made_without_a_space() {
    let _ = View::<Subconscious>::new;
}

fn prompted(subconscious: &SubconsciousView, models: &Models, question: Question) {
    let _ = subconscious.prompt(models, question, 100);
}

fn main() {}
