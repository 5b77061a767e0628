//! Groups of terms that mean the same, in English and Chinese.
//!
//! A template that lists `link_down` is so understood by who says "链路中断". An author's own
//! mapping examples always come first; these groups only stand where he wrote none.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One concept a line, its terms parted by `|`, words of a term by spaces.
pub(super) const CONCEPTS: &[&str] = &[
    // Severity and priority (ITU-T X.733 perceived severity and its usual renderings).
    "critical|紧急|危急|特别严重|十万火急|火急|p1|sev1|service is down",
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
    "fibre cut|fiber cut|broken fibre|broken fiber|cut fibre|severed fibre|damaged fibre|fibre break|fibre is broken|fibre is cut|fibre snapped|cable cut|光纤断裂|光纤挖断|光缆断裂|光缆挖断|断缆|断光缆|断纤|光缆中断|光纤中断|光纤断|光缆断|光缆被挖断",
    "link down|link failure|link broken|链路中断|断链|链路故障|中断",
    "packet loss|losing packets|dropped packets|dropping packets|loses packets|丢包",
    "high latency|long delay|high ping|huge lag|lags|latency|delay|slow response|lag|lagging|ping is high|时延|延迟|高时延|时延高|时延大|延迟高|延迟大",
    "jitter|抖动",
    "power failure|power outage|lost power|no power|power cut|mains failure|mains outage|grid failure|mains is gone|power is out|power is gone|power went out|no electricity|electricity is out|no mains|断了电|没了电|市电停|市电断|跳闸|停了电|blackout|without power|没电|没市电|停电|断电|掉电|电源故障|供电中断|市电中断",
    "config error|configuration error|misconfigured|misconfiguration|wrong configuration|配置错误|误配置|配置不当",
    "card failure|board failure|dead line card|dead card|broken card|faulty card|defective card|card is broken|card is faulty|card failed|line card down|板卡损坏|板卡失效|板卡不亮|单板损坏|板卡故障|单板故障|板卡坏|单板坏",
    "router failure|not respond|not responding|router dead|router down|router is down|router crashed|router does not respond|router failed|路由器死机|路由器挂了|路由器无响应|路由器瘫痪|路由器故障|路由器坏|路由器宕机",
    "duct cut|torn duct|broken duct|duct is broken|duct is torn|damaged duct|crushed duct|excavator hit the duct|管道断裂|管道损坏|管道被挖|管道挖断|管道中断|管道断|管道被挖断",
    "hardware failure|hardware fault|broken hardware|硬件故障",
    "software failure|software fault|software bug|crash|软件故障|软件异常|软件缺陷",
    "cell outage|out of service|site down|site outage|base station outage|base station down|offline|退服|断站|基站退服|小区退服|脱网|站点退服|掉站",
    "interference|干扰",
    "congestion|congested|overload|overloaded|拥塞|过载|拥堵",
    "weak coverage|poor coverage|bad coverage|coverage hole|弱覆盖|覆盖差|覆盖弱|覆盖不足",
    "no signal|no service|completely gone|stopped working|stopped reporting|no longer works|line down|line is down|is out of order|中断|上不了线|internet is down|internet down|network down|connection down|connection is gone|no calls possible|nothing works|no connectivity|cannot get online|can't get online|cannot go online|not online|no bars|network is gone|network is down|service is gone|completely dead|dead zone|cannot make calls|can't make calls|cannot call|can't call|no dial tone|掉网|没服务|无服务|用不了|连不上|打不了电话|打不通电话|打不出去|拨不出去|接不通|完全没网|一点信号都没有|no coverage|no network|no internet|no reception|no connection|without network|without service|w/o service|without signal|line is dead|line dead|专线断|专线断了|专线不通|offline|can't connect|cannot connect|does not connect|lost connection|无信号|没信号|没有信号|信号丢失|没有网络|没网|无网络|断网|掉线|搜不到信号|电话打不进来|接不到电话|连不上网|上不了网|无法联网|无法上网|离线",
    "call drop|call drops|calls are dropped|calls keep dropping|calls disconnect|call gets disconnected|calls get interrupted|drops my calls|hangs up by itself|disconnected in the middle|cut off in mid call|cut off in the middle|get cut off|thrown out of calls|conversation breaks off|conversations break off|就断|通话掉线|通话老断|总是断|老是断|经常断|老断线|断线|电话老断|通话断|电话断|通话中断|打着打着就断|说着说着就断|自动挂断|dropped calls|calls drop|drops calls|calls get cut|cut off in the middle of calls|calls break off|call breaks off|掉话|通话中断|打到一半就断|电话掉线|通话掉线|电话总断",
    "poor voice|bad voice|noise|noisy|bad sound|poor sound|garbled|distorted|robotic voice|sound like a robot|sounds like a robot|sounding like a robot|像机器人|voice is breaking up|breaking up|hardly understand|cannot understand|can't understand|crackles|hissing|static on the line|static|echoes|一顿一顿|听不见|声音小|声音断断续续|有回音|噪音|噪声|沙沙声|失真|机器人声|voice quality|echo|crackling|noise on the line|voice is choppy|cannot hear|杂音|回声|听不清|通话质量差|语音质差",
    "weak signal|signal is weak|signal too weak|signal is poor|signal is bad|low signal|one bar|hardly any signal|barely any signal|barely a signal|little signal|poor coverage|bad coverage|weak reception|信号只有一格|一格信号|信号不强|信号微弱|信号不稳|覆盖差|poor signal|bad signal|bad reception|poor reception|信号弱|信号太弱|信号很弱|信号差|信号不好",
    "call failure|cannot call|can't call|打不通|无法通话|无法拨打|接不通",
    "slow speed|takes ages|take ages|ages to load|慢得很|慢死|too slow|very slow|so slow|terribly slow|extremely slow|unbearably slow|slow connection|slow network|slow download|downloads take|pages load slowly|videos buffer|video freezes|videos freeze|videos stall|barely loads|low speed|low throughput|网慢|很慢|太慢|特别慢|速度很慢|网速差|上网卡|加载不出来|刷不出来|看视频卡|视频卡|下载慢|网页打不开|网页打开慢|slow data|slow connection|data is crawling|crawling|pages take minutes|takes forever to load|loading forever|buffering|stutters|stuttering|网速慢|速度慢|上网慢|低速率|速率低|打开慢|加载慢|半天打不开|转圈|卡顿",
    "overheating|high temperature|too hot|过热|温度过高|高温",
    "flapping|intermittent|unstable|sporadic|keeps coming and going|every few minutes|off and on|one minute and|now it works|一会儿有一会儿没|时好时坏|不稳定|忽好忽坏|隔一会儿就|时断时通|intermittently|on and off|comes and goes|now and then|闪断|时断时续|时通时断|频繁闪断|时有时无|断断续续",
    "degraded|degradation|quality degradation|劣化|质差|性能劣化",
    "billing|bill|overcharged|invoice|计费|账单|收费|资费|扣费",
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
    "impact|effect|loss|drop|degradation|slowdown|dip|noticing|harm|worse",
    "kpi|quality|experience|performance",
    "small|slight|little|modest",
    "fine|ok|okay|accept|accepted|tolerate|acceptable|tolerable|allowed|permitted",
    "raise|increase|boost|enlarge|bigger|larger|bump|step up|turn up|crank up|调高|提高|增大|加大",
    "keep|leave alone|leave as it is|unchanged|untouched|as before|不动|不要动|别动|不变|保持不变|照旧|维持原样",
    "reduce|lower|decrease|cut",
    "disable|deactivate|off",
    "ticket|work order|order|tkt|工单|单号",
    "service|业务",
    "compensate|compensation|补偿",
    "reach|connect|接入",
    "neighbor cell|邻区|相邻小区",
    "power adjustment|increase power|raise power|boost power|功率加|加功率|功率提|提功率|功率升|升功率|提升功率|增大功率|调整功率|加大功率",
    "load balancing|balance the load|balance load|load sharing|traffic balancing|负载均衡|负荷均衡|话务均衡|流量均衡|负载分担",
    "antenna tilt|tilt|downtilt|下倾角|天线倾角",
    "discount|折扣|优惠",
    "voucher|coupon|代金券|优惠券",
    "add|insert|append|添加|新增",
    "delete|remove|erase|drop|删除|移除",
    "update|modify|edit|change|修改|更新",
    "turn|switch",
    "pause|suspend|hold|暂停|中止|挂起",
    "resume|restore|reactivate|re-enable|恢复|继续",
    "cancel|terminate|call off|lift|取消|终止|撤销|撤掉|撤了|撤下",
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
    "router|rtr|路由器",
    "switch|交换机",
    "link|链路",
    "device|equipment|network element|设备|网元",
    "user|customer|subscriber|home|household|family|client|resident|people|person|driver|用户|客户|居民|户",
    "vehicle|car|truck|bus|lorry|车辆|汽车",
    "fault|failure|malfunction|故障",
    "alarm|alert|告警",
    "complaint|投诉",
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
    "economy|economy class|eco|coach|经济舱|经济",
    "premium economy|超级经济舱|高端经济舱",
    "business|business class|biz|biz class|商务舱|公务舱|商务",
    "first|first class|头等舱",
    "one way|one-way|单程",
    "round trip|return trip|往返",
    "window|靠窗",
    "aisle|靠走道|靠过道",
    "none|nothing",
    "background|backdrop|behind me|behind us|behind her|behind him|背景|身后|背后",
    "vintage|retro|复古|怀旧",
    "cinematic|movie look|film look|movie still|film still|like a movie|like a film|电影感|电影",
    "warm|warm tones|暖色|暖色调|暖调|暖一点|偏暖",
    "cool|cool tones|cooler|冷色|冷色调|冷调|冷一点|偏冷",
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
    "internet of things|iot|meters|smart meter|card terminal|payment terminal|物联网|电表|水表|燃气表|刷卡机|收费机|抄表|传感器|pos机",
    "email|e-mail|mail|邮件|电子邮件",
    "sms|text message|短信",
    "phone|telephone|电话|致电",
    "english|en|英文|英语",
    "chinese|zh|mandarin|中文|汉语",
    "day|daytime|白天|日间",
    "night|nighttime|night time|夜间|晚上|夜里",
    "weekend|weekends|saturday|sunday|saturdays|sundays|周末|周六|周日|星期六|星期天|星期日",
    "weekday|weekdays|工作日",
    "notify|inform|tell|message|notification|note|ping|告诉|通知|告知|知会|消息",
    "ring|phone|ring|telephone|call back|电话|回电|致电",
    "technician|engineer|工程师|技术员|师傅",
    "incident|inc|事件|故障事件",
    "dig|digging|digger|excavator|roadworks|construction|施工|开挖|挖机|挖沟|挖掘",
    "refund|refunded|money|reimburse|退款|退费|退钱|退还",
    "rain|raining|pouring|thunderstorm|storm|weather|下雨|大雨|雷暴|天气",
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

/// The first term of the first concept that a term belongs to: a name for it.
pub(crate) fn concept_name(term: &str) -> Option<&'static str> {
    let line = CONCEPTS[*concept(term).first()?];
    line.split('|').next()
}

/// True for a term of some concept.
pub(crate) fn is_term(term: &str) -> bool {
    !concept(term).is_empty()
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
