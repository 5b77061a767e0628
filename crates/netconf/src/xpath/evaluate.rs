//! The walk through an expression (XPath 1.0 §2 and §3), counted.
//!
//! Recursion is as deep as the expression, which [`super::parse`] limits. Read next: [`super::call`].

use super::axis::{Node, ROOT, means, of_one, of_set};
use super::compare::Comparison;
use super::expression::{Arithmetic, Expression, Id, Operation, Relation, Start, Step};
use super::value::{NodeSet, Text, Value};
use super::{Budget, EvaluationError, Modules};
use crate::xml::{XmlDocument, XmlElement};
use std::rc::Rc;

pub(super) type Evaluated<T> = Result<T, EvaluationError>;

impl Expression {
    /// The elements that it selects, in document order and each once: those of its result if that is
    /// a node-set, else none. A text or an attribute is selected with the element that has it, on the
    /// path to it. The root element of the document stands for the root of the data, whose children
    /// are the top-level nodes; the context is that root (RFC 6241 §8.9.1).
    ///
    /// # Errors
    /// [`EvaluationError`]; partial results are dropped.
    pub fn select<'d>(
        &self,
        document: &'d XmlDocument,
        modules: &dyn Modules,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<XmlElement<'d>>, EvaluationError> {
        let mut evaluation = Evaluation::new(self, document, modules, budget);
        let value = evaluation.value(self.root, Context::ROOT)?;
        let Value::Nodes(nodes) = value else {
            return Ok(Vec::new());
        };
        let mut elements: Vec<u32> = nodes.list.iter().map(|node| node.element).collect();
        elements.dedup();
        Ok(elements.into_iter().map(|at| document.at(at)).collect())
    }

    /// Evaluates it as a boolean: true for a node-set or a text that is not empty, and for a number
    /// that is not zero (XPath 1.0 §4.3).
    ///
    /// # Errors
    /// [`EvaluationError`].
    pub fn is_true(
        &self,
        document: &XmlDocument,
        modules: &dyn Modules,
        budget: &mut Budget<'_>,
    ) -> Result<bool, EvaluationError> {
        let mut evaluation = Evaluation::new(self, document, modules, budget);
        let value = evaluation.value(self.root, Context::ROOT)?;
        Ok(value.boolean())
    }
}

/// The context in which a part of an expression is evaluated (§1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) node: Node,
    pub(super) position: usize,
    pub(super) size: usize,
}

impl Context {
    const ROOT: Self = Self {
        node: ROOT,
        position: 1,
        size: 1,
    };
}

/// One evaluation.
pub(super) struct Evaluation<'a, 'c, 'b> {
    pub(super) expression: &'a Expression,
    pub(super) document: &'a XmlDocument,
    pub(super) modules: &'c dyn Modules,
    pub(super) budget: &'c mut Budget<'b>,
    /// The values that do not depend on the context, by place in the expression.
    known: Vec<Option<Value<'a>>>,
}

impl<'a, 'c, 'b> Evaluation<'a, 'c, 'b> {
    /// An evaluation; document and expression are borrowed for the same time.
    fn new<'e: 'a, 'd: 'a>(
        expression: &'e Expression,
        document: &'d XmlDocument,
        modules: &'c dyn Modules,
        budget: &'c mut Budget<'b>,
    ) -> Self {
        Self {
            expression,
            document,
            modules,
            budget,
            known: vec![None; expression.nodes.len()],
        }
    }

    pub(super) fn value(&mut self, id: Id, context: Context) -> Evaluated<Value<'a>> {
        self.budget.spend(1)?;
        if !self.expression.fact(id).constant {
            return self.evaluate(id, context);
        }
        if let Some(known) = &self.known[id as usize] {
            return Ok(known.clone());
        }
        let value = self.evaluate(id, context)?;
        self.known[id as usize] = Some(value.clone());
        Ok(value)
    }

    pub(super) fn boolean(&mut self, id: Id, context: Context) -> Evaluated<bool> {
        Ok(self.value(id, context)?.boolean())
    }

    pub(super) fn number(&mut self, id: Id, context: Context) -> Evaluated<f64> {
        let value = self.value(id, context)?;
        value.number(self.document, self.budget)
    }

    pub(super) fn text(&mut self, id: Id, context: Context) -> Evaluated<Text<'a>> {
        let value = self.value(id, context)?;
        value.text(self.document, self.budget)
    }

    pub(super) fn nodes(&mut self, id: Id, context: Context) -> Evaluated<Rc<NodeSet<'a>>> {
        Ok(self.value(id, context)?.into_nodes())
    }

    fn evaluate(&mut self, id: Id, context: Context) -> Evaluated<Value<'a>> {
        let expression = self.expression;
        Ok(match expression.node(id) {
            Operation::Or(parts) => Value::Boolean(self.is_any(parts, true, context)?),
            Operation::And(parts) => Value::Boolean(!self.is_any(parts, false, context)?),
            Operation::Compare(relation, left, right) => {
                Value::Boolean(self.compare(*relation, *left, *right, context)?)
            }
            Operation::Calculate(sign, left, right) => {
                let (left, right) = (self.number(*left, context)?, self.number(*right, context)?);
                Value::Number(match sign {
                    Arithmetic::Add => left + right,
                    Arithmetic::Subtract => left - right,
                    Arithmetic::Multiply => left * right,
                    Arithmetic::Divide => left / right,
                    Arithmetic::Remainder => left % right,
                })
            }
            Operation::Negate(part) => Value::Number(-self.number(*part, context)?),
            Operation::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let nodes = self.nodes(*part, context)?;
                    self.budget.spend(nodes.list.len())?;
                    all.extend_from_slice(&nodes.list);
                }
                self.set(all)?
            }
            Operation::Path(start, steps) => {
                let mut nodes = match start {
                    Start::Root => vec![ROOT],
                    Start::Context => vec![context.node],
                    Start::Nodes(id) => {
                        let nodes = self.nodes(*id, context)?;
                        self.budget.spend(nodes.list.len())?;
                        nodes.list.clone()
                    }
                };
                for step in steps {
                    nodes = self.step(step, &nodes)?;
                }
                Value::Nodes(Rc::new(NodeSet::of(nodes)))
            }
            Operation::Filter(primary, predicates) => {
                let nodes = self.nodes(*primary, context)?;
                self.budget.spend(nodes.list.len())?;
                let mut nodes = nodes.list.clone();
                for predicate in predicates {
                    nodes = self.filtered(nodes, *predicate)?;
                }
                Value::Nodes(Rc::new(NodeSet::of(nodes)))
            }
            Operation::Literal { text, .. } => Value::Text(Text::Part(text)),
            Operation::Number(number) => Value::Number(*number),
            Operation::Call(function, arguments) => self.call(*function, arguments, context)?,
            Operation::Derived(wanted) => Value::Boolean(self.is_derived(wanted, context)?),
        })
    }

    /// True if one of the parts evaluates to `wanted`; those behind it are not evaluated (§3.4).
    fn is_any(&mut self, parts: &[Id], wanted: bool, context: Context) -> Evaluated<bool> {
        for part in parts {
            if self.boolean(*part, context)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn compare(
        &mut self,
        relation: Relation,
        left: Id,
        right: Id,
        context: Context,
    ) -> Evaluated<bool> {
        let values = (self.value(left, context)?, self.value(right, context)?);
        let mut comparison = Comparison {
            document: self.document,
            budget: self.budget,
            relation,
        };
        let expression = self.expression;
        let named = |id| match expression.node(id) {
            Operation::Literal {
                text,
                identity: Some((namespace, name)),
            } => Some((&**text, (&**namespace, &**name))),
            _ => None,
        };
        // RFC 7950 §9.10: identities are equal if module and name are, whatever the prefixes.
        match (&values, named(left), named(right)) {
            ((Value::Nodes(nodes), _), _, Some((text, name)))
            | ((_, Value::Nodes(nodes)), Some((text, name)), _)
                if comparison.is_equality() =>
            {
                comparison.with_identity(nodes, text, name)
            }
            _ => comparison.holds(&values.0, &values.1),
        }
    }

    /// One step from a set of nodes.
    fn step(&mut self, step: &Step, from: &[Node]) -> Evaluated<Vec<Node>> {
        if !step.positional {
            let found = self.walked(step, |document, visit| {
                of_set(document, step.axis, from, visit)
            })?;
            let mut found = self.sorted(found)?;
            for predicate in &step.predicates {
                found = self.filtered(found, *predicate)?;
            }
            return Ok(found);
        }
        let all = self.document.element_count();
        let mut found = Vec::new();
        for &node in from {
            let mut of_node = self.walked(step, |document, visit| {
                of_one(document, step.axis, node, visit)
            })?;
            for predicate in &step.predicates {
                of_node = self.filtered(of_node, *predicate)?;
            }
            found.extend(of_node);
            // Removes duplicates before they take much more memory than the nodes themselves.
            if found.len() > 4 * all {
                found = self.sorted(found)?;
            }
        }
        self.sorted(found)
    }

    /// The nodes of a walk that pass the step's node test, in the order of the walk.
    fn walked(
        &mut self,
        step: &Step,
        walk: impl FnOnce(&'a XmlDocument, &mut dyn FnMut(Node) -> Evaluated<()>) -> Evaluated<()>,
    ) -> Evaluated<Vec<Node>> {
        let (document, budget) = (self.document, &mut *self.budget);
        // Reverse axes are turned round, which is a second visit.
        let cost = 1 + usize::from(step.axis.is_reverse());
        let mut found = Vec::new();
        walk(document, &mut |node| {
            budget.spend(cost)?;
            if means(&step.test, step.axis, document, node) {
                budget.spend(1)?;
                found.push(node);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The nodes for which a predicate holds; their places are their positions (§2.4).
    fn filtered(&mut self, nodes: Vec<Node>, predicate: Id) -> Evaluated<Vec<Node>> {
        let size = nodes.len();
        let constant = self.expression.fact(predicate).constant;
        let mut kept = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            let context = Context {
                node: *node,
                position: place + 1,
                size,
            };
            let keeps = match self.value(predicate, context)? {
                Value::Number(number) => number == context.position as f64,
                // The same for all of them.
                value if constant => {
                    return Ok(if value.boolean() { nodes } else { Vec::new() });
                }
                value => value.boolean(),
            };
            if keeps {
                kept.push(*node);
            }
        }
        Ok(kept)
    }

    fn set(&mut self, nodes: Vec<Node>) -> Evaluated<Value<'a>> {
        Ok(Value::Nodes(Rc::new(NodeSet::of(self.sorted(nodes)?))))
    }

    /// The nodes in document order, each once.
    fn sorted(&mut self, mut nodes: Vec<Node>) -> Evaluated<Vec<Node>> {
        self.budget.spend(nodes.len())?;
        if !nodes.is_sorted() {
            nodes.sort_unstable();
        }
        nodes.dedup();
        Ok(nodes)
    }
}
