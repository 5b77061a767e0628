//! The texts around a form, in the languages of its readers.
//!
//! The texts of the form itself come from its template. Read next: [`super`].

use schema::language::Language;

/// The words of a page, in one language.
pub(super) struct Words {
    /// The language, as a tag of BCP 47.
    pub(super) tag: &'static str,
    /// The name of the language in itself.
    pub(super) language: &'static str,
    pub(super) no_forms: &'static str,
    pub(super) no_script: &'static str,
    pub(super) token: &'static str,
    pub(super) token_hint: &'static str,
    pub(super) task: &'static str,
    pub(super) answer: &'static str,
    pub(super) send: &'static str,
    pub(super) look_again: &'static str,
    pub(super) call_off: &'static str,
    pub(super) cut: &'static str,
    pub(super) not_json: &'static str,
    pub(super) refused: &'static str,
    /// The states of a task, `NAME=text` each, separated by `|`.
    pub(super) states: &'static str,
}

const ENGLISH: Words = Words {
    tag: "en",
    language: "English",
    no_forms: "None of its skills takes typed input.",
    no_script: "This page needs scripts to send what is filled in.",
    token: "Token",
    token_hint: "Who asks: a token of `convoke token issue NAME`. It stays in this tab. Empty if the browser shows a certificate.",
    task: "Task",
    answer: "Your answer",
    send: "Send",
    look_again: "Look again",
    call_off: "Call the task off",
    cut: "The connection was cut; the task goes on.",
    not_json: "This is not JSON.",
    refused: "Refused",
    states: "submitted=submitted|working=at work|input-required=waits for you|auth-required=waits for a permission|\
        completed=completed|failed=failed|canceled=cancelled|rejected=rejected",
};

const CHINESE: Words = Words {
    tag: "zh",
    language: "中文",
    no_forms: "该智能体没有接受结构化输入的技能。",
    no_script: "提交表单需要启用脚本。",
    token: "令牌",
    token_hint: "表明提交者身份：由 `convoke token issue NAME` 签发，仅保存在本标签页。浏览器出示证书时可留空。",
    task: "任务",
    answer: "您的答复",
    send: "发送",
    look_again: "再次查看",
    call_off: "取消任务",
    cut: "连接已中断，任务仍在进行。",
    not_json: "这不是 JSON。",
    refused: "被拒绝",
    states: "submitted=已提交|working=处理中|input-required=等待您的答复|auth-required=等待授权|\
        completed=已完成|failed=失败|canceled=已取消|rejected=被拒绝",
};

impl Words {
    pub(super) const ALL: [&'static Self; 2] = [&ENGLISH, &CHINESE];

    /// The texts in a language; in English if there are none.
    pub(super) fn of(language: &Language) -> &'static Self {
        let mut all = Self::ALL.into_iter();
        all.find(|words| words.tag == language.primary())
            .unwrap_or(&ENGLISH)
    }
}
