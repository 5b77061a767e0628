//! The names of sorts of everyday things: genres, cuisines, sports, colours.
//!
//! Stands only where a key asks for such a sort and its author listed none.

/// Words of a key that asks for a sort, and the sorts.
const SORTS: &[(&str, &str)] = &[
    (
        " movie film cinema ",
        "action|adventure|animation|anime|biography|comedy|comedy-drama|comic|crime|detective|documentary|drama|family|fantasy|\
         funny|historical|history|horror|imaginative|love story|mafia|musical|mystery|noir|offbeat|romance|romantic|sci-fi|science fiction|\
         sports|superhero|suspense|thriller|war|western|cult|non-fiction",
    ),
    (
        " music song track album artist concert ",
        "alternative|ambient|bluegrass|blues|classical|country|dance|disco|edm|electronic|electronica|electropop|folk|funk|gospel|grunge|\
         hip hop|hip-hop|house|indie|jazz|k-pop|latin|metal|opera|pop|psychedelic|punk|r&b|rap|reggae|reggaeton|rock|rock and roll|soul|techno|trance",
    ),
    (
        " cuisine food restaurant dish recipe meal ",
        "american|asian|asian fusion|barbecue|bbq|brazilian|breakfast|british|burgers|cafe|caribbean|chinese|coffee|coffee & light bites|\
         deli|dessert|dim sum|diner|ethiopian|fast food|filipino|french|freshwater fish|fusion|german|greek|halal|hawaiian|indian|indonesian|\
         italian|japanese|korean|kosher|lebanese|malaysian|mediterranean|mexican|middle eastern|moroccan|noodles|nouvelle|pakistani|persian|\
         peruvian|pizza|pizza and pasta|pub|ramen|seafood|sichuan|southern|southwestern|spanish|steakhouse|sushi|taiwanese|tapas|thai|\
         turkish|vegan|vegetarian|vietnamese",
    ),
    (
        " sport event game ",
        "american football|athletics|badminton|baseball|basketball|boxing|cricket|cycling|football|golf|gymnastics|handball|hockey|ice hockey|\
         rowing|rugby|running|skiing|soccer|softball|swimming|table tennis|tennis|volleyball|wrestling",
    ),
    (
        " color colour paint ",
        "amber|beige|black|blue|brown|cyan|gold|gray|green|grey|indigo|magenta|maroon|navy|orange|pink|purple|red|silver|teal|turquoise|\
         violet|white|yellow",
    ),
    (
        " transport transportation vehicle travel commute ",
        "bicycle|bike|boat|bus|car|ferry|flight|metro|on foot|plane|subway|taxi|train|tram|walking",
    ),
];

/// The sorts that a key with these words may ask for.
pub(crate) fn sorts(about: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    let lists = SORTS
        .iter()
        .filter(move |(words, _)| words.split_whitespace().any(&about));
    lists.flat_map(|(_, names)| names.split('|'))
}
