//! Words that induction knows: what says nothing by itself, and English for common Chinese
//! words, since key names are ASCII.
//!
//! Read next: [`super::words`].

use ::language::word::listed;

/// English words that carry no content of their own: grammar, courtesy and wishing.
const STOP: &str = " a about above add after all also always am an and any are as ask asked at available be \
 been before below best but by can could do during each every for from get give have her here his i if in into \
 is it its just kindly least let like make may me more most much must my near need needed of on one only or \
 our over per please possible prefer preferably preference preferred put request requested requests set shall \
 should some such sure take than thank thanks that the their them then there these they this those to too \
 under up us use using very want wanted was we were when where which while will wish with would you your \
 really next next_to ";

/// Words that turn a wish round.
const NEGATION: [&str; 11] = [
    "no", "not", "without", "never", "dont", "don", "avoid", "none", "cannot", "wont", "except",
];

/// The Chinese words before something that is not wanted.
const NEGATION_ZH: [&str; 6] = ["不要", "不需要", "不用", "无需", "避免", "禁止"];

/// English for Chinese words. Longer entries win.
const CHINESE: &[(&str, &str)] = &[
    ("靠窗", "window"),
    ("窗口", "window"),
    ("窗边", "window"),
    ("靠过道", "aisle"),
    ("过道", "aisle"),
    ("座位", "seat"),
    ("座椅", "seat"),
    ("安静", "quiet"),
    ("客舱", "cabin"),
    ("车厢", "cabin"),
    ("机舱", "cabin"),
    ("腿部空间", "legroom"),
    ("额外", "extra"),
    ("素食", "vegetarian"),
    ("餐食", "meal"),
    ("餐", "meal"),
    ("行李", "baggage"),
    ("轮椅", "wheelchair"),
    ("协助", "assistance"),
    ("加急", "urgent"),
    ("紧急", "urgent"),
    ("优先", "priority"),
    ("夜间", "night"),
    ("晚上", "night"),
    ("白天", "day"),
    ("周末", "weekend"),
    ("高峰", "peak"),
    ("降低", "reduce"),
    ("减少", "reduce"),
    ("提高", "increase"),
    ("增加", "increase"),
    ("提升", "increase"),
    ("关闭", "off"),
    ("打开", "on"),
    ("开启", "on"),
    ("暂停", "pause"),
    ("恢复", "resume"),
    ("取消", "cancel"),
    ("延迟", "delay"),
    ("时延", "latency"),
    ("功率", "power"),
    ("功耗", "power"),
    ("节能", "energy_saving"),
    ("能耗", "energy"),
    ("信号", "signal"),
    ("覆盖", "coverage"),
    ("小区", "cell"),
    ("基站", "site"),
    ("站点", "site"),
    ("天线", "antenna"),
    ("倾角", "tilt"),
    ("邻区", "neighbour"),
    ("带宽", "bandwidth"),
    ("速率", "rate"),
    ("流量", "traffic"),
    ("链路", "link"),
    ("回传", "backhaul"),
    ("光纤", "fibre"),
    ("端口", "port"),
    ("设备", "device"),
    ("单板", "board"),
    ("电池", "battery"),
    ("电源", "power_supply"),
    ("备件", "spare_part"),
    ("更换", "replace"),
    ("重启", "restart"),
    ("复位", "reset"),
    ("升级", "upgrade"),
    ("回退", "rollback"),
    ("备份", "backup"),
    ("配置", "configuration"),
    ("日志", "log"),
    ("告警", "alarm"),
    ("故障", "fault"),
    ("根因", "root_cause"),
    ("诊断", "diagnosis"),
    ("修复", "repair"),
    ("验证", "verify"),
    ("测试", "test"),
    ("报告", "report"),
    ("照片", "photo"),
    ("截图", "screenshot"),
    ("视频", "video"),
    ("短信", "sms"),
    ("电话", "phone"),
    ("邮件", "email"),
    ("通知", "notify"),
    ("回电", "callback"),
    ("联系", "contact"),
    ("客户", "customer"),
    ("用户", "user"),
    ("工程师", "engineer"),
    ("现场", "on_site"),
    ("远程", "remote"),
    ("中文", "chinese"),
    ("英文", "english"),
    ("语言", "language"),
    ("发票", "invoice"),
    ("退款", "refund"),
    ("赔偿", "compensation"),
    ("补偿", "compensation"),
    ("支付", "payment"),
    ("付款", "payment"),
    ("银行卡", "card"),
    ("账户", "account"),
    ("账号", "account"),
    ("密码", "password"),
    ("令牌", "token"),
    ("角色", "role"),
    ("权限", "permission"),
    ("身份", "identity"),
    ("管理员", "admin"),
    ("登录", "login"),
    ("访问", "access"),
    ("保密", "confidential"),
    ("温度", "temperature"),
    ("天气", "weather"),
];

/// True if a word says nothing by itself.
pub(super) fn is_stop(word: &str) -> bool {
    listed(STOP, word)
}

/// True if a word turns a wish round.
pub(super) fn is_negation(word: &str) -> bool {
    NEGATION.contains(&word)
}

/// True if a Chinese text does.
pub(super) fn negates_in_chinese(text: &str) -> bool {
    NEGATION_ZH.iter().any(|negation| text.contains(negation))
}

/// The Chinese word that a text begins with, in English, and how many bytes it takes.
pub(super) fn english_before(text: &str) -> Option<(&'static str, usize)> {
    let known = CHINESE
        .iter()
        .filter(|(chinese, _)| text.starts_with(chinese));
    known
        .max_by_key(|(chinese, _)| chinese.len())
        .map(|(zh, english)| (*english, zh.len()))
}
