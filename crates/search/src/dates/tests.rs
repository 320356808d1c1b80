//! Times in questions, asked at midnight of Sunday 22 October 2023.

use super::*;

fn asked(question: &str) -> Dates {
    read(question, Time::parse("2023-10-22").expect("a time"))
}

/// The intervals as days, the last one included.
fn days(intervals: &[Interval]) -> Vec<String> {
    intervals.iter().map(|i| format!("{} {}", i.start.day(), Time(i.end.0 - 1).day())).collect()
}

#[test]
fn dates_become_intervals_and_leave_the_question() {
    for (question, interval, rest) in [
        ("Where was he on the 8th of May, 2023?", "2023-05-08 2023-05-08", "Where was he?"),
        ("as mentioned on Nov. 6", "2022-11-06 2022-11-06", ""),
        ("since July 2023, what?", "2023-07-01 2023-10-22", ", what?"),
        ("two weeks before August 11, 2023", "2023-07-24 2023-08-11", "two weeks before"),
        ("between August 11 and 15 August 2023", "2023-08-11 2023-08-15", "between and"),
        ("camping in june 2022 or so", "2022-06-01 2022-06-30", "camping or so"),
        ("in mid-June", "2023-06-01 2023-06-30", "in mid-"),
        ("the year 2021", "2021-01-01 2021-12-31", "the year"),
    ] {
        let dates = asked(question);
        let found = days(&dates.absolute);
        assert_eq!((found.first().map(String::as_str), dates.rest.as_str()), (Some(interval), rest), "{question}");
    }
}

#[test]
fn what_is_no_date_stays() {
    for question in ["What may John do?", "we march on", "30 February", "call 2023", "in may", "room 112 May"] {
        let dates = asked(question);
        assert_eq!((dates.absolute, dates.relative, dates.rest.as_str()), (vec![], vec![], question));
    }
}

#[test]
fn relative_times_count_from_the_moment_of_asking() {
    for (question, interval) in [
        ("the day before yesterday", "2023-10-20 2023-10-20"),
        ("last night", "2023-10-21 2023-10-21"),
        ("last weekend", "2023-10-14 2023-10-15"),
        ("a couple of days ago", "2023-10-20 2023-10-20"),
        ("in the past three months", "2023-07-22 2023-10-22"),
        ("last autumn", "2022-09-01 2022-11-30"),
        ("this fall", "2023-09-01 2023-11-30"),
        ("on Sunday", "2023-10-15 2023-10-15"),
    ] {
        assert_eq!(days(&asked(question).relative), [interval], "{question}");
    }
}
