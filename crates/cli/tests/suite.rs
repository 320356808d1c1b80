//! The program as its users meet it: every command, run as a process of its own.

mod suite {
    mod embeddings;
    mod peers;
    mod place;
    mod random;
    mod server;
    mod stream;

    mod advise;
    mod advise_cases;
    mod advise_shapes;
    mod amem;
    mod append_file;
    mod append_stream;
    mod as_of;
    mod backups;
    mod chaos;
    mod disk_full;
    mod errors;
    mod evaluation;
    mod faces;
    mod faces_together;
    mod graph;
    mod homes;
    mod hooks;
    mod index_damage;
    mod interrupted;
    mod kill;
    mod kill_recall;
    mod long_streams;
    mod losses;
    mod many_spaces;
    mod many_writers;
    mod markdown;
    mod mcp;
    mod notes;
    mod outage;
    mod profiles;
    mod purge;
    mod python_client;
    mod queries;
    mod reading;
    mod real_model;
    mod recall;
    mod refusals;
    mod remember;
    mod retention;
    mod services;
    mod serving;
    mod sessions;
    mod setup;
    mod together;
    mod traces;
    mod transfer;
    mod views;
}
