//! The engine of one thread for one program, with the program compiled.

use crate::bounds::{
    CALLS_MAX, DEPTH_MAX, FUNCTIONS_MAX, MEMBERS_MAX, OPERATIONS_MAX, STRING_BYTES_MAX, TIME_MAX, VARIABLES_MAX,
};
use crate::library::{self, Native};
use clock::Clock;
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, OptimizationLevel, ParseError, Scope};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use terms::Nanos;

/// Programs that one thread keeps. A study has fewer; a test may make any number.
const KEPT_MAX: usize = 64;
/// Steps between two looks at the clock.
const STEPS_BETWEEN_LOOKS: u64 = 64;

thread_local! {
    static KEPT: RefCell<HashMap<u64, Rc<Ready>>> = RefCell::default();
}

/// A program that can be called.
pub(crate) struct Ready {
    engine: Engine,
    pub(crate) ast: AST,
    clock: Clock,
    /// When the call in hand is over, whatever it does.
    until: Rc<Cell<Nanos>>,
}

/// The program of that number in this thread, compiled when it is first asked for.
///
/// # Errors
/// What is wrong with its text.
pub(crate) fn ready(number: u64, text: &str, natives: &[Native]) -> Result<Rc<Ready>, ParseError> {
    if let Some(kept) = KEPT.with_borrow(|kept| kept.get(&number).cloned()) {
        return Ok(kept);
    }
    let made = Rc::new(Ready::new(text, natives)?);
    KEPT.with_borrow_mut(|kept| {
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(number, made.clone());
    });
    Ok(made)
}

impl Ready {
    pub(crate) fn new(text: &str, natives: &[Native]) -> Result<Self, ParseError> {
        let mut engine = Engine::new_raw();
        library::register(&mut engine, natives);
        engine
            .set_max_operations(OPERATIONS_MAX)
            .set_max_call_levels(CALLS_MAX)
            .set_max_expr_depths(DEPTH_MAX, DEPTH_MAX)
            .set_max_string_size(STRING_BYTES_MAX)
            .set_max_array_size(MEMBERS_MAX)
            .set_max_map_size(MEMBERS_MAX)
            .set_max_variables(VARIABLES_MAX)
            .set_max_functions(FUNCTIONS_MAX)
            .set_strict_variables(true)
            // Constants are computed when the text is read, where no step is counted.
            .set_optimization_level(OptimizationLevel::None)
            // A function that holds itself twice, over and over, has a size that nothing counts.
            .disable_symbol("curry")
            .disable_symbol("eval");
        let (clock, until) = (Clock::system(), Rc::new(Cell::new(Nanos::MAX)));
        let (watch, limit) = (clock.clone(), until.clone());
        engine.on_progress(move |steps| {
            let is_over = steps % STEPS_BETWEEN_LOOKS == 0 && watch.now() > limit.get();
            is_over.then_some(Dynamic::UNIT)
        });
        let ast = engine.compile(text)?;
        Ok(Self { engine, ast, clock, until })
    }

    /// Calls a function. Nothing of one call is left for the next.
    pub(crate) fn call(&self, function: &str, arguments: Vec<Dynamic>) -> Result<Dynamic, Box<EvalAltResult>> {
        self.until.set(self.clock.now() + TIME_MAX);
        let options = CallFnOptions::new().eval_ast(false);
        self.engine.call_fn_with_options(options, &mut Scope::new(), &self.ast, function, arguments)
    }

    /// Names of all functions that are there without the script.
    pub(crate) fn known(&self) -> Vec<String> {
        self.engine.collect_fn_metadata(None, |info| Some(info.metadata.name.to_string()), true)
    }
}
