//! The program as its users meet it: every command, run as a process of its own.

mod suite {
    mod place;
    mod random;
    mod stream;

    mod append_file;
    mod append_stream;
    mod as_of;
    mod backups;
    mod chaos;
    mod disk_full;
    mod errors;
    mod evaluation;
    mod faces;
    mod homes;
    mod interrupted;
    mod kill;
    mod long_streams;
    mod losses;
    mod many_writers;
    mod reading;
    mod recall;
    mod refusals;
    mod remember;
    mod traces;
    mod transfer;
    mod views;
}
