//! Names of towns: a backbone's own name for a town, and the names that people use.
//!
//! Facts only: English and Chinese names of the towns of the shipped backbones. A town that is not
//! listed is called as in the inventory. Positions of towns are not known here. Read next:
//! `domain::inventory`.

mod chinese_places;

pub use chinese_places::is_chinese_place;

/// A town: its name in the backbone, its Chinese name, and other names in Latin letters.
const TOWNS: [(&str, &str, &[&str]); 84] = [
    ("Aachen", "亚琛", &[]),
    ("Amsterdam", "阿姆斯特丹", &[]),
    ("Athens", "雅典", &[]),
    ("Augsburg", "奥格斯堡", &[]),
    ("Bayreuth", "拜罗伊特", &[]),
    ("Berlin", "柏林", &[]),
    ("Bialystok", "比亚韦斯托克", &[]),
    ("Bielefeld", "比勒费尔德", &[]),
    ("Bratislava", "布拉迪斯拉发", &[]),
    ("Braunschweig", "不伦瑞克", &["Brunswick"]),
    ("Bremen", "不来梅", &[]),
    ("Bremerhaven", "不来梅港", &[]),
    ("Brussels", "布鲁塞尔", &[]),
    ("Budapest", "布达佩斯", &[]),
    ("Bydgoszcz", "比得哥什", &[]),
    ("Chemnitz", "开姆尼茨", &[]),
    ("Darmstadt", "达姆施塔特", &[]),
    ("Dortmund", "多特蒙德", &[]),
    ("Dresden", "德累斯顿", &[]),
    ("Dublin", "都柏林", &[]),
    ("Duesseldorf", "杜塞尔多夫", &[]),
    ("Erfurt", "埃尔福特", &[]),
    ("Essen", "埃森", &[]),
    ("Flensburg", "弗伦斯堡", &[]),
    ("Frankfurt", "法兰克福", &[]),
    ("Freiburg", "弗赖堡", &[]),
    ("Fulda", "富尔达", &[]),
    ("Gdansk", "格但斯克", &[]),
    ("Geneva", "日内瓦", &[]),
    ("Giessen", "吉森", &[]),
    ("Greifswald", "格赖夫斯瓦尔德", &[]),
    ("Hamburg", "汉堡", &[]),
    ("Hannover", "汉诺威", &["Hanover"]),
    ("Kaiserslautern", "凯泽斯劳滕", &[]),
    ("Karlsruhe", "卡尔斯鲁厄", &[]),
    ("Kassel", "卡塞尔", &[]),
    ("Katowice", "卡托维兹", &[]),
    ("Kempten", "肯普滕", &[]),
    ("Kiel", "基尔", &[]),
    ("Koblenz", "科布伦茨", &[]),
    ("Koeln", "科隆", &["Cologne"]),
    ("Kolobrzeg", "科沃布热格", &[]),
    ("Konstanz", "康斯坦茨", &["Constance"]),
    ("Krakow", "克拉科夫", &["Cracow"]),
    ("Leipzig", "莱比锡", &[]),
    ("Lisbon", "里斯本", &[]),
    ("Ljubljana", "卢布尔雅那", &[]),
    ("Lodz", "罗兹", &[]),
    ("London", "伦敦", &[]),
    ("Luxembourg", "卢森堡", &[]),
    ("Madrid", "马德里", &[]),
    ("Magdeburg", "马格德堡", &[]),
    ("Mannheim", "曼海姆", &[]),
    ("Milan", "米兰", &[]),
    ("Muenchen", "慕尼黑", &["Munich"]),
    ("Muenster", "明斯特", &[]),
    ("New-York", "纽约", &[]),
    ("Norden", "诺登", &[]),
    ("Nuernberg", "纽伦堡", &["Nuremberg"]),
    ("Oldenburg", "奥尔登堡", &[]),
    ("Osnabrueck", "奥斯纳布吕克", &[]),
    ("Paris", "巴黎", &[]),
    ("Passau", "帕绍", &[]),
    ("Poznan", "波兹南", &[]),
    ("Prague", "布拉格", &[]),
    ("Regensburg", "雷根斯堡", &["Ratisbon"]),
    ("Rzeszow", "热舒夫", &[]),
    ("Saarbruecken", "萨尔布吕肯", &[]),
    ("Schwerin", "什未林", &[]),
    ("Siegen", "锡根", &[]),
    ("Stockholm", "斯德哥尔摩", &[]),
    ("Stuttgart", "斯图加特", &[]),
    ("Szczecin", "什切青", &[]),
    ("Tel-Aviv", "特拉维夫", &[]),
    ("Trier", "特里尔", &[]),
    ("Ulm", "乌尔姆", &[]),
    ("Vienna", "维也纳", &[]),
    ("Warsaw", "华沙", &[]),
    ("Wesel", "韦瑟尔", &[]),
    ("Wroclaw", "弗罗茨瓦夫", &[]),
    ("Wuerzburg", "维尔茨堡", &[]),
    ("Zagreb", "萨格勒布", &[]),
    ("Zurich", "苏黎世", &[]),
    ("Copenhagen", "哥本哈根", &[]),
];

/// The Chinese name of a town; none if it is not known.
pub fn chinese(town: &str) -> Option<&'static str> {
    let found = TOWNS.iter().find(|(name, ..)| *name == town);
    found.map(|(_, chinese, _)| *chinese)
}

/// Other names of a town in Latin letters.
pub fn others(town: &str) -> &'static [&'static str] {
    let found = TOWNS.iter().find(|(name, ..)| *name == town);
    found.map_or(&[], |(.., others)| others)
}

/// A name in the form that is compared: in lower case, umlauts and accents spelt out, blanks as
/// hyphens.
pub fn folded(name: &str) -> String {
    let fold = |c: char| match c {
        'ä' => "ae".to_owned(),
        'ö' => "oe".to_owned(),
        'ü' => "ue".to_owned(),
        'ß' => "ss".to_owned(),
        'á' | 'à' | 'â' | 'ą' => "a".to_owned(),
        'é' | 'è' | 'ê' | 'ę' => "e".to_owned(),
        'í' => "i".to_owned(),
        'ó' | 'ô' => "o".to_owned(),
        'ú' => "u".to_owned(),
        'ł' => "l".to_owned(),
        'ń' => "n".to_owned(),
        'ś' => "s".to_owned(),
        'ź' | 'ż' => "z".to_owned(),
        'ć' | 'ç' => "c".to_owned(),
        ' ' | '_' => "-".to_owned(),
        other => other.to_string(),
    };
    name.to_lowercase().chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_town_and_every_name_stands_once() {
        let towns: BTreeSet<&str> = TOWNS.iter().map(|(name, ..)| *name).collect();
        let names: BTreeSet<&str> = TOWNS.iter().map(|(_, chinese, _)| *chinese).collect();
        assert_eq!((towns.len(), names.len()), (TOWNS.len(), TOWNS.len()));
    }

    #[test]
    fn names_are_compared_without_case_and_accents() {
        assert_eq!(folded("München"), folded("MUENCHEN"));
        assert_eq!(folded("Łódź"), folded("Lodz"));
        assert_eq!(folded("New York"), folded("New-York"));
        assert_eq!(chinese("Koeln"), Some("科隆"));
        assert_eq!(others("Koeln"), ["Cologne"]);
        assert_eq!((chinese("Nowhere"), others("Nowhere").len()), (None, 0));
    }
}
