//! Authorization-T: recognised, read, and always refused with the reason.
//!
//! What agents may do is granted by the operator: rules of access (RFC 8341), groups, and the table
//! `[network]` of a profile. A peer that could extend it by a message would grant rights to itself.
//! So nothing is added, modified or deleted by a message, and nothing is told: who may see the rules
//! reads them over NETCONF. The answer has the form that the template asks for, with each policy of
//! the list and the reason. Refuses to know what policies mean.

use super::markdown::{Prompt, PromptError, Section};
use super::text_language::TextLanguage;

/// The operation asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuthorizedOperation {
    /// Add policies.
    Add,
    /// Change how long they hold.
    Modify,
    /// Delete policies.
    Delete,
    /// Tell policies.
    Query,
}

/// The words of each operation, in both languages; the first is written.
const WORDS: [(AuthorizedOperation, [&str; 4], [&str; 3]); 4] = [
    (
        AuthorizedOperation::Add,
        ["add", "create", "new", "append"],
        ["新增", "添加", "创建"],
    ),
    (
        AuthorizedOperation::Modify,
        ["modify", "update", "edit", "change"],
        ["修改", "更新", "调整"],
    ),
    (
        AuthorizedOperation::Delete,
        ["delete", "remove", "clear", "revoke"],
        ["删除", "移除", "清除"],
    ),
    (
        AuthorizedOperation::Query,
        ["query", "view", "search", "find"],
        ["查询", "查看", "查找"],
    ),
];

/// The titles of the sections that are read and written.
const OPERATION: [&str; 2] = ["Authorization Policy Operation Type", "授权策略的操作类型"];
const POLICIES: [&str; 2] = [
    "Network Operation Authorization Policy List",
    "动网操作的授权策略列表",
];
const OUTPUT: [&str; 2] = ["Expected Output", "预期输出"];

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// The operation asked for.
    pub operation: AuthorizedOperation,
    /// The policies, or the conditions of a query, as they stand.
    pub policies: Vec<String>,
    /// In which language.
    pub text_language: TextLanguage,
}

/// The reason why a text is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARequest {
    /// It is no prompt.
    #[error(transparent)]
    Fault(#[from] PromptError),
    /// It names no operation, or another.
    #[error("section '{section}': add, modify, delete or query is needed, not '{found}'")]
    NoOperation {
        /// The section.
        section: &'static str,
        /// The text found there; empty if nothing does.
        found: String,
    },
}

impl AuthorizationRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// [`NotARequest`].
    pub fn parse(prompt: &str) -> Result<Self, NotARequest> {
        let document = Prompt::parse(prompt)?;
        let text_language = match document.section(OPERATION[1]) {
            Some(_) => TextLanguage::Chinese,
            None => TextLanguage::English,
        };
        let said = either(&document, OPERATION)
            .map(Section::text)
            .unwrap_or_default();
        let operation = operation(&said).ok_or_else(|| NotARequest::NoOperation {
            section: text_language.either(OPERATION[0], OPERATION[1]),
            found: said.chars().take(80).collect(),
        })?;
        let policies = either(&document, POLICIES)
            .map(Section::lines)
            .unwrap_or_default();
        Ok(Self {
            operation,
            policies: policies.into_iter().map(|(_, text)| text).collect(),
            text_language,
        })
    }

    /// The answer: a failure, with each policy and the reason.
    pub fn refusal(&self) -> String {
        let text_language = self.text_language;
        let result = text_language.either("Execution result: failure", "执行结果：失败");
        let reason = text_language.either(
            "access is granted by the operator of this platform, not by messages",
            "访问权限由平台运营方授予，不接受消息变更",
        );
        let section = Section::new(text_language.either(OUTPUT[0], OUTPUT[1])).saying(result);
        let section = match self.policies.is_empty() {
            true => section.saying(reason),
            false => self.policies.iter().fold(section, |section, policy| {
                section.saying(format!("{policy}: {reason}"))
            }),
        };
        let document = Prompt {
            front: Vec::new(),
            sections: vec![section],
        };
        document.to_string()
    }
}

fn either<'d>(document: &'d Prompt, titles: [&str; 2]) -> Option<&'d Section> {
    titles.into_iter().find_map(|title| document.section(title))
}

/// The operation that a text begins with.
fn operation(said: &str) -> Option<AuthorizedOperation> {
    let said = said.trim().to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| said.starts_with(word));
    let found = WORDS
        .iter()
        .find(|(_, english, chinese)| begins(english) || begins(chinese));
    found.map(|(operation, _, _)| *operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    /// A2A-T: an authorization is understood, and never granted by a message.
    #[test]
    fn every_request_is_refused_with_its_policies() {
        let prompt = "## Authorization Policy Operation Type\nadd authorization policy\n\n\
            ## Network Operation Authorization Policy List\n\
            1. business scenario is energy saving, operation name is cell shutdown\n\
            2. operation name is tunnel optimization";
        let request = AuthorizationRequest::parse(prompt).expect("a request");
        assert_eq!(
            (request.operation, request.policies.len()),
            (AuthorizedOperation::Add, 2)
        );
        assert_snapshot!(request.refusal(), @r"
        ## Expected Output
        Execution result: failure
        business scenario is energy saving, operation name is cell shutdown: access is granted by the operator of this platform, not by messages
        operation name is tunnel optimization: access is granted by the operator of this platform, not by messages
        ");
        let query =
            AuthorizationRequest::parse("## 授权策略的操作类型\n查询授权策略").expect("a request");
        assert_eq!(query.operation, AuthorizedOperation::Query);
        assert_snapshot!(query.refusal(), @r"
        ## 预期输出
        执行结果：失败
        访问权限由平台运营方授予，不接受消息变更
        ");
    }

    #[test]
    fn other_operations_are_named() {
        let refused = |text: &str| {
            AuthorizationRequest::parse(text)
                .expect_err("none")
                .to_string()
        };
        let told = [
            refused("## Authorization Policy Operation Type\nexport"),
            refused("## Something"),
            refused("no prompt"),
        ];
        assert_snapshot!(told.join("\n"), @r"
        section 'Authorization Policy Operation Type': add, modify, delete or query is needed, not 'export'
        section 'Authorization Policy Operation Type': add, modify, delete or query is needed, not ''
        line 1: text before the first section
        ");
    }
}
