//! Audits as JUnit XML, which the build servers of all makers show.

use super::Error;
use crate::level::{Audited, Fault};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// A suite a level, in it a case a fault that is denied, which fails where the fault is there. A
/// level that could not be audited has one case, an error.
pub(super) fn junit(levels: &[Audited<'_>], deny: &[Fault]) -> Result<String, Error> {
    let mut report = Report::new("namiji audit");
    for level in levels {
        let mut suite = TestSuite::new(level.file);
        match level.outcome {
            Ok(summary) => {
                suite.set_time(Duration::try_from_secs_f64(summary.seconds).unwrap_or_default());
                if deny.is_empty() {
                    suite.add_test_case(case(level.file, "audited", TestCaseStatus::success()));
                }
                for &fault in deny {
                    let count = fault.count(summary);
                    let mut status = TestCaseStatus::success();
                    if count > 0 {
                        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                        let examples = summary.examples.iter().filter(|(kind, _)| *kind == fault);
                        let told: Vec<&str> = examples.map(|(_, words)| words.as_str()).collect();
                        status.set_message(format!("{count} {}", fault.words()));
                        status.set_description(told.join("\n"));
                    }
                    suite.add_test_case(case(level.file, &format!("no {fault}"), status));
                }
            }
            Err(line) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(line);
                suite.add_test_case(case(level.file, "audited", status));
            }
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn case(level: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(level);
    case
}
