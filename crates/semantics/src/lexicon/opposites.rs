//! Terms that turn a request round: pairs of opposites, and words that deny.
//!
//! A guard for embedders, to whom "reduce power at night" and "increase power by day" lie close.

use language::word::listed;

/// Two poles a line, parted by `/`; the terms of a pole parted by `|`.
const POLES: &[&str] = &[
    "increase|increas|raise|rais|higher|more|boost|add|enlarge|enlarg|grow|extend|expand|strengthen|augment|amplify|maximize|maximise|bigger|larger|调大|大一点|升上|要升|加一点|增加|提高|提升|增大|加大|升高|调高|扩大|增强|上调/\
     reduce|reduc|lower|decrease|decreas|less|cut|drop|shrink|shorten|weaken|diminish|minimize|minimise|smaller|调小|小一点|降下|要降|减一点|降低|减少|减小|减弱|调低|缩小|下调|削减|压低",
    "enable|enabl|activate|activat|start|begin|allow|permit|open|启用|开启|打开|启动|允许|开始|激活/\
     disable|disabl|deactivate|deactivat|stop|end|forbid|prohibit|block|close|shutdown|关闭|停用|禁用|停止|禁止|关断|关掉|结束",
    "day|daytime|白天|日间/night|nighttime|overnight|夜间|晚上|夜里|深夜|夜晚",
    "morning|早上|上午|早晨/evening|晚上|傍晚",
    "daily|every day|each day|per day|每天|每日|日报/weekly|every week|each week|per week|每周|周报",
    "critical|severe|紧急|严重/minor|negligible|次要|轻微",
    "before|earlier|prior|之前|以前|提前/after|later|之后|以后|推迟|延后",
    "include|包含|包括/exclude|omit|不含|不包括|除外",
    "fast|faster|quick|speed|快|加快|加速/slow|slower|slowdown|慢|减慢|放慢|减速",
    "hot|warm|heat|热|暖|加热/cold|cool|chill|冷|制冷|降温",
    "loud|louder|noisy|大声|吵/quiet|quieter|silent|mute|安静|静音|小声",
    "bright|brighter|light|亮|明亮|变亮/dark|darker|dim|暗|变暗|昏暗",
    "cheap|cheaper|cheapest|inexpensive|便宜/expensive|pricey|luxury|贵|昂贵|豪华",
    "window|靠窗/aisle|过道|走道",
    "front|forward|前排|前面|前/back|rear|behind|后排|后面|后",
    "top|upper|above|上铺|上方|上层/bottom|below|under|下铺|下方|下层",
    "left|左/right|右",
    "early|earliest|早|最早/late|latest|晚|最晚|迟",
    "first|最先|首先/last|最后",
    "lock|encrypt|锁定|加密/unlock|decrypt|解锁|解密",
    "connect|attach|join|连接|接入|加入/disconnect|detach|leave|断开|脱离|退出",
    "install|mount|安装|装上/uninstall|remove|dismount|卸载|拆除|移除",
    "pause|suspend|暂停|挂起|中止/resume|continue|恢复|继续",
    "show|display|reveal|显示|展示/hide|conceal|隐藏",
    "accept|approve|agree|接受|批准|同意/reject|refuse|decline|deny|拒绝|驳回",
    "upgrade|升级/downgrade|rollback|降级|回退",
    "push|推/pull|拉",
    "inbound|incoming|receive|入|接收|呼入/outbound|outgoing|send|出|发送|呼出",
    "uplink|upload|上行|上传/downlink|download|下行|下载",
    "indoor|inside|室内|里面/outdoor|outside|室外|外面|户外",
    "public|公开/private|私密|不公开",
    "manual|manually|手动|人工/automatic|automatically|auto|自动",
    "weekday|weekdays|工作日/weekend|weekends|周末",
    "hard|firm|硬/soft|软",
    "long|longer|长/short|shorter|短",
    "wide|wider|宽/narrow|narrower|窄",
    "big|large|大/small|little|小",
    "full|满/empty|空",
    "same|相同|一样|同一/different|不同|不一样",
    "together|一起|相邻/apart|separate|separately|分开",
    "smoke|smoking|吸烟/nonsmoking|smokeless|无烟|禁烟",
    "vegetarian|vegan|素食|素/meat|荤|肉",
];

/// Words that deny what follows.
const DENIALS: &str = " no not never without don't doesn't didn't won't can't cannot isn't aren't wasn't \
 shouldn't mustn't wouldn't couldn't avoid except neither nor none skip 不 别 勿 没 无 非 未 莫 避免 ";

/// Words in which those characters deny nothing.
const HARMLESS: &str = " 无线 无锡 非常 未来 特别 级别 区别 个别 类别 性别 分别 不错 不过 不仅 不断 能不能 \
 可不可以 是不是 要不要 ";

/// Verbs whose "on" and "off", "up" and "down" are poles; elsewhere those are prepositions.
const SWITCHES: &str = " turn switch put keep leave scale go move power be it lights bring step stay always \
 never ";

/// The poles that a text holds: (pair, which end). English by whole words, Chinese by characters;
/// the longer term of both poles wins over the shorter within it (禁用 over 用).
pub(crate) fn poles(words: &[String], text: &str) -> Vec<(usize, bool)> {
    let mut held = Vec::new();
    for (pair, line) in POLES.iter().enumerate() {
        let (one, other) = line.split_once('/').unwrap_or((line, ""));
        for (end, pole) in [(false, one), (true, other)] {
            if pole.split('|').any(|term| holds(words, text, term)) {
                held.push((pair, end));
            }
        }
    }
    held.extend(switched(words));
    held
}

/// "turn … on", "switch … off", "scale up".
fn switched(words: &[String]) -> impl Iterator<Item = (usize, bool)> + '_ {
    let verb = |at: usize| {
        words[at.saturating_sub(4)..at]
            .iter()
            .any(|w| listed(SWITCHES, w))
    };
    words
        .iter()
        .enumerate()
        .filter_map(move |(at, word)| match word.as_str() {
            "on" if verb(at) => Some((1, false)),
            "off" if verb(at) || at + 1 == words.len() => Some((1, true)),
            "up" if verb(at) => Some((0, false)),
            "down" if verb(at) => Some((0, true)),
            _ => None,
        })
}

/// True if two texts say the opposite: they hold the two ends of a pair, or one denies what the
/// other says (most of their words are the same, which `alike` tells). Who denies one end says the
/// other.
pub(crate) fn opposed(one: (&[String], &str), other: (&[String], &str), alike: bool) -> bool {
    let turned = |(words, text)| denials(words, text) % 2 == 1;
    let ends = |said: (&[String], &str)| {
        let all = poles(said.0, said.1);
        let clear = |(pair, end): &(usize, bool)| !all.contains(&(*pair, !*end));
        all.iter().filter(|p| clear(p)).copied().collect::<Vec<_>>()
    };
    let (ours, theirs) = (ends(one), ends(other));
    let flip = turned(one) != turned(other);
    let shared: Vec<bool> = ours
        .iter()
        .filter_map(|(pair, end)| {
            let same = theirs.iter().find(|(p, _)| p == pair)?;
            Some((same.1 != *end) != flip)
        })
        .collect();
    match shared.is_empty() {
        true => flip && alike,
        false => shared.contains(&true),
    }
}

/// The number of words of a text that deny.
pub(crate) fn denials(words: &[String], text: &str) -> usize {
    let text = HARMLESS
        .split_whitespace()
        .fold(text.to_owned(), |text, harmless| {
            text.replace(harmless, " ")
        });
    let denials = DENIALS.split_whitespace();
    denials.filter(|d| holds(words, &text, d)).count()
}

fn holds(words: &[String], text: &str, term: &str) -> bool {
    match (term.is_ascii(), term.contains(' ')) {
        (true, false) => words.iter().any(|w| w == term),
        _ => text.contains(term),
    }
}
