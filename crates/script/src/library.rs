//! What a script can call besides its own functions: Rhai's for numbers, texts, lists, blobs and maps, JSON, and those
//! of `$(…)`.

use crate::bounds::STRING_BYTES_MAX;
use crate::values::{bytes, json, of_json};
use contract::{Function, Given};
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicBlobPackage, BasicFnPackage, BasicIteratorPackage, BasicMapPackage,
    BasicMathPackage, BasicStringPackage, BitFieldPackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult, ImmutableString};
use std::ops::RangeInclusive;
use terms::Nanos;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// A function of `$(…)` that scripts can call, too: its value follows from its arguments alone.
#[derive(Clone, Debug)]
pub struct Native {
    pub name: &'static str,
    /// How many it takes.
    pub arguments: RangeInclusive<usize>,
    /// Whether its value is bytes, which a script gets as a blob; else it is a text.
    pub is_bytes: bool,
    pub function: Function,
}

/// Registers everything. Rhai's package `LanguageCore` is left out: it can sleep and ends a script with `exit`.
pub(crate) fn register(engine: &mut Engine, natives: &[Native]) {
    ArithmeticPackage::new().register_into_engine(engine);
    LogicPackage::new().register_into_engine(engine);
    BitFieldPackage::new().register_into_engine(engine);
    BasicStringPackage::new().register_into_engine(engine);
    MoreStringPackage::new().register_into_engine(engine);
    BasicIteratorPackage::new().register_into_engine(engine);
    BasicMathPackage::new().register_into_engine(engine);
    BasicArrayPackage::new().register_into_engine(engine);
    BasicBlobPackage::new().register_into_engine(engine);
    BasicMapPackage::new().register_into_engine(engine);
    BasicFnPackage::new().register_into_engine(engine);
    engine.register_fn("parse_json", parse_json);
    engine.register_fn("to_json", to_json);
    engine.register_fn("replace", |text: &mut ImmutableString, find: &str, with: &str| replace(text, find, with));
    engine.register_fn("replace", |text: &mut ImmutableString, find: &str, with: char| {
        replace(text, find, with.encode_utf8(&mut [0; 4]))
    });
    engine.register_fn("replace", |text: &mut ImmutableString, find: char, with: &str| {
        replace(text, find.encode_utf8(&mut [0; 4]), with)
    });
    engine.register_fn("replace", |text: &mut ImmutableString, find: char, with: char| {
        replace(text, find.encode_utf8(&mut [0; 4]), with.encode_utf8(&mut [0; 4]))
    });
    for native in natives {
        for count in native.arguments.clone() {
            register_native(engine, native, count);
        }
    }
}

fn register_native(engine: &mut Engine, native: &Native, count: usize) {
    let native = native.clone();
    let name = native.name;
    match count {
        1 => engine.register_fn(name, move |a: Dynamic| call(&native, &[a])),
        2 => engine.register_fn(name, move |a: Dynamic, b: Dynamic| call(&native, &[a, b])),
        _ => engine.register_fn(name, move |a: Dynamic, b: Dynamic, c: Dynamic| call(&native, &[a, b, c])),
    };
}

fn call(native: &Native, arguments: &[Dynamic]) -> Outcome<Dynamic> {
    let texts: Option<Vec<Vec<u8>>> = arguments.iter().map(bytes).collect();
    let texts = texts.ok_or_else(|| format!("`{}` takes texts, blobs and numbers", native.name))?;
    let mut value = Vec::new();
    if !(native.function)(&texts, Given { draw: 0, now: Nanos::ZERO }, &mut value) {
        return Err(format!("`{}` has no value for these arguments", native.name).into());
    }
    if native.is_bytes {
        return Ok(Dynamic::from_blob(value));
    }
    // An encoding may hold bytes that are not text, such as what a percent-encoded text stands for.
    Ok(match String::from_utf8(value) {
        Ok(text) => text.into(),
        Err(bytes) => Dynamic::from_blob(bytes.into_bytes()),
    })
}

/// Rhai's own reads JSON as it reads scripts, and knows no escaped letters beyond the first plane.
fn parse_json(text: &str) -> Outcome<Dynamic> {
    serde_json::from_str(text).map(of_json).map_err(|error| format!("this is not JSON: {error}").into())
}

fn to_json(value: Dynamic) -> Outcome<String> {
    let value = json(&value).ok_or_else(|| format!("{} cannot be written as JSON", value.type_name()))?;
    Ok(value.to_string())
}

/// Rhai's own makes the text before it looks at its size, which is the product of two.
fn replace(text: &mut ImmutableString, find: &str, with: &str) -> Outcome<()> {
    let (found, grows) = (text.matches(find).count(), with.len().saturating_sub(find.len()));
    if found.saturating_mul(grows).saturating_add(text.len()) > STRING_BYTES_MAX {
        let error = EvalAltResult::ErrorDataTooLarge("Length of string".to_owned(), rhai::Position::NONE);
        return Err(error.into());
    }
    *text = text.replace(find, with).into();
    Ok(())
}
