//! Groups of terms that mean the same, in English and Chinese.
//!
//! A template that lists `link_down` is so understood by who says "链路中断". An author's own
//! mapping examples always come first; these groups only stand where he wrote none.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One concept a line, its terms parted by `|`, words of a term by spaces.
const CONCEPTS: &[&str] = &[
    // Severity and priority (ITU-T X.733 perceived severity and its usual renderings).
    "critical|紧急|危急|特别严重|p1|sev1|service is down",
    "major|重要|主要|p2",
    "minor|次要|轻微|p3",
    "warning|警告|提示|预警|告警级别提示",
    "cleared|已清除|已恢复",
    "urgent|emergency|紧急|加急|立即|马上|asap|right away|immediately",
    "high|高级|较高",
    "medium|moderate|中等|average",
    "low|低级|较低",
    "normal|standard|regular|普通|正常|标准",
    // Domains and layers.
    "wireless|radio|ran|mobile network|无线|无线网|无线侧|无线接入|移动网",
    "transmission|transport|transmit|传输|传输网|传送网|承载网|backhaul|回传",
    "ip|ip network|数通|数据网|ip网",
    "core|core network|核心网|核心侧",
    "optical|光网|光传送|光网络",
    "access|接入|接入网",
    "power supply|power|电源|动力|供电",
    // Faults and symptoms.
    "fibre cut|fiber cut|broken fibre|broken fiber|cable cut|断纤|光缆中断|光纤中断|光纤断|光缆断|光缆被挖断",
    "link down|link failure|link broken|fiber cut|fibre cut|cable cut|链路中断|断链|断纤|光缆中断|光纤中断|链路故障|中断",
    "packet loss|losing packets|dropped packets|dropping packets|loses packets|丢包",
    "high latency|latency|delay|slow response|lag|lagging|ping is high|时延|延迟|高时延|时延高|时延大|延迟高|延迟大",
    "jitter|抖动",
    "power failure|power outage|lost power|no power|power cut|mains failure|no mains|blackout|without power|没电|没市电|停电|断电|掉电|电源故障|供电中断|市电中断",
    "config error|configuration error|misconfigured|misconfiguration|wrong configuration|配置错误|误配置|配置不当",
    "card failure|board failure|dead line card|dead card|板卡故障|单板故障|板卡坏|单板坏",
    "router failure|router dead|路由器故障|路由器坏|路由器宕机",
    "duct cut|torn duct|broken duct|管道中断|管道断|管道被挖断",
    "hardware failure|hardware fault|broken hardware|硬件故障",
    "software failure|software fault|software bug|crash|软件故障|软件异常|软件缺陷",
    "cell outage|out of service|site down|site outage|base station outage|base station down|offline|退服|断站|基站退服|小区退服|脱网|站点退服|掉站",
    "interference|干扰",
    "congestion|congested|overload|overloaded|拥塞|过载|拥堵",
    "weak coverage|poor coverage|bad coverage|coverage hole|弱覆盖|覆盖差|覆盖弱|覆盖不足",
    "no signal|no service|no coverage|no network|no internet|no reception|no connection|without network|without service|w/o service|without signal|line is dead|line dead|offline|can't connect|cannot connect|does not connect|lost connection|无信号|没信号|没有信号|信号丢失|没有网络|没网|无网络|断网|连不上网|上不了网|无法联网|无法上网|离线",
    "call drop|dropped call|dropped calls|calls drop|drops calls|calls get cut|cut off in the middle of calls|calls break off|call breaks off|掉话|通话中断|掉线|打到一半就断|电话总断",
    "poor voice|bad voice|voice quality|echo|crackling|noise on the line|voice is choppy|cannot hear|杂音|回声|听不清|通话质量差|语音质差",
    "weak signal|signal too weak|poor signal|bad signal|bad reception|poor reception|信号弱|信号太弱|信号很弱|信号差|信号不好",
    "call failure|cannot call|can't call|打不通|无法通话|无法拨打|接不通",
    "slow speed|slow internet|slow data|slow connection|data is crawling|crawling|pages take minutes|takes forever to load|loading forever|buffering|stutters|stuttering|网速慢|速度慢|上网慢|低速率|速率低|打开慢|加载慢|半天打不开|转圈|卡顿",
    "overheating|high temperature|too hot|过热|温度过高|高温",
    "flapping|intermittent|intermittently|on and off|comes and goes|now and then|闪断|时断时续|时通时断|频繁闪断|时有时无|断断续续",
    "degraded|degradation|quality degradation|劣化|质差|性能劣化",
    "billing|bill|charge|charges|overcharged|invoice|计费|账单|收费|资费|扣费",
    "voice|voice call|call|calls|phone call|语音|通话|电话",
    "video|视频|streaming",
    "data|internet|data service|mobile data|上网|数据业务|网络|流量",
    "coverage|signal|覆盖|信号",
    "installation|install|安装|装机",
    "broadband|宽带",
    "private line|leased line|专线",
    // What is done.
    "restart|reboot|重启",
    "reset|复位",
    "replace|swap|更换|替换",
    "repair|fix|修复|抢修|维修",
    "inspect|inspection|检查|巡检|排查",
    "diagnose|diagnosis|root cause|诊断|定位|根因",
    "rollback|roll back|revert|回退|回滚",
    "failover|switchover|switch over|倒换|主备切换",
    "compensate|compensation|补偿",
    "reach|connect|接入",
    "neighbor cell|邻区|相邻小区",
    "power adjustment|increase power|raise power|boost power|提升功率|增大功率|调整功率|加大功率",
    "antenna tilt|tilt|downtilt|下倾角|天线倾角",
    "refund|credit|money back|退款|退费",
    "discount|折扣|优惠",
    "voucher|coupon|代金券|优惠券",
    "add|insert|append|添加|新增",
    "delete|remove|erase|drop|删除|移除",
    "update|modify|edit|change|修改|更新",
    "turn|switch",
    "pause|suspend|hold|暂停|中止|挂起",
    "resume|restore|恢复|继续",
    "cancel|terminate|取消|终止",
    "start|begin|activate|启动|开始|开启|启用",
    "stop|end|停止|结束|关闭",
    // Energy saving.
    "carrier shutdown|carriers off|关载波|carrier off|shut down carriers|turn off carriers|switch off carriers|载波关断|关断载波|关闭载波|载波关闭",
    "symbol shutdown|symbol off|符号关断|符号关闭",
    "channel shutdown|channels off|antenna channels off|关闭通道|关通道|关闭天线通道|channel muting|mimo muting|通道关断|通道静默|通道关闭",
    "deep sleep|deep dormancy|深度休眠|深度睡眠",
    "cell sleep|cell shutdown|cell switch off|cells off|关小区|小区休眠|小区关断|小区关闭",
    "light sleep|浅休眠|浅睡",
    "energy saving|save energy|power saving|节能|省电|节电",
    // Things of the network.
    "site|base station|基站|站点|gnb|enb|nodeb",
    "cell|小区",
    "router|路由器",
    "switch|交换机",
    "link|链路",
    "device|equipment|network element|设备|网元",
    "user|customer|subscriber|home|household|client|resident|people|person|driver|用户|客户|居民|户",
    "vehicle|car|truck|bus|lorry|车辆|汽车",
    "fault|failure|malfunction|故障",
    "alarm|alert|告警",
    "complaint|投诉",
    "engineer|technician|工程师|师傅|维护人员",
    "power|功率",
    "temperature|温度",
    "area|region|district|zone|区域|地区|片区",
    "battery|蓄电池|电池",
    "rectifier|整流器|整流模块",
    "board|card|单板|板卡",
    "optical module|sfp|transceiver|光模块",
    "fiber|optical cable|光纤|光缆",
    "antenna|天线",
    // Of everyday requests.
    "economy|economy class|coach|经济舱|经济",
    "premium economy|超级经济舱|高端经济舱",
    "business|business class|商务舱|公务舱|商务",
    "first|first class|头等舱",
    "one way|one-way|单程",
    "round trip|return trip|往返",
    "window|靠窗",
    "aisle|靠走道|靠过道",
    "none|nothing",
    "vintage|retro|复古|怀旧",
    "cinematic|电影感|电影",
    "warm|暖色|暖色调",
    "cool|冷色|冷色调",
    "cheap|inexpensive|budget|low cost|便宜",
    "moderate|mid range|average|not very costly|reasonably priced|适中",
    "expensive|pricey|costly|昂贵",
    "men|male|man|男性",
    "women|female|woman|女性",
    "daily|day|every day|per day|每天|每日",
    "weekly|week|every week|per week|每周",
    "monthly|month|every month|per month|每月",
    "yearly|annually|year|every year|per year|每年",
    "hourly|hour|every hour|per hour|每小时",
    "fastest|quickest|最快",
    "shortest|最短",
    "ascending|asc|increasing|升序",
    "descending|desc|decreasing|降序",
    "connected car|connected vehicle|vehicle|internet of vehicles|车联网",
    "internet of things|iot|meters|smart meter|card terminal|payment terminal|物联网|刷卡机|收费机|抄表|传感器|pos机",
    "email|e-mail|mail|邮件|电子邮件",
    "sms|text message|短信",
    "phone|telephone|电话|致电",
    "english|en|英文|英语",
    "chinese|zh|mandarin|中文|汉语",
    "day|daytime|白天|日间",
    "night|nighttime|night time|夜间|晚上|夜里",
    "weekend|weekends|周末",
    "weekday|weekdays|工作日",
    "peak|busy hour|peak hours|高峰|忙时",
    "off peak|idle|闲时|低谷",
    "child|kid|family|儿童|孩子",
    "parking|停车",
    "internet|wifi|wi-fi|wireless internet|无线网络",
    "pet|pets|dog|dogs|cat|cats|animals|宠物",
    "musician|singer|artist|band|歌手",
    "sports|sport|game|games|match|体育",
    "music|concert|concerts|音乐",
];

static BY_TERM: LazyLock<BTreeMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut by_term: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    for (at, line) in CONCEPTS.iter().enumerate() {
        for term in line.split('|') {
            by_term.entry(term).or_default().push(at);
        }
    }
    by_term
});

/// The concepts that a term belongs to.
fn concept(term: &str) -> &'static [usize] {
    let singular = || term.strip_suffix('s').and_then(|t| BY_TERM.get(t));
    BY_TERM
        .get(term)
        .or_else(singular)
        .map_or(&[], Vec::as_slice)
}

/// True if two terms share a concept.
pub(crate) fn same_concept(one: &str, other: &str) -> bool {
    concept(one).iter().any(|c| concept(other).contains(c))
}

/// The other terms for what a term means.
pub(crate) fn terms_like(term: &str) -> Vec<&'static str> {
    concept(term)
        .iter()
        .flat_map(|c| CONCEPTS[*c].split('|'))
        .filter(|t| *t != term)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_one_concept_are_the_same_in_both_languages() {
        assert!(same_concept("packet loss", "丢包"));
        assert!(!same_concept("packet loss", "时延"));
        assert!(terms_like("deep sleep").contains(&"深度休眠"));
    }
}
