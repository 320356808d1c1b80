//! Every operation, one file each. The table below is what the command line and the servers walk.

mod advise;
mod amem_export;
mod amem_import;
mod amem_init;
mod amem_sync;
mod amem_validate;
mod amem_watch;
mod append;
mod backup;
mod config_show;
mod context;
mod conversation_add;
mod conversation_end;
mod conversation_list;
mod conversation_show;
mod conversation_start;
mod digest;
mod doctor;
mod dream;
mod episode_delete;
mod episode_get;
mod episode_list;
mod episode_retrieve;
mod episode_store;
mod eval;
mod export;
mod fact_conflicts;
mod fact_delete;
mod fact_get;
mod fact_history;
mod fact_list;
mod fact_retrieve;
mod fact_store;
mod fact_update;
mod failures;
mod get;
mod graph;
mod identity_check;
mod identity_show;
mod import;
mod import_chaos;
mod init;
mod key_create;
mod key_list;
mod key_revoke;
mod list;
mod log;
mod loops;
mod ltm;
mod md_append;
mod md_archive;
mod md_boot;
mod md_get;
mod md_handoff;
mod md_init;
mod md_merge;
mod md_relevant;
mod md_repair;
mod md_search;
mod md_shutdown;
mod md_summarize;
mod md_sync;
mod md_timeline;
mod md_todo;
mod md_validate;
mod note_delete;
mod note_deprecate;
mod note_edit;
mod note_history;
mod note_link;
mod note_list;
mod note_outcome;
mod note_related;
mod note_search;
mod note_show;
mod note_stale;
mod note_unlink;
mod note_validate;
mod note_write;
mod profile_list;
mod profile_prefer;
mod profile_show;
mod purge;
mod quarantine;
mod query;
mod rebuild;
mod recall;
mod reembed;
mod remember;
mod repair;
mod restore;
mod retain;
mod session_end;
mod session_note;
mod session_show;
mod session_start;
mod spaces;
mod stats;
mod status;
mod stm;
mod trace;
pub(crate) mod verify;

use crate::Operation;

/// Every operation, in the order a person meets them.
pub const OPERATIONS: &[Operation] = &[
    init::OPERATION,
    remember::OPERATION,
    append::OPERATION,
    recall::OPERATION,
    context::OPERATION,
    get::OPERATION,
    log::OPERATION,
    trace::OPERATION,
    query::OPERATION,
    graph::OPERATION,
    loops::OPERATION,
    stm::OPERATION,
    ltm::OPERATION,
    dream::OPERATION,
    reembed::OPERATION,
    fact_store::OPERATION,
    fact_retrieve::OPERATION,
    fact_get::OPERATION,
    fact_list::OPERATION,
    fact_update::OPERATION,
    fact_delete::OPERATION,
    fact_history::OPERATION,
    fact_conflicts::OPERATION,
    episode_store::OPERATION,
    episode_retrieve::OPERATION,
    episode_get::OPERATION,
    episode_list::OPERATION,
    episode_delete::OPERATION,
    conversation_start::OPERATION,
    conversation_add::OPERATION,
    conversation_show::OPERATION,
    conversation_list::OPERATION,
    conversation_end::OPERATION,
    note_write::OPERATION,
    note_show::OPERATION,
    note_edit::OPERATION,
    note_list::OPERATION,
    note_search::OPERATION,
    note_link::OPERATION,
    note_unlink::OPERATION,
    note_related::OPERATION,
    note_history::OPERATION,
    note_deprecate::OPERATION,
    note_validate::OPERATION,
    note_stale::OPERATION,
    note_outcome::OPERATION,
    md_append::OPERATION,
    md_archive::OPERATION,
    md_boot::OPERATION,
    md_get::OPERATION,
    md_handoff::OPERATION,
    md_init::OPERATION,
    md_merge::OPERATION,
    md_relevant::OPERATION,
    md_repair::OPERATION,
    md_search::OPERATION,
    md_shutdown::OPERATION,
    md_summarize::OPERATION,
    md_sync::OPERATION,
    md_timeline::OPERATION,
    md_todo::OPERATION,
    md_validate::OPERATION,
    note_delete::OPERATION,
    failures::OPERATION,
    advise::OPERATION,
    stats::OPERATION,
    status::OPERATION,
    spaces::OPERATION,
    profile_show::OPERATION,
    profile_list::OPERATION,
    profile_prefer::OPERATION,
    session_start::OPERATION,
    session_note::OPERATION,
    session_show::OPERATION,
    session_end::OPERATION,
    verify::OPERATION,
    digest::OPERATION,
    rebuild::OPERATION,
    backup::OPERATION,
    restore::OPERATION,
    export::OPERATION,
    import::OPERATION,
    import_chaos::OPERATION,
    amem_init::OPERATION,
    amem_import::OPERATION,
    amem_export::OPERATION,
    amem_sync::OPERATION,
    amem_watch::OPERATION,
    amem_validate::OPERATION,
    repair::OPERATION,
    retain::OPERATION,
    purge::OPERATION,
    quarantine::OPERATION,
    doctor::OPERATION,
    eval::OPERATION,
    identity_show::OPERATION,
    identity_check::OPERATION,
    config_show::OPERATION,
    key_create::OPERATION,
    key_list::OPERATION,
    key_revoke::OPERATION,
    list::OPERATION,
];

/// The operation with a name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|o| o.name == name)
}
