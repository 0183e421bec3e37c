//! Every bad rule base is refused, and the error says where.

use utility_ai::fuzzy::{Definition, FuzzyError, RuleBase, Shape};

fn refused(change: impl FnOnce(&mut Definition)) -> String {
    let mut definition = Definition::furukawa();
    change(&mut definition);
    RuleBase::new(definition).expect_err("it is not sound").to_string()
}

#[test]
fn rules_are_named_with_what_is_wrong_in_them() {
    let rule = |text: &str| refused(|d| d.rules[1] = text.to_owned());
    let cases = [
        ("if then z is bad", "there is no condition"),
        ("if a is godo then z is bad", "a has no label \"godo\"; it has: bad, good, normal"),
        ("if c is good then z is bad", "there is no input \"c\"; there are: a, b"),
        ("if z is good then z is bad", "there is no input \"z\""),
        ("if a is good then b is bad", "\"b\" is not the output: that is z"),
        ("if a is good then z is fine", "z has no label \"fine\""),
        ("a is good then z is bad", "expected if at column 1, found \"a\""),
        ("if a good then z is bad", "expected is at column 6, found \"good\""),
        ("if (a is good then z is bad", "expected ) at column 15"),
        ("if a is good then z is bad with", "expected a weight"),
        ("if a is good then z is bad with 2", "the weight is 2"),
        ("if a is good then z is bad with nan", "the weight is NaN"),
        ("if a is good then z is bad always", "expected the end of the rule"),
        ("if a is good and then z is bad", "an input's name"),
        ("", "found the end"),
    ];
    for (text, wrong) in cases {
        let error = rule(text);
        assert!(error.starts_with("rule 2 (") && error.contains(wrong), "{text}: {error}");
    }
    let deep = format!("if {} a is good {} then z is bad", "(".repeat(70), ")".repeat(70));
    assert!(rule(&deep).contains("nested deeper than 64"));
}

#[test]
fn terms_and_variables_are_named() {
    let term = |shape| {
        refused(|d| {
            d.output.terms.insert("good".into(), shape);
        })
    };
    assert!(term(Shape::Ramp([1.0, 1.0])).starts_with("z is good: Ramp"));
    assert!(term(Shape::Triangle([0.0, 2.0, 1.0])).contains("ascend"));
    assert!(term(Shape::Triangle([f64::NAN, 2.0, 3.0])).contains("finite"));
    assert!(term(Shape::Gaussian([0.0, 0.0])).contains("sigma"));
    assert!(term(Shape::Sigmoid([0.0, 0.0])).contains("slope"));
    let outside =
        "z is good: the term has no area from 0.0 to 1.0, where it must somewhere be above 1e-300";
    assert_eq!(term(Shape::Triangle([1.0, 2.0, 3.0])), outside);
    // Only its first corner is in the range.
    assert_eq!(term(Shape::Triangle([1.0, 1.0, 2.0])), outside);
    // exp(-40^2 / 2) and exp(-700): numbers, but too small.
    assert_eq!(term(Shape::Gaussian([3.0, 0.05])), outside);
    assert_eq!(term(Shape::Sigmoid([8.0, 100.0])), outside);
    // Narrower than numbers lie there.
    assert_eq!(term(Shape::Gaussian([0.5, 1e-20])), outside);
    assert!(refused(|d| d.inputs[0].range = [1.0, 1.0]).contains("the range of a"));
    assert!(refused(|d| d.inputs[1].name = "a".into()).contains("two variables"));
    assert!(refused(|d| d.inputs[1].name = "not".into()).contains("\"not\" is no name"));
    assert!(refused(|d| d.inputs[1].name = "hit points".into()).contains("is no name"));
    assert!(refused(|d| d.inputs[1].terms.clear()).contains("no terms of b"));
    assert!(refused(|d| d.inputs.clear()).contains("no inputs"));
    assert!(refused(|d| d.rules.clear()).contains("no rules"));
}

#[test]
fn bad_numbers_leave_a_result_as_it_was() {
    let rules = RuleBase::furukawa();
    let mut result = rules.infer(&[0.7, 0.6]).unwrap();
    let before = result.output();
    let count = rules.infer_into(&[0.7], &mut result).unwrap_err();
    assert_eq!(count, FuzzyError::InputCount { found: 1, expected: 2 });
    let nan = rules.infer_into(&[0.1, f64::NAN], &mut result).unwrap_err();
    assert_eq!(nan.to_string(), "b = NaN: it must be finite");
    assert_eq!(result.output(), before);
}

#[cfg(all(feature = "toml", feature = "ron"))]
#[test]
fn the_appendix_comes_back_from_both_formats() {
    let definition = Definition::furukawa();
    let from_toml = RuleBase::from_toml(&toml::to_string(&definition).unwrap()).unwrap();
    let from_ron = RuleBase::from_ron(&ron::to_string(&definition).unwrap()).unwrap();
    assert_eq!(from_toml.definition(), &definition);
    assert_eq!(from_ron.definition(), &definition);
}

#[cfg(all(feature = "toml", feature = "ron"))]
#[test]
fn texts_are_refused_in_one_line_that_says_which() {
    let toml = toml::to_string(&Definition::furukawa()).unwrap();
    let cases = [
        (toml.replace("ramp", "rump"), "unknown variant"),
        (format!("colour = 1\n{toml}"), "TOML, line 1: unknown field `colour`"),
        (format!("{toml}\n["), "TOML, line"),
        (
            toml.replace("[0.0, 0.5, 1.0]", "[0, 0.2, 0.8, 1]"),
            "invalid length 4, expected 3 numbers",
        ),
        (toml.replace("[0.0, 0.5, 1.0]", "[0, 1]"), "invalid length 2, expected 3 numbers"),
        (toml.replace("range = [0.0, 1.0]", "range = [0, 1, 7]"), "expected 2 numbers"),
    ];
    for (text, wrong) in cases {
        let error = RuleBase::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(wrong) && error.lines().count() == 1, "{error}");
    }
    let error = RuleBase::from_ron("(\n inputs: 3)").unwrap_err().to_string();
    assert!(error.starts_with("RON, line 2:"), "{error}");
    let rule = toml.replace("if a is bad", "if a is mad");
    let error = RuleBase::from_toml(&rule).unwrap_err().to_string();
    assert!(error.starts_with("rule 1 (") && error.contains("mad"), "{error}");
}
