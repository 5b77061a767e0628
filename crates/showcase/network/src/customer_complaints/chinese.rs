//! The grammar of Chinese letters.
//!
//! Read next: [`super::words`].

use super::Experience;
use super::composition::{Grammar, Parts, Suffering, pick};
use super::moment::Moment;
use crate::chance::{happens, whole};
use domain::gazetteer;
use domain::time::{SeededRng, Timestamp};

const DIGITS: [&str; 13] = [
    "零", "一", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二",
];
const WEEKDAYS: [&str; 7] = ["一", "二", "三", "四", "五", "六", "日"];

/// The grammar.
pub(super) const GRAMMAR: Grammar = Grammar {
    suffering: SUFFERING,
    place,
    sentence,
    vehicle: &["车架号", "VIN码是", "我的车架号是", "车辆识别码："],
    stop: "。",
    chatter: &CHATTER,
    greetings: &["你好，", "您好！", "客服你好，"],
    between: "",
};

/// The time of the event, in words.
pub(super) fn when(at: Timestamp, written: Timestamp, rng: &mut SeededRng) -> String {
    let m = Moment::of(at, written);
    let mut ways = vec![format!(
        "{}月{}日{}",
        u8::from(m.month),
        m.date,
        clock(&m, rng)
    )];
    if (0.75..6.25).contains(&m.ago_h) {
        let hours = (m.ago_h.round() as usize).clamp(1, 6);
        let number = pick(rng, &[DIGITS[hours], &hours.to_string()]);
        let about = pick(rng, &["", "大概", "大约"]);
        ways.push(format!("{about}{number}个小时前"));
    }
    if (0.4..0.7).contains(&m.ago_h) {
        ways.push("半小时前".to_owned());
    }
    if (0.1..0.75).contains(&m.ago_h) {
        let minutes = ((m.ago_h * 12.0).round() * 5.0).max(5.0);
        ways.push(format!("{minutes}分钟前"));
    }
    if m.days <= 6 {
        ways.push(format!("{}{}", day(&m, rng), clock(&m, rng)));
        ways.push(format!("{}{}", day(&m, rng), clock(&m, rng)));
        ways.push(part_of_day(&m));
    }
    let chosen = whole(rng, 0, ways.len() - 1);
    ways.swap_remove(chosen)
}

fn day(m: &Moment, rng: &mut SeededRng) -> String {
    match m.days {
        0 => "今天".to_owned(),
        1 => "昨天".to_owned(),
        2 if happens(rng, 0.6) => "前天".to_owned(),
        _ => format!(
            "{}{}",
            pick(rng, &["周", "星期"]),
            WEEKDAYS[usize::from(m.weekday.number_days_from_monday())]
        ),
    }
}

fn part(hour: u32) -> &'static str {
    match hour {
        0..=4 => "凌晨",
        5..=8 => "早上",
        9..=11 => "上午",
        12 => "中午",
        13..=17 => "下午",
        _ => "晚上",
    }
}

/// The time of day: "晚上七点左右", "19:05".
fn clock(m: &Moment, rng: &mut SeededRng) -> String {
    let hour = m.round_hour();
    let twelve = if hour > 12 { hour - 12 } else { hour } as usize;
    let spoken = if twelve == 2 { "两" } else { DIGITS[twelve] };
    let about = pick(rng, &["左右", "多", "前后", ""]);
    match whole(rng, 0, 3) {
        0 => format!("{:02}:{:02}", m.hour, m.minute),
        1 => format!(
            "{}{spoken}点{}",
            part(hour),
            if about == "多" { "左右" } else { &about }
        ),
        2 => format!("{}{twelve}点左右", part(hour)),
        _ if m.minute >= 30 && m.hour == hour_of_half(m) => {
            let twelve = if m.hour > 12 { m.hour - 12 } else { m.hour };
            format!("{}{}点半", part(m.hour), DIGITS[twelve as usize])
        }
        _ => format!("{hour}点左右"),
    }
}

/// The hour of "half past", if half past is near.
fn hour_of_half(m: &Moment) -> u32 {
    if m.minute < 50 { m.hour } else { 99 }
}

fn part_of_day(m: &Moment) -> String {
    match (m.days, part(m.hour)) {
        (0, "晚上") => "今晚".to_owned(),
        (0, "早上") => "今早".to_owned(),
        (1, "晚上") => "昨晚".to_owned(),
        (0, part) => format!("今天{part}"),
        (1, part) => format!("昨天{part}"),
        (_, part) => format!(
            "周{}{part}",
            WEEKDAYS[usize::from(m.weekday.number_days_from_monday())]
        ),
    }
}

/// The name of a town in a letter: in Chinese as a rule.
pub(super) fn town(town: &str, rng: &mut SeededRng) -> String {
    match gazetteer::chinese(town) {
        Some(name) if happens(rng, 0.75) => name.to_owned(),
        _ => town.to_owned(),
    }
}

/// Phrases for each symptom and subject.
const SUFFERING: Suffering = Suffering {
    account: &[
        "App提示账号被锁定",
        "登录不了App账号，密码一直不对",
        "App的验证码收不到",
        "我的账户被冻结了",
    ],
    bill: &[
        "账单多扣了钱",
        "这个月重复扣费了",
        "账单里有一笔看不懂的漫游费",
        "我要求退还车联网套餐费",
    ],
    quota: &[
        "车机提示流量已用完",
        "套餐流量用光了，什么都加载不了",
        "提示流量超额，可是我没怎么用",
        "流量包好像没了",
    ],
    modem: &[
        "车机提示通信模块故障，同一辆车里手机上网正常",
        "车机显示SIM卡无法识别",
        "车机升级以后通信模块起不来",
        "仪表显示T-BOX故障",
    ],
    no_service: &[
        "车机完全没有网络",
        "车子一直离线",
        "完全断网",
        "一点信号都没有",
        "车机显示无服务",
        "手机App连不上车，显示车辆离线",
    ],
    slow_data: &[
        "车机网速特别慢",
        "导航地图半天加载不出来",
        "听歌一直在缓冲",
        "上网很卡",
    ],
    call_drop: &[
        "车载电话打到一半断了",
        "通话突然中断",
        "打电话老是掉线",
        "电话断了两次",
    ],
    high_latency: &[
        "远程控制反应很慢，要等半分钟",
        "延迟特别高",
        "语音助手半天才有反应",
        "车机在线功能时延很大",
    ],
    weak_signal: &["信号只有一格", "信号特别弱", "信号很差", "几乎没什么信号"],
    intermittent: &[
        "网络时断时续",
        "一会儿有网一会儿没网",
        "网络断断续续的",
        "连接反复断开又恢复",
    ],
};

/// Joins clauses into one sentence; the event comes last if another clause leads, as usual in
/// Chinese.
fn sentence(clauses: &[String], suffering_leads: bool) -> String {
    let mut clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    if !suffering_leads {
        clauses[1..].rotate_left(1);
    }
    format!("{}。", clauses.join("，"))
}

const CHATTER: [&str; 9] = [
    "真的很烦。",
    "请尽快处理。",
    "我老婆都生气了。",
    "这车买了3年从来没出过这种事。",
    "后排两个孩子动画片都看不了。",
    "怎么回事啊？",
    "套餐一年要299呢。",
    "同事用别家的就没问题。",
    "麻烦查一下，谢谢。",
];

fn place(parts: &Parts, rng: &mut SeededRng) -> Option<String> {
    let town = parts.town.as_deref()?;
    if let Some(left) = &parts.left {
        return Some(match whole(rng, 0, 3) {
            0 => format!("从{left}开到{town}以后"),
            1 => format!("离开{left}进入{town}之后"),
            2 => format!("从{left}出发，到了{town}附近"),
            _ => format!("由{left}驶入{town}后"),
        });
    }
    Some(match whole(rng, 0, 4) {
        0 => format!("在{town}附近"),
        1 => format!("在{town}"),
        2 => format!("{town}高速上"),
        3 => format!("快到{town}的地方"),
        _ => format!("{town}郊外"),
    })
}

/// The answer to a question.
pub(super) fn answered(plight: &Experience, parts: &Parts) -> String {
    let mut said = vec!["谢谢回复。".to_owned()];
    if let Some(town) = &parts.town {
        said.push(match (&parts.left, plight.outside) {
            (Some(left), None) => format!("我从{left}过来，在{town}附近出的问题。"),
            _ => format!("在{town}附近。"),
        });
    }
    if let Some(when) = &parts.when {
        said.push(format!("时间是{when}。"));
    }
    if let Some(vehicle) = &parts.vehicle {
        said.push(format!("车架号{vehicle}。"));
    }
    said.concat()
}
