//! Cities that people fly between, with the code of their main airport, and the regions that stand
//! behind a city's name.
//!
//! Small on purpose: it carries mapping examples from one language to the other ("from Beijing" →
//! `PEK` holds for 北京 too) and gives a code where a key takes nothing but codes. It never
//! replaces a name that a key takes as it is.

/// Name in English, other names and Chinese, IATA code of the city or of its main airport.
const CITIES: &[(&str, &str, &str)] = &[
    ("beijing", "peking|北京", "PEK"),
    ("shanghai", "上海", "SHA"),
    ("guangzhou", "canton|广州", "CAN"),
    ("shenzhen", "深圳", "SZX"),
    ("chengdu", "成都", "CTU"),
    ("chongqing", "重庆", "CKG"),
    ("hangzhou", "杭州", "HGH"),
    ("nanjing", "南京", "NKG"),
    ("wuhan", "武汉", "WUH"),
    ("xi'an", "xian|西安", "XIY"),
    ("tianjin", "天津", "TSN"),
    ("qingdao", "青岛", "TAO"),
    ("dalian", "大连", "DLC"),
    ("xiamen", "厦门", "XMN"),
    ("kunming", "昆明", "KMG"),
    ("changsha", "长沙", "CSX"),
    ("zhengzhou", "郑州", "CGO"),
    ("harbin", "哈尔滨", "HRB"),
    ("shenyang", "沈阳", "SHE"),
    ("urumqi", "乌鲁木齐", "URC"),
    ("sanya", "三亚", "SYX"),
    ("haikou", "海口", "HAK"),
    ("guilin", "桂林", "KWL"),
    ("fuzhou", "福州", "FOC"),
    ("jinan", "济南", "TNA"),
    ("hong kong", "香港", "HKG"),
    ("macau", "macao|澳门", "MFM"),
    ("taipei", "台北", "TPE"),
    ("tokyo", "东京", "HND"),
    ("osaka", "大阪", "KIX"),
    ("seoul", "首尔", "ICN"),
    ("singapore", "新加坡", "SIN"),
    ("bangkok", "曼谷", "BKK"),
    ("kuala lumpur", "吉隆坡", "KUL"),
    ("jakarta", "雅加达", "CGK"),
    ("manila", "马尼拉", "MNL"),
    ("hanoi", "河内", "HAN"),
    ("delhi", "new delhi|新德里|德里", "DEL"),
    ("mumbai", "孟买", "BOM"),
    ("dubai", "迪拜", "DXB"),
    ("doha", "多哈", "DOH"),
    ("istanbul", "伊斯坦布尔", "IST"),
    ("moscow", "莫斯科", "SVO"),
    ("london", "伦敦", "LHR"),
    ("paris", "巴黎", "CDG"),
    ("berlin", "柏林", "BER"),
    ("frankfurt", "法兰克福", "FRA"),
    ("munich", "慕尼黑", "MUC"),
    ("leipzig", "莱比锡", "LEJ"),
    ("dresden", "德累斯顿", "DRS"),
    ("hannover", "hanover|汉诺威", "HAJ"),
    ("cologne", "koeln|köln|科隆", "CGN"),
    ("nuremberg", "nuernberg|nürnberg|纽伦堡", "NUE"),
    ("stuttgart", "斯图加特", "STR"),
    ("duesseldorf", "düsseldorf|dusseldorf|杜塞尔多夫", "DUS"),
    ("bremen", "不来梅", "BRE"),
    ("dortmund", "多特蒙德", "DTM"),
    ("essen", "埃森", ""),
    ("karlsruhe", "卡尔斯鲁厄", "FKB"),
    ("mannheim", "曼海姆", "MHG"),
    ("ulm", "乌尔姆", ""),
    ("potsdam", "波茨坦", ""),
    ("augsburg", "奥格斯堡", ""),
    ("kiel", "基尔", ""),
    ("rostock", "罗斯托克", "RLG"),
    ("magdeburg", "马格德堡", ""),
    ("erfurt", "爱尔福特", "ERF"),
    ("regensburg", "雷根斯堡", ""),
    ("wuerzburg", "würzburg|维尔茨堡", ""),
    ("gdansk", "格但斯克", "GDN"),
    ("krakow", "kraków|克拉科夫", "KRK"),
    ("poznan", "poznań|波兹南", "POZ"),
    ("wroclaw", "wrocław|弗罗茨瓦夫", "WRO"),
    ("lodz", "łódź|罗兹", "LCJ"),
    ("katowice", "卡托维兹", "KTW"),
    ("szczecin", "什切青", "SZZ"),
    ("lyon", "里昂", "LYS"),
    ("marseille", "马赛", "MRS"),
    ("suzhou", "苏州", ""),
    ("hefei", "合肥", "HFE"),
    ("ningbo", "宁波", "NGB"),
    ("lanzhou", "兰州", "LHW"),
    ("guiyang", "贵阳", "KWE"),
    ("nanning", "南宁", "NNG"),
    ("taiyuan", "太原", "TYN"),
    ("lhasa", "拉萨", "LXA"),
    ("hamburg", "汉堡", "HAM"),
    ("vienna", "维也纳", "VIE"),
    ("zurich", "苏黎世", "ZRH"),
    ("geneva", "日内瓦", "GVA"),
    ("amsterdam", "阿姆斯特丹", "AMS"),
    ("brussels", "布鲁塞尔", "BRU"),
    ("madrid", "马德里", "MAD"),
    ("barcelona", "巴塞罗那", "BCN"),
    ("lisbon", "里斯本", "LIS"),
    ("rome", "罗马", "FCO"),
    ("milan", "米兰", "MXP"),
    ("athens", "雅典", "ATH"),
    ("stockholm", "斯德哥尔摩", "ARN"),
    ("oslo", "奥斯陆", "OSL"),
    ("copenhagen", "哥本哈根", "CPH"),
    ("helsinki", "赫尔辛基", "HEL"),
    ("warsaw", "华沙", "WAW"),
    ("prague", "布拉格", "PRG"),
    ("budapest", "布达佩斯", "BUD"),
    ("dublin", "都柏林", "DUB"),
    ("cairo", "开罗", "CAI"),
    ("nairobi", "内罗毕", "NBO"),
    ("johannesburg", "约翰内斯堡", "JNB"),
    ("cape town", "开普敦", "CPT"),
    ("lagos", "拉各斯", "LOS"),
    ("new york", "nyc|new york city|纽约", "JFK"),
    ("los angeles", "洛杉矶", "LAX"),
    ("san francisco", "旧金山", "SFO"),
    ("chicago", "芝加哥", "ORD"),
    ("boston", "波士顿", "BOS"),
    ("seattle", "西雅图", "SEA"),
    ("washington", "华盛顿", "IAD"),
    ("miami", "迈阿密", "MIA"),
    ("houston", "休斯敦", "IAH"),
    ("dallas", "达拉斯", "DFW"),
    ("atlanta", "亚特兰大", "ATL"),
    ("las vegas", "拉斯维加斯", "LAS"),
    ("toronto", "多伦多", "YYZ"),
    ("vancouver", "温哥华", "YVR"),
    ("montreal", "蒙特利尔", "YUL"),
    ("mexico city", "墨西哥城", "MEX"),
    ("sao paulo", "são paulo|圣保罗", "GRU"),
    ("buenos aires", "布宜诺斯艾利斯", "EZE"),
    ("lima", "利马", "LIM"),
    ("santiago", "圣地亚哥", "SCL"),
    ("bogota", "bogotá|波哥大", "BOG"),
    ("sydney", "悉尼", "SYD"),
    ("melbourne", "墨尔本", "MEL"),
    ("auckland", "奥克兰", "AKL"),
];

/// States, provinces and countries that stand behind a city's name.
const REGIONS: &str = " alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho \
 illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana \
 nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming \
 ontario quebec alberta manitoba england scotland wales france germany italy spain portugal greece ireland austria \
 switzerland belgium netherlands denmark sweden norway finland poland hungary russia turkey ukraine china japan korea india \
 thailand vietnam malaysia singapore indonesia philippines australia canada usa uk uae us mexico brazil argentina chile peru \
 colombia egypt kenya nigeria israel pakistan bangladesh victoria queensland ";

/// A city.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    at: usize,
}

impl Place {
    /// The IATA code; empty if the place has none.
    pub(crate) fn code(self) -> &'static str {
        CITIES[self.at].2
    }

    /// The name in English, with capitals.
    pub(crate) fn english(self) -> String {
        let capital = |word: &str| {
            word.chars()
                .enumerate()
                .map(|(i, c)| if i == 0 { c.to_ascii_uppercase() } else { c })
                .collect::<String>()
        };
        CITIES[self.at]
            .0
            .split(' ')
            .map(capital)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The city called so, or with this code.
pub(crate) fn place(name: &str) -> Option<Place> {
    let lower = name.to_lowercase();
    if lower.is_empty() {
        return None;
    }
    CITIES
        .iter()
        .position(|(en, others, code)| {
            *en == lower || *code == name || others.split('|').any(|o| o == lower)
        })
        .map(|at| Place { at })
}

/// True for what stands behind a city's name: a state, a country, or two capitals.
pub(crate) fn is_region(word: &str) -> bool {
    super::listed(REGIONS, &word.to_lowercase())
        || (word.len() == 2 && word.chars().all(|c| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_city_has_many_names() {
        assert_eq!(place("北京"), place("Beijing"));
        assert_eq!(place("PEK").map(Place::code), Some("PEK"));
        assert_eq!(place("Haidian"), None);
        assert!(is_region("OR") && is_region("Ontario") && !is_region("or"));
    }
}
