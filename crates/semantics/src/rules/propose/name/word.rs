//! Words that are names by what they are or where they stand: identifiers, sorts of things, labels.

use super::*;

impl Keys<'_> {
    /// Digits that name something: "docket number 123456", "user id 43523".
    pub(super) fn numbers_as_names(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if brief.kind != Kind::Code {
            return Vec::new();
        }
        let plain = self
            .scene
            .quantities
            .iter()
            .filter(|q| q.digits && !q.ordinal && q.unit.is_none());
        plain
            .filter_map(|q| {
                let named = cue::before(self.scene, brief, &q.run);
                let numbered = matches!(
                    self.scene.word_before(q.run.start),
                    "id" | "number" | "no" | "ids" | "号" | "是"
                ) || matches!(
                    self.scene.word_before(q.run.start - 1.min(q.run.start)),
                    "id" | "number"
                );
                let taught = cue::taught(self.scene, brief, &q.run) >= 0.8;
                let sure = match (named >= 0.5 || taught, numbered || taught) {
                    (true, true) => 0.88,
                    (true, false) if named >= 1.0 => 0.8,
                    (false, true) => 0.72,
                    _ => return None,
                };
                Some(Candidate::new(
                    at,
                    self.scene.text.span(&q.run).into(),
                    q.run.clone(),
                    sure,
                ))
            })
            .collect()
    }

    /// Sorts of everyday things, where the key asks for such.
    pub(super) fn sorts(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if brief.kind != Kind::Sort
            && !["type", "kind", "mode", "transport"].iter().any(|w| {
                crate::text::stem(w) == *brief.name.last().map_or("", String::as_str)
                    || brief.path.last().is_some_and(|p| p.contains(w))
            })
        {
            return Vec::new();
        }
        let about = |word: &str| {
            let stem = crate::text::stem(word);
            brief.gist.contains(&stem) || brief.name.contains(&stem)
        };
        let names = lexicon::sorts(about).map(crate::text::tokens);
        let mut found: Vec<Range<usize>> = names
            .flat_map(|name| self.scene.text.find_exactly(&name))
            .collect();
        found.sort_by_key(|r| std::cmp::Reverse(r.len()));
        found
            .into_iter()
            .filter(|run| !self.scene.asks(run.start))
            .map(|run| {
                let text = self.scene.text.span(&run).to_owned();
                let long = 0.01 * run.len() as f64;
                Candidate::new(at, text.into(), run, 0.82 + long)
            })
            .collect()
    }

    pub(super) fn run_of(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let tokens = &self.scene.text.tokens;
        let first = tokens.iter().position(|t| t.start >= start)?;
        let last = tokens.iter().rposition(|t| t.end <= end)?;
        (first <= last).then(|| first..last + 1)
    }

    /// Words where an example shows that the value stands, though nothing is named there.
    pub(super) fn taught_words(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let slots = brief.lessons.iter().filter_map(|l| match l {
            Lesson::Slot { before, after } if !before.is_empty() => Some((before, after)),
            _ => None,
        });
        let mut found = Vec::new();
        for (before, after) in slots.filter(|_| {
            !matches!(
                brief.kind,
                Kind::Phone | Kind::Email | Kind::Url | Kind::Address
            )
        }) {
            for cue in self.scene.text.find(before) {
                let Some(run) = self.phrase(cue.end, brief.kind) else {
                    continue;
                };
                let run = self.up_to(run, after);
                let text = self.scene.text.span(&run).to_owned();
                let chinese = text.chars().all(crate::text::is_cjk);
                let sure = if chinese { 0.86 } else { 0.6 };
                found.push(Candidate::new(at, self.spelled(brief, &text), run, sure));
            }
        }
        found
    }

    /// A run without the words that an example shows behind the value.
    pub(super) fn up_to(&self, run: Range<usize>, after: &[crate::text::Token]) -> Range<usize> {
        let found = self
            .scene
            .text
            .find(after)
            .into_iter()
            .find(|a| run.contains(&a.start) && a.start > run.start);
        found.map_or(run.clone(), |a| run.start..a.start)
    }

    /// The words from a place on, up to the next word that begins something else.
    pub(super) fn phrase(&self, from: usize, kind: Kind) -> Option<Range<usize>> {
        let tokens = &self.scene.text.tokens;
        let mut start = from;
        while matches!(self.scene.word(start), "the" | "a" | "an" | "my" | "our") {
            start += 1;
        }
        let busy = self.busy();
        let mut end = start;
        while let Some(token) = tokens.get(end) {
            let fresh = end == start || token.gap < Gap::Quote;
            if !fresh || breaks(&token.text) || overlaps(&(end..end + 1), &busy) || end - start >= 8
            {
                break;
            }
            end += 1;
            if kind == Kind::Place && ends_place(&token.text) && !ends_place(self.scene.word(end)) {
                break;
            }
        }
        (end > start && tokens[start].gap < Gap::Comma).then_some(start..end)
    }

    /// Runs that are days, times or numbers.
    pub(super) fn busy(&self) -> Vec<Range<usize>> {
        let mut busy = self.scene.moments.runs();
        busy.extend(
            self.scene
                .quantities
                .iter()
                .filter(|q| q.unit.is_some() || q.run.len() > 1)
                .map(|q| q.run.clone()),
        );
        busy
    }

    /// "drama movie", "Thai food": what stands before the thing that the key sorts.
    pub(super) fn modifiers(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if brief.kind != Kind::Sort || !brief.choices.is_empty() && brief.closed {
            return Vec::new();
        }
        let tokens = &self.scene.text.tokens;
        let mut found = Vec::new();
        for (i, token) in tokens.iter().enumerate().skip(1) {
            let thing = (brief.gist.contains(&token.stem) || brief.name.contains(&token.stem))
                && token.class == Class::Word;
            let before = &tokens[i - 1];
            let telling = before.class == Class::Word
                && token.gap <= Gap::Space
                && !lexicon::is_function(&before.text)
                && !lexicon::is_asking(&before.text)
                && !lexicon::listed(PRAISE, &before.text)
                && !brief.gist.contains(&before.stem)
                && !brief.name.contains(&before.stem);
            let person = self
                .scene
                .mentions
                .iter()
                .any(|m| m.sort == Sort::Name && m.run.len() > 1 && m.run.contains(&(i - 1)));
            if thing && telling && !person {
                let start = if i > 1
                    && tokens[i - 2].capital
                    && before.capital
                    && before.gap <= Gap::Space
                    && !lexicon::is_opener(&tokens[i - 2].text)
                {
                    i - 2
                } else {
                    i - 1
                };
                let run = start..i;
                let sure = if self
                    .scene
                    .mentions
                    .iter()
                    .any(|m| m.sort == Sort::Code && overlap(&m.run, &run))
                {
                    0.4
                } else {
                    0.78
                };
                found.push(Candidate::new(
                    at,
                    self.scene.text.span(&run).into(),
                    run,
                    sure,
                ));
            }
        }
        found
    }

    /// Places that are described in more than a name, for keys that take where something is.
    pub(super) fn whereabouts(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if brief.kind != Kind::Place {
            return Vec::new();
        }
        // A city is its name; and "the hotel in Rome" is not where the hotel is.
        let city = ["city", "town", "城市"]
            .iter()
            .any(|w| super::super::super::brief::contains_word(&brief.prose, w))
            && ![
                "road",
                "building",
                "district",
                "site",
                "address",
                "道路",
                "楼宇",
                "行政区",
            ]
            .iter()
            .any(|w| super::super::super::brief::contains_word(&brief.prose, w));
        let sought = |run: &Range<usize>| {
            self.scene.token(run.start).is_some_and(|t| {
                t.class == Class::Word
                    && self.briefs.iter().any(|b| {
                        b.path != brief.path && b.gist.contains(&t.stem)
                            || b.path == brief.path
                                && b.gist.contains(&t.stem)
                                && !city
                                && b.prose.contains("of the")
                    })
            })
        };
        if city {
            return Vec::new();
        }
        let place = |run: Range<usize>| {
            let text = self.scene.text.span(&run).to_owned();
            // Surer than the bare name in it, which the key may take as well.
            let inner = self
                .scene
                .mentions
                .iter()
                .filter(|m| overlap(&m.run, &run))
                .map(|m| self.by_words(at, m));
            let sure = inner.fold(0.84, f64::max) + 0.01;
            let side = self.side_of_place(brief, run.start);
            Candidate::new(at, self.spelled(brief, &text), run, sure.min(side))
        };
        whereabouts::described(self.scene)
            .into_iter()
            .filter(|run| !sought(run))
            .map(place)
            .collect()
    }

    /// The most that a key can have of a place, by the word before it: an end of a way takes only
    /// what its own words lead to, where another key takes places of no end.
    pub(super) fn side_of_place(&self, brief: &Brief, start: usize) -> f64 {
        let whole = self
            .briefs
            .iter()
            .any(|b| b.kind == Kind::Place && b.role == Role::None);
        if brief.role == Role::None || !whole {
            return 1.0;
        }
        let run = start..start + 1;
        if cue::taught(self.scene, brief, &run) >= 0.8 {
            1.0
        } else {
            0.5
        }
    }

    /// "artist: x", "the name is x": words behind the whole name of the key.
    pub(super) fn named_words(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if !matches!(
            brief.kind,
            Kind::Words | Kind::Name | Kind::Sort | Kind::Code | Kind::Place
        ) {
            return Vec::new();
        }
        let tokens = &self.scene.text.tokens;
        let mut found = Vec::new();
        for i in 0..tokens.len() {
            let run = i..(i + brief.name.len()).min(tokens.len());
            if run.len() < brief.name.len()
                || cue::coverage(self.scene, &brief.name, &run) < brief.name.len()
            {
                continue;
            }
            let joint = tokens.get(run.end).is_some_and(|t| t.gap == Gap::Mark);
            let glue = usize::from(matches!(
                self.scene.word(run.end),
                "is" | "named" | "called" | "as" | "为" | "是" | "叫"
            ));
            let Some(phrase) = self
                .phrase(run.end + glue, brief.kind)
                .filter(|_| joint || glue > 0)
            else {
                continue;
            };
            let text = self.scene.text.span(&phrase).to_owned();
            found.push(Candidate::new(
                at,
                self.spelled(brief, &text),
                phrase,
                if joint { 0.86 } else { 0.74 },
            ));
        }
        found
    }

    /// The sentence that asks, mark and all. Only its first word is taken: what it asks about may
    /// be of other keys.
    pub(super) fn question(&self, at: usize) -> Vec<Candidate> {
        let text = &self.scene.text;
        let asked = text.sentences().into_iter().filter(|s| text.asks(s));
        asked
            .map(|sentence| {
                let end = text.tokens[sentence.end - 1].end;
                let mark = text.raw[end..]
                    .chars()
                    .take_while(|c| matches!(c, '?' | '？'))
                    .map(char::len_utf8)
                    .sum::<usize>();
                let said = &text.raw[text.tokens[self.lead(&sentence)].start..end + mark];
                let first = self.lead(&sentence);
                Candidate::new(at, said.into(), first..first + 1, 0.84)
                    .explaining(first..sentence.end)
            })
            .collect()
    }

    /// Where a question begins behind what is told before it: "I am at R7, what do I do?".
    pub(super) fn lead(&self, sentence: &Range<usize>) -> usize {
        let text = &self.scene.text;
        let clauses = text.clauses();
        let mut parts = clauses.iter().filter(|c| sentence.contains(&c.start));
        let asks = |c: &&Range<usize>| {
            let word = self.scene.word(c.start);
            let chinese: String = text.tokens[(*c).clone()]
                .iter()
                .map(|t| t.text.as_str())
                .collect();
            matches!(
                word,
                "what"
                    | "what's"
                    | "how"
                    | "why"
                    | "which"
                    | "where"
                    | "when"
                    | "who"
                    | "should"
                    | "can"
                    | "could"
                    | "is"
                    | "are"
                    | "do"
                    | "does"
            ) || ["怎么", "如何", "什么", "为何", "哪", "吗", "是否", "多少"]
                .iter()
                .any(|w| chinese.contains(w))
        };
        parts.find(asks).map_or(sentence.start, |c| c.start)
    }

    /// "Proposal: bring a generator", 处理建议：带一台发电机.
    pub(super) fn labelled(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if matches!(
            brief.kind,
            Kind::Phone | Kind::Email | Kind::Url | Kind::Address
        ) {
            return Vec::new();
        }
        let tokens = &self.scene.text.tokens;
        let colon = |i: &usize| {
            tokens[*i].gap == Gap::Mark
                && self.scene.text.raw[tokens[i - 1].end..tokens[*i].start].contains([':', '：'])
        };
        let labelled = (1..tokens.len())
            .filter(colon)
            .filter(|i| self.labels(brief, *i));
        labelled
            .map(|i| {
                let run = i..self.scene.clause(i).end;
                let text = self.scene.text.span(&run).to_owned();
                let label = self.scene.clause(i).start;
                Candidate::new(at, self.spelled(brief, &text), run.clone(), 0.9)
                    .explaining(label..run.end)
            })
            .collect()
    }

    /// True if the words before a colon name the key.
    pub(super) fn labels(&self, brief: &Brief, colon: usize) -> bool {
        let start = self.scene.clause(colon).start;
        let label = &self.scene.text.tokens[start..colon];
        let said = crate::text::join(label);
        let english = label.len() <= 3
            && label.iter().any(|t| brief.name.contains(&t.stem))
            && label.iter().all(|t| t.class == Class::Word);
        let chinese = label.iter().all(|t| t.class == Class::Cjk)
            && (2..=6).contains(&label.len())
            && brief.prose.contains(&said);
        english || chinese
    }

    /// A clause that begins with a verb of repair, for a key that takes what is to be done.
    pub(super) fn advice(&self, at: usize) -> Vec<Candidate> {
        if self.briefs[at].kind != Kind::Advice {
            return Vec::new();
        }
        let verbs = " replace swap splice reset restart reboot clean tighten reseat bring install exchange patch upgrade rewire ";
        let chinese = [
            "更换", "替换", "熔接", "重启", "复位", "清洁", "重插", "加装", "安装", "升级", "抢通",
            "布放",
        ];
        let clauses = self.scene.text.clauses().into_iter();
        clauses
            .filter_map(|clause| {
                let lead = clause.clone().find(|i| {
                    !matches!(
                        self.scene.word(*i),
                        "please" | "then" | "and" | "just" | "请"
                    )
                })?;
                let said: String = (lead..lead + 2).map(|i| self.scene.word(i)).collect();
                let acts = lexicon::listed(verbs, self.scene.word(lead))
                    || chinese.contains(&said.as_str());
                let stop = (lead + 1..clause.end)
                    .find(|i| {
                        matches!(
                            self.scene.word(*i),
                            "on" | "at" | "in" | "for" | "near" | "from" | "before" | "and"
                        )
                    })
                    .unwrap_or(clause.end);
                let run = lead..stop;
                (acts && run.len() > 1)
                    .then(|| Candidate::new(at, self.scene.text.span(&run).into(), run, 0.78))
            })
            .collect()
    }

    /// What stands behind a colon, for a key that takes what is said.
    pub(super) fn speech(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let string = matches!(brief.shape.key_type, KeyType::String | KeyType::Any);
        if brief.kind != Kind::Speech || !string {
            return Vec::new();
        }
        if brief
            .path
            .last()
            .is_some_and(|p| p.contains("question") || p.contains("query"))
        {
            return self.question(at);
        }
        let tokens = &self.scene.text.tokens;
        let Some(start) = (1..tokens.len()).find(|i| {
            tokens[*i].gap == Gap::Mark
                && self.scene.text.raw[tokens[i - 1].end..tokens[*i].start].contains([':', '：'])
        }) else {
            return Vec::new();
        };
        let end = self.scene.sentence(tokens.len() - 1).end;
        let run = start..end;
        vec![Candidate::new(
            at,
            self.scene.text.span(&run).into(),
            run,
            0.72,
        )]
    }
}
