//! Exact answers from rational arithmetic.

use serde_json::Value;
use std::collections::BTreeMap;
use utility_ai::fuzzy::{
    Aggregation, Definition, Defuzzifier, Implication, RuleBase, Shape, Variable,
};

/// The oracle file, or `None`, said on one line.
fn oracle(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("ORACLE_DIR") else {
        eprintln!("skipped: ORACLE_DIR is not set");
        return None;
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join(name)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn shape(term: &Value) -> Shape {
    let p: Vec<f64> = serde_json::from_value(term["params"].clone()).unwrap();
    match term["kind"].as_str().unwrap() {
        "ramp" => Shape::Ramp(p.try_into().unwrap()),
        "triangle" => Shape::Triangle(p.try_into().unwrap()),
        "trapezoid" => Shape::Trapezoid(p.try_into().unwrap()),
        other => panic!("{other}"),
    }
}

fn variable(value: &Value) -> Variable {
    let terms = value["terms"].as_object().unwrap().iter();
    Variable {
        name: value["name"].as_str().unwrap().to_owned(),
        range: serde_json::from_value(value["range"].clone()).unwrap(),
        terms: terms.map(|(label, term)| (label.clone(), shape(term))).collect(),
    }
}

fn rule(value: &Value, output: &str) -> String {
    let conditions: BTreeMap<String, String> = serde_json::from_value(value["if"].clone()).unwrap();
    let conditions: Vec<_> = conditions.iter().map(|(v, l)| format!("{v} is {l}")).collect();
    format!("if {} then {output} is {}", conditions.join(" and "), value["then"].as_str().unwrap())
}

#[test]
fn every_exact_value_of_the_oracle() {
    let Some(oracle) = oracle("fuzzy_oracle.json") else { return };
    let cases = oracle["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let output = variable(&case["output"]);
        let [low, high] = output.range;
        let rules = case["rules"].as_array().unwrap();
        let definition = Definition {
            inputs: case["inputs"].as_array().unwrap().iter().map(variable).collect(),
            rules: rules.iter().map(|r| rule(r, &output.name)).collect(),
            output,
            implication: Implication::Min,
            aggregation: Aggregation::Sum,
            defuzzifier: Defuzzifier::Bisector,
        };
        let inputs: Vec<f64> =
            definition.inputs.iter().map(|v| case["values"][&v.name].as_f64().unwrap()).collect();
        for (name, aggregation) in [("sum", Aggregation::Sum), ("max", Aggregation::Max)] {
            let rules = RuleBase::new(Definition { aggregation, ..definition.clone() }).unwrap();
            let result = rules.infer(&inputs).unwrap();
            let exact = &case["expected"][name]["exact"];
            let id = format!("{} {name}", case["id"]);
            let close = |ours: Option<f64>, theirs: &Value, what: &str| {
                let theirs = theirs.as_f64();
                assert_eq!(ours.is_some(), theirs.is_some(), "{id} {what}");
                let difference = ours.zip(theirs).map_or(0.0, |(a, b)| (a - b).abs());
                assert!(difference <= 1e-9 * (high - low), "{id} {what}: {ours:?} {theirs:?}");
            };
            for (ours, theirs) in result.strengths().iter().zip(case["firing"].as_array().unwrap())
            {
                assert!((ours - theirs.as_f64().unwrap()).abs() < 1e-12, "{id}");
            }
            close(Some(result.area()), &exact["area"], "area");
            let bisector = result.output();
            close(bisector.value(), &exact["bisector"], "bisector");
            let interval = &exact["bisector_interval"];
            close(bisector.interval().map(|i| i[0]), &interval[0], "low");
            close(bisector.interval().map(|i| i[1]), &interval[1], "high");
            close(result.read(Defuzzifier::Centroid).value(), &exact["centroid"], "centroid");
        }
    }
}
