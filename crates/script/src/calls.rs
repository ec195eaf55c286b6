//! Which functions a text calls, so that a slip in a name is found before anything starts.

use rhai::{AST, ASTNode, Expr, FnCallExpr, Position, Stmt};

/// Words that are read as calls and are part of the language.
const WORDS: [&str; 8] = ["Fn", "call", "curry", "is_def_fn", "is_def_var", "type_of", "this", "is_shared"];

/// A call in a script's text.
pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) at: Position,
}

/// All calls by name, in the order of the text within each function. Operators are none.
pub(crate) fn calls(ast: &AST) -> Vec<Called> {
    let mut found = Vec::new();
    ast.walk(&mut |path| {
        let call: Option<(&FnCallExpr, Position)> = match path.last() {
            Some(ASTNode::Expr(Expr::FnCall(call, at) | Expr::MethodCall(call, at))) => Some((call, *at)),
            Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => Some((call, *at)),
            _ => None,
        };
        if let Some((call, at)) = call.filter(|(call, _)| is_name(&call.name)) {
            found.push(Called { name: call.name.to_string(), at });
        }
        true
    });
    found
}

/// Anonymous functions have names that no text can have.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !WORDS.contains(&name)
}
