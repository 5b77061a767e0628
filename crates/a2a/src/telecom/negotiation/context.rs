//! `negotiationContext`: which negotiation a message is of, and where in it.
//!
//! Knows the form of its members. Read next: [`super::rounds`].

use serde_json::{Map, Value, json};

/// The act of a negotiation's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Performative {
    /// `PROPOSE`: puts something on the table.
    Propose,
    /// `ACCEPT`: takes what is on it.
    Accept,
    /// `REJECT`: does not.
    Reject,
    /// `ABORT`: leaves.
    Abort,
}

impl Performative {
    /// Every performative.
    pub const ALL: [Performative; 4] = [Self::Propose, Self::Accept, Self::Reject, Self::Abort];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Propose => "PROPOSE",
            Self::Accept => "ACCEPT",
            Self::Reject => "REJECT",
            Self::Abort => "ABORT",
        }
    }

    /// The performative called `name`, in capitals.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.as_str() == name)
    }
}

/// The place of a message in a negotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The negotiation: a UUID, in lower case.
    pub id: String,
    /// The round, from 1; each proposal begins one.
    pub round: u32,
    /// The most rounds.
    pub max_rounds: u32,
    /// The act of the message; none of builds that leave it to the template to say.
    pub performative: Option<Performative>,
}

/// The reason why a context is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAContext {
    /// Not an object, or JSON of one.
    #[error("the negotiation context is not an object")]
    NotAnObject,
    /// A member lacks or is of another type.
    #[error("'{member}' of the negotiation context is not {expected}")]
    Member {
        /// The member.
        member: &'static str,
        /// The form that it has to have.
        expected: &'static str,
    },
}

impl NotAContext {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Member { member: "id", .. } => "negotiation.invalid_context_id",
            _ => "negotiation.invalid_input",
        }
    }
}

impl Context {
    /// The most rounds, if nobody says.
    pub const MAX_ROUNDS: u32 = 5;

    /// Reads a context, from an object or from JSON in a string. Numbers may be `1.0`.
    ///
    /// # Errors
    /// [`NotAContext`]: the first member that cannot be.
    pub fn read(value: &Value) -> Result<Self, NotAContext> {
        let object = match value {
            Value::Object(object) => object.clone(),
            Value::String(text) => match schema::json::read(text.as_bytes()) {
                Ok(Value::Object(object)) => object,
                _ => return Err(NotAContext::NotAnObject),
            },
            _ => return Err(NotAContext::NotAnObject),
        };
        Ok(Self {
            id: id(&object)?,
            round: count(&object, "round", None)?,
            max_rounds: count(&object, "maxRounds", Some(Self::MAX_ROUNDS))?,
            performative: performative(&object)?,
        })
    }

    /// The context as an object.
    pub fn to_value(&self) -> Value {
        let mut object = json!({
            "id": self.id,
            "round": self.round,
            "maxRounds": self.max_rounds,
        });
        if let Some(performative) = self.performative {
            object["performative"] = performative.as_str().into();
        }
        object
    }
}

fn id(object: &Map<String, Value>) -> Result<String, NotAContext> {
    let id = object
        .get("id")
        .and_then(Value::as_str)
        .filter(|id| is_uuid(id));
    id.map(str::to_ascii_lowercase).ok_or(NotAContext::Member {
        member: "id",
        expected: "a UUID",
    })
}

/// RFC 9562 §4, whatever the version.
fn is_uuid(text: &str) -> bool {
    let hyphen = |at: usize| [8, 13, 18, 23].contains(&at);
    let fits = |(at, b): (usize, u8)| {
        if hyphen(at) {
            b == b'-'
        } else {
            b.is_ascii_hexdigit()
        }
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

fn count(
    object: &Map<String, Value>,
    member: &'static str,
    default: Option<u32>,
) -> Result<u32, NotAContext> {
    let whole = |number: f64| number.fract() == 0.0 && (1.0..=1e6).contains(&number);
    let number = match (object.get(member), default) {
        (None | Some(Value::Null), Some(default)) => Some(default),
        (value, _) => value
            .and_then(Value::as_f64)
            .filter(|n| whole(*n))
            .map(|n| n as u32),
    };
    number.ok_or(NotAContext::Member {
        member,
        expected: "a whole number from 1 to 1000000",
    })
}

fn performative(object: &Map<String, Value>) -> Result<Option<Performative>, NotAContext> {
    let expected = NotAContext::Member {
        member: "performative",
        expected: "PROPOSE, ACCEPT, REJECT or ABORT",
    };
    match object.get("performative") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_str()
            .and_then(Performative::parse)
            .map(Some)
            .ok_or(expected),
    }
}
