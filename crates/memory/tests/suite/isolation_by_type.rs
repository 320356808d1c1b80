//! Isolation by construction: code that would lead an actor to what it may not see does not compile.

#[test]
fn what_an_actor_may_not_reach_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
