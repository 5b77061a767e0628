//! The subject of a complaint: a symptom of the network, or something that is not the network's.
//!
//! Word lists in both languages, the telling ones first. Read next: [`super::tokens`].

use super::is_chinese;
use super::tokens::{says, standing, words};
use language::dictionary::Dictionary;
use schema::steps::{GivenUp, ReadingBudget};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The symptom, as `service_complaint_v1` names it.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadSymptom {
    /// Nothing works.
    NoService,
    /// Data is slow.
    SlowData,
    /// Calls end by themselves.
    CallDrop,
    /// Everything asked for comes late.
    HighLatency,
    /// Voices cannot be understood.
    PoorVoice,
    /// Little signal.
    WeakSignal,
    /// It comes and goes.
    Intermittent,
}

domain::named! {
    /// The name in payloads.
    ReadSymptom
}

/// The subject of a complaint when it is not about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherMatter {
    /// The account of the maker's app.
    Account,
    /// The charges.
    Bill,
    /// The data volume of the tariff.
    Quota,
    /// The car's own modem or SIM.
    Modem,
}

impl OtherMatter {
    /// The name in payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Bill => "bill",
            Self::Quota => "quota",
            Self::Modem => "modem",
        }
    }
}

/// Phrases; the words of each stand close together in this order.
type Table<T> = &'static [(T, &'static [&'static str])];

const OUTSIDE_ENGLISH: Table<OtherMatter> = &[
    (
        OtherMatter::Modem,
        &[
            "modem",
            "sim card",
            "sim not recognised",
            "communication module",
            "telematics unit",
            "phone works fine",
            "phone works perfectly",
        ],
    ),
    (
        OtherMatter::Quota,
        &[
            "quota",
            "data volume used",
            "data volume exhausted",
            "data allowance",
            "data package empty",
            "data used up",
            "out of data",
            "gigabytes gone",
            "gigabytes used",
        ],
    ),
    (
        OtherMatter::Bill,
        &[
            "bill",
            "invoice",
            "charged",
            "charges",
            "refund",
            "overcharged",
            "money back",
            "billing",
            "debited",
            "deducted",
        ],
    ),
    (
        OtherMatter::Account,
        &[
            "account locked",
            "locked account",
            "locked my account",
            "account blocked",
            "account suspended",
            "log in",
            "login",
            "sign in",
            "password",
            "credentials",
            "locked out",
        ],
    ),
];

const OUTSIDE_CHINESE: Table<OtherMatter> = &[
    (
        OtherMatter::Modem,
        &[
            "通信模块",
            "SIM卡",
            "sim卡",
            "T-BOX",
            "手机上网正常",
            "手机正常",
            "通讯盒子",
            "通信盒子",
        ],
    ),
    (
        OtherMatter::Quota,
        &[
            "流量已用完",
            "流量用完",
            "流量用光",
            "流量超额",
            "流量包",
            "流量耗尽",
            "流量不够",
            "没流量",
            "超出流量",
            "流量明明",
            "流量套餐没",
        ],
    ),
    (
        OtherMatter::Bill,
        &[
            "账单",
            "扣费",
            "多扣",
            "扣了",
            "退费",
            "退还",
            "退款",
            "漫游费",
            "发票",
        ],
    ),
    (
        OtherMatter::Account,
        &["账号", "账户", "密码", "登录", "登陆", "登不上", "验证码"],
    ),
];

const SYMPTOMS_ENGLISH: Table<ReadSymptom> = &[
    (
        ReadSymptom::CallDrop,
        &[
            "call dropped",
            "call cut",
            "call disconnected",
            "call ended",
            "call dropping",
            "calls dropped",
            "calls drop",
            "calls dropping",
            "calls kept",
            "dropped call",
            "dropped calls",
            "calls cut",
            "call again dropped",
            "call died",
            "cutting phone",
            "cuts phone",
        ],
    ),
    (
        ReadSymptom::PoorVoice,
        &[
            "crackling",
            "crackles",
            "echo",
            "distorted",
            "robotic voice",
        ],
    ),
    (
        ReadSymptom::Intermittent,
        &[
            "came and went",
            "come and go",
            "comes and goes",
            "on and off",
            "in and out",
            "disconnecting and reconnecting",
            "kept disconnecting",
            "keeps disconnecting",
            "connected disconnected",
            "one minute gone",
            "intermittent",
            "unstable",
        ],
    ),
    (
        ReadSymptom::WeakSignal,
        &[
            "one bar",
            "weak signal",
            "signal weak",
            "poor reception",
            "reception poor",
            "bad reception",
            "reception bad",
            "hardly reception",
            "hardly signal",
            "barely signal",
            "reception disgrace",
            "bad signal",
            "signal bad",
            "low signal",
            "no reception worth",
        ],
    ),
    (
        ReadSymptom::HighLatency,
        &[
            "latency",
            "lag",
            "lags",
            "lagging",
            "laggy",
            "delay",
            "delayed",
            "after ages",
        ],
    ),
    (
        ReadSymptom::SlowData,
        &[
            "slow",
            "slowly",
            "buffering",
            "forever load",
            "not load",
            "stutter",
            "stuttering",
            "snail's pace",
            "crawling",
        ],
    ),
    (
        ReadSymptom::NoService,
        &[
            "offline",
            "no connection",
            "no network",
            "no service",
            "no internet",
            "no signal",
            "connection gone",
            "connection lost",
            "lost connection",
            "lost every connection",
            "without connection",
            "not connect",
            "network gone",
            "dead spot",
            "not reach the car",
            "nobody get online",
            "not get online",
            "signal vanished",
            "signal gone",
            "no 4g",
            "no 5g",
            "no lte",
            "no coverage",
            "no reception",
        ],
    ),
];

const SYMPTOMS_CHINESE: Table<ReadSymptom> = &[
    (
        ReadSymptom::Intermittent,
        &[
            "时断时续",
            "断断续续",
            "一会儿有",
            "反复断",
            "时有时无",
            "断开，又连",
            "断开 又连",
            "又断开",
            "时好时坏",
            "掉线",
            "不稳定",
        ],
    ),
    (
        ReadSymptom::WeakSignal,
        &[
            "信号弱",
            "信号很弱",
            "信号特别弱",
            "信号太弱",
            "信号一直很弱",
            "信号非常弱",
            "信号差",
            "信号很差",
            "信号太差",
            "信号特别差",
            "信号不好",
            "一格",
            "没什么信号",
        ],
    ),
    (
        ReadSymptom::HighLatency,
        &[
            "延迟",
            "时延",
            "延时",
            "反应很慢",
            "反应慢",
            "才有反应",
            "好久才回答",
            "要等",
        ],
    ),
    (
        ReadSymptom::SlowData,
        &[
            "网速",
            "转圈",
            "加载不出",
            "缓冲",
            "很卡",
            "太卡",
            "卡顿",
            "上网慢",
            "网很慢",
            "加载很慢",
        ],
    ),
    (
        ReadSymptom::NoService,
        &[
            "断网",
            "离线",
            "无服务",
            "没有服务",
            "没有网",
            "没网",
            "网都没有",
            "没有信号",
            "没信号",
            "信号都没有",
            "无信号",
            "无网络",
            "连不上",
            "上不了网",
            "无法连接",
            "无法上网",
            "不可用",
            "用不了",
        ],
    ),
];

/// The subject of a text, if not about the network.
pub(super) fn outside(
    text: &str,
    work: &ReadingBudget<'_>,
) -> Result<Option<OtherMatter>, GivenUp> {
    match is_chinese(text) {
        true => first_in_chinese(OUTSIDE_CHINESE, &corrected(text, work), work),
        false => first_in_english(OUTSIDE_ENGLISH, text, 3, work),
    }
}

/// The symptom that a text tells.
pub(super) fn symptom(
    text: &str,
    work: &ReadingBudget<'_>,
) -> Result<Option<ReadSymptom>, GivenUp> {
    if !is_chinese(text) {
        return first_in_english(SYMPTOMS_ENGLISH, text, 4, work);
    }
    let text = corrected(text, work);
    let holds = |word: &&str| {
        work.take(text.len());
        text.contains(*word)
    };
    let call = ["电话", "通话"].iter().any(holds);
    if call && ["断", "掉线", "掉话"].iter().any(holds) {
        return Ok(Some(ReadSymptom::CallDrop));
    }
    if call && ["杂音", "听不清", "听不见"].iter().any(holds) {
        return Ok(Some(ReadSymptom::PoorVoice));
    }
    first_in_chinese(SYMPTOMS_CHINESE, &text, work)
}

fn first_in_english<T: Copy>(
    table: Table<T>,
    text: &str,
    apart: usize,
    work: &ReadingBudget<'_>,
) -> Result<Option<T>, GivenUp> {
    let words = words(text, work);
    for (meaning, phrases) in table {
        work.may_go_on()?;
        if phrases.iter().any(|p| says(&words, p, apart, work)) {
            return Ok(Some(*meaning));
        }
    }
    Ok(None)
}

fn first_in_chinese<T: Copy>(
    table: Table<T>,
    text: &str,
    work: &ReadingBudget<'_>,
) -> Result<Option<T>, GivenUp> {
    let phrases = table.iter().enumerate();
    let phrases = phrases.flat_map(|(rank, (_, all))| all.iter().map(move |p| (*p, rank)));
    let phrases: Dictionary<usize> = phrases.collect();
    let found = standing(&phrases, text, work)?;
    let first = found.into_iter().map(|(.., rank)| rank).min();
    Ok(first.map(|rank| table[rank].0))
}

/// The text with what input methods confuse put right.
fn corrected(text: &str, work: &ReadingBudget<'_>) -> String {
    let mut text = text.to_owned();
    work.take(3 * text.len());
    for (wrong, right) in [("信好", "信号"), ("网路", "网络"), ("一只", "一直")] {
        text = text.replace(wrong, right);
    }
    text
}
