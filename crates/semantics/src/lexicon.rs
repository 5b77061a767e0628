//! The work of the words of English and Chinese, whatever the domain: which carry no meaning, which
//! deny, which only ask politely; which mean the same, which the opposite, which are places.
//!
//! Written from dictionaries and from the terms of alarm and energy standards, never from a test
//! set. Refuses to know templates; read next: [`crate::rules`], [`crate::ngrams`].

mod concepts;
mod opposites;
mod places;
mod sorts;

pub(crate) use concepts::{concept_name, is_term, same_concept, terms_like};
pub(crate) use language::gazetteer::is_chinese_place;
pub(crate) use language::word::listed;
pub(crate) use opposites::{denials, opposed};
pub(crate) use places::{Place, is_region, place};
pub(crate) use sorts::sorts;

/// All that decides which words count and which are the same, as one text: whoever depends on it
/// can tell when it changes.
pub(crate) fn fingerprint() -> String {
    let mut all = vec![FUNCTION, ASKING];
    all.extend(chinese_fillers());
    all.extend(concepts::CONCEPTS);
    all.join("\n")
}

/// Words that tell how others hang together, and carry nothing by themselves.
const FUNCTION: &str = " a an the this that these those it its it's i i'm i'd i'll i've me my mine you your yours he she whatever whoever whenever wherever \
 his her him they them their we we're we'd us our ours one's who whom whose which what when where why how \
 and or but nor so yet if then than as because while since until till though although whether \
 of to in on at by for from with without into onto over under between among about against through during \
 before after above below up down out off near around within across toward towards per via upon \
 be is am are was were been being do does did doing done have has had having will would shall should can \
 could may might must ought let let's lets \
 not no don't doesn't didn't won't isn't aren't can't cannot couldn't wouldn't shouldn't \
 there here also too just only even still already again ever never very really quite rather some any \
 all both each every either neither such same own more most less least much many few several \
 s t d ll m re ve ";

/// Words with which people ask, and which say nothing of what for.
const ASKING: &str = " please pls kindly thanks thank hi hello hey dear ok okay yes yeah sure well actually maybe perhaps \
 want wants wanted need needs needed like likes would prefer preferred preferably wish hope looking look find get \
 give show tell help search see try going go know make set put use using apply have let book reserve \
 provide retrieve fetch obtain compute calculate determine create generate perform take start run do \
 able interested possible something anything somewhere anywhere someone anyone thing stuff kind sort \
 good nice great best fine right now currently today's soon \
 mind assist assistance arrange request requested ask asking say says said mean means called named \
 come comes came coming there's that's what's here's i'm it'd that'd way lot bit little ";

/// As [`FUNCTION`] and [`ASKING`], in Chinese; the longer first.
const CHINESE_FILLERS: &str = " 麻烦你 麻烦您 能不能 可不可以 我们想 我希望 希望能 我代表 请帮我 帮我们 请问 \
 我想要 想要 我需要 我想 我要 帮我 帮忙 麻烦 需要 希望 可以 能否 是否 一下 一个 给我 我们 你们 他们 这个 那个 \
 这里 那里 现在 目前 进行 同时 另外 此外 而且 并且 还有 以及 然后 以便 如果 因为 所以 但是 不过 其中 大约 大概 \
 左右 谢谢 您好 你好 最好 尽量 尽快 的话 请 帮 我 你 您 他 她 它 的 了 着 过 吗 呢 吧 啊 把 将 被 给 在 是 有 \
 和 与 及 或 并 且 也 都 ";

/// True for a word that carries no meaning of its own.
pub(crate) fn is_function(word: &str) -> bool {
    listed(FUNCTION, word)
}

/// True for a word that only asks.
pub(crate) fn is_asking(word: &str) -> bool {
    listed(ASKING, word)
}

/// The Chinese words that carry no meaning of their own, the longest first.
pub(crate) fn chinese_fillers() -> impl Iterator<Item = &'static str> {
    CHINESE_FILLERS.split_whitespace()
}

/// True for a Chinese word that carries no meaning of its own.
pub(crate) fn is_chinese_filler(word: &str) -> bool {
    listed(CHINESE_FILLERS, word)
}

/// Capitalised at the start of a sentence without being a name: verbs and openers.
const OPENERS: &str = " find book calculate compute get set show give tell retrieve fetch locate identify determine create \
 generate perform predict estimate analyze analyse convert compare check search play order turn switch move cut save \
 lower raise reduce increase apply use make blur remove add delete update change put keep start stop begin end open \
 close send call email write read list plan schedule arrange reserve rent buy sell pay track monitor diagnose repair \
 fix restart reboot reset replace dispatch assign notify report investigate compensate guide explain describe \
 provide recommend suggest help look need want please hi hello hey yes no ok okay thanks good great sure well also \
 actually maybe could can would will should do does did is are was were has have had am may might must let \
 what what's who who's whom whose when where which why how if in on at by for from to of with within without after \
 before during until till between about around near over under the a an this that these those my your his her our \
 their its it it's i i'm i'd i'll i've we we're you you're he she they there there's here some any all every each \
 two three four five six seven eight nine ten one light heavy strong soft cool warm dark bright high low major minor \
 critical warning urgent emergency normal link service services switch router site cell cells base station stations \
 energy power packet latency fiber fibre network users user customer customers subscribers flight flights tickets \
 ticket hotel hotels room rooms draw drive solve sort evaluate figure insert modify detect extract translate view \
 simulate design suppose assume given imagine using use include both only currently recently directions run go \
 come take bring think i'd we'd and but or so then not don't skin eye eyes background filter complaint fault \
 outage alarm alarms severity priority degree increase save pause resume cancel enable disable activate deactivate \
 shut put pull push hold wait voice video data internet signal coverage everything nothing nobody people ";

/// True for a word that may begin a sentence without being a name.
pub(crate) fn is_opener(word: &str) -> bool {
    listed(OPENERS, word) || is_function(word) || is_asking(word)
}

/// The beginnings of tickets' identifiers, in the systems that hand them out.
const TICKETS: &str = " tt inc wo sr cr crq tkt req prb ritm case ticket ";

/// True for an identifier that is a ticket's by the letters that it begins with: `TT-63`, `INC0099812`.
pub(crate) fn is_ticket(code: &str) -> bool {
    let letters: String = code
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .flat_map(char::to_lowercase)
        .collect();
    listed(TICKETS, &letters)
}

/// The names of the counted, where they are people or what people take up.
const COUNTED_PEOPLE: &str = " person people passenger passengers traveler travelers traveller travellers adult adults \
 ticket tickets seat seats guest guests rider riders head heads friend friends pax resident residents driver drivers colleague colleagues neighbour neighbours neighbor neighbors tenant tenants \
 employee employees families adults child children kid kids \
 人 位 张 名 个人 户 家人 朋友 同事 孩子 小孩 大人 老人 ";

/// True for a word by which travellers and guests are counted.
pub(crate) fn counts_people(word: &str) -> bool {
    listed(COUNTED_PEOPLE, word) || same_concept(word, "customer")
}

/// The share of a scale that a word of degree means, 0 to 1: "light" of 0–10 is 3.
pub(crate) fn degree(word: &str) -> Option<f64> {
    Some(match word {
        "off" | "none" | "zero" | "关闭" | "关掉" | "不要" => 0.0,
        "minimal" | "minimum" | "barely" | "最低" | "最小" => 0.1,
        "light" | "lightly" | "slight" | "slightly" | "subtle" | "gentle" | "gently" | "soft"
        | "little" | "mild" | "轻微" | "轻度" | "稍微" | "一点" | "略微" => 0.3,
        "medium" | "moderate" | "moderately" | "half" | "normal" | "中等" | "适中" | "适度"
        | "一半" => 0.5,
        "strong" | "strongly" | "intense" | "heavy" | "heavily" | "high" | "lot" | "very"
        | "much" | "强" | "高度" | "大幅" | "重度" => 0.9,
        "maximum" | "max" | "full" | "fully" | "maximal" | "completely" | "extreme" | "最大"
        | "最高" | "完全" | "最强" => 1.0,
        _ => return None,
    })
}

/// The share of a scale that an action means that is asked for without a degree.
pub(crate) const PLAIN_DEGREE: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_whole_words() {
        assert!(is_function("the") && !is_function("th") && !is_function(""));
        assert!(is_asking("please") && !is_asking("window"));
    }
}
