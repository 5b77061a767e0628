//! Why not, grouped by who or what is at fault, and so by what the caller can do about it.
//!
//! | group | at fault is | the caller |
//! |---|---|---|
//! | [`Forbidden`] | who asks | lets another ask |
//! | [`NotFound`] | what is named | names what is there |
//! | [`InvalidInput`] | what is said | says it otherwise |
//! | [`Conflict`] | how things stand | looks at that |
//! | [`OverLimit`] | how much it is | asks for less, or later |
//! | [`NotAvailable`] | others, or this platform | asks later, or elsewhere |
//!
//! A refusal is the caller's to mend and changes nothing; a failure is ours, and a type of its own, which is
//! carried on. Facts only: which tag of `rpc-error` and which code of HTTP a group has, and where a
//! [`Field`] stands in a message, is each binding's. Read next: [`crate::failure`], [`crate::operation`].

mod conflict;
mod field;
mod forbidden;
mod invalid_input;
mod not_available;
mod not_found;
mod over_limit;

pub use conflict::Conflict;
pub use field::Field;
pub use forbidden::Forbidden;
pub use invalid_input::InvalidInput;
pub use not_available::NotAvailable;
pub use not_found::NotFound;
pub use over_limit::OverLimit;

use crate::failure::StoreFailure;
use domain::content::ContentError;
use domain::negotiation::Misplaced;
use domain::profile::ProfileError;
use domain::task::OutOfTurn;
use schema::catalogue::{PublishError, UnknownScenario, UnknownSchema};
use schema::evolution::LineageRefusal;

/// Why an operation was not carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Whoever asks may not.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// What is named is not here.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// What is said is wrong in itself.
    #[error(transparent)]
    InvalidInput(#[from] InvalidInput),
    /// It does not go with how things stand.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// It is more than there is room for.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// Nobody here can do it now.
    #[error(transparent)]
    NotAvailable(#[from] NotAvailable),
    /// It was not refused: the store failed.
    #[error(transparent)]
    Failed(#[from] StoreFailure),
}

impl Refusal {
    /// What of the request it is about; none if it is about the request as a whole.
    pub fn field(&self) -> Option<Field> {
        match self {
            Self::Forbidden(cause) => cause.field(),
            Self::NotFound(cause) => Some(cause.field()),
            Self::InvalidInput(cause) => cause.field(),
            Self::Conflict(cause) => cause.field(),
            Self::NotAvailable(cause) => cause.field(),
            Self::OverLimit(_) | Self::Failed(_) => None,
        }
    }

    /// The value of a field cannot be used.
    pub(crate) fn unusable(field: Field, why: impl Into<String>) -> Self {
        let why = why.into();
        InvalidInput::Unusable { field, why }.into()
    }

    /// The same, said of one alternative of an offer, counted from 1.
    pub(crate) fn of_alternative(mut self, place: usize) -> Self {
        if let Self::InvalidInput(InvalidInput::Payload { alternative, .. }) = &mut self {
            *alternative = Some(place);
        }
        self
    }
}

/// Things that are wrong, in one line.
fn list<T: std::fmt::Display>(wrong: &[T]) -> String {
    let all: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// Reasons of the domain are of one group each, so that `?` finds it.
macro_rules! of_group {
    ($($group:ident: $($cause:ty),+;)+) => {
        $($(
            impl From<$cause> for Refusal {
                fn from(cause: $cause) -> Self {
                    $group::from(cause).into()
                }
            }
        )+)+
    };
}

of_group! {
    NotFound: UnknownSchema, UnknownScenario;
    InvalidInput: ContentError, ProfileError;
    Conflict: OutOfTurn, Misplaced, PublishError, LineageRefusal;
}

impl From<store::CommitError> for Refusal {
    fn from(error: store::CommitError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<store::ReadError> for Refusal {
    fn from(error: store::ReadError) -> Self {
        match error {
            store::ReadError::Unknown { .. } => Self::unusable(Field::After, error.to_string()),
            _ => Self::Failed(error.into()),
        }
    }
}
