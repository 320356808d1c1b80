//! The log and the views from outside: what they promise, and what is left of it when disks and files go bad.

mod suite {
    mod archives;
    mod clock;
    mod conformance;
    mod damage;
    mod derived;
    mod disk;
    mod disk_checks;
    mod erase;
    mod exchanged;
    mod faults;
    mod given;
    mod golden;
    mod postgres;
    mod unflushed;
    mod views;
}
