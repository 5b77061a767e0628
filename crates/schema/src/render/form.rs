//! A template as an HTML form, for people who fill in a payload themselves.
//!
//! Knows HTML's controls and how they are labelled; written so that it is well-formed XML as well.
//! Refuses to know where a form goes: that is an argument.
//!
//! A control's `name` is the RFC 6901 pointer of its value in the payload (`/passenger_count`,
//! `/alarms/0/time`), which is the `path` of a [`crate::violation::PayloadViolation`] too. An empty control
//! is a key left out, and `data-type` says what a filled one holds where that is not text: `number` and
//! `boolean` as JSON writes them, `json`, or `lines` of texts. An optional boolean has three answers
//! (yes, no, not said), since a checkbox cannot tell the last two apart. Arrays show some blank rows,
//! and a button for more where scripts run; rows left blank are left out.

use super::wording::{self, Words};
use super::{dialect, formats};
use crate::iregexp;
use crate::language::Language;
use crate::template::{
    Annotation, Constraint, Format, Key, KeyStatus, KeyType, OTHER, Property, Shape, Template,
};
use std::fmt::Write as _;

/// Blank rows of an array, for browsers without script.
const ROWS: usize = 3;

/// Adds a row to an array: the last one, its values emptied and its number raised. Rows within rows
/// come with it, so the form listens for all buttons. Free of `<` and `&`, so that HTML and XML read
/// it alike. It is all of a `<script>`, so that a Content-Security-Policy can name it by its digest.
pub const SCRIPT: &str = r#"
(function (form) {
form.querySelectorAll('fieldset[data-rows] > button').forEach(function (button) { button.hidden = false; });
form.addEventListener('click', function (event) {
  var button = event.target;
  if (!button.matches('fieldset[data-rows] > button')) { return; }
  var list = button.parentElement;
  var rows = list.querySelectorAll(':scope > .row');
  var last = rows[rows.length - 1];
  var old = list.dataset.rows + '/' + (rows.length - 1);
  var next = list.dataset.rows + '/' + rows.length;
  var row = last.cloneNode(true);
  var renamed = ['name', 'id', 'for', 'aria-describedby', 'aria-label', 'data-rows'];
  row.querySelectorAll('*').forEach(function (element) {
    renamed.forEach(function (attribute) {
      var value = element.getAttribute(attribute);
      if (value) { element.setAttribute(attribute, value.split(old).join(next)); }
    });
    if (element.matches('input[type=radio]')) { element.checked = element.value === ''; }
    else if (element.matches('input, textarea, select')) { element.value = ''; }
  });
  var label = row.querySelector('label, legend');
  label.textContent = label.textContent.replace(/[0-9]+$/, rows.length + 1);
  list.insertBefore(row, button);
  button.disabled = rows.length + 1 === Number(list.dataset.max);
});
})(document.currentScript.parentElement);
"#;

/// The form of a template, in the language asked for: one `<form>` element, without outside
/// resources. With `action`, it is posted there; without, it has no button and goes nowhere.
pub fn form(template: &Template, language: &Language, action: Option<&str>) -> String {
    let mut page = Page {
        html: String::new(),
        template,
        language,
        words: Words::of(language),
    };
    page.form(action);
    page.html
}

/// The title of a form, in the language asked for.
pub fn title<'a>(template: &'a Template, language: &Language) -> &'a str {
    wording::title(template, language)
}

struct Page<'a> {
    html: String,
    template: &'a Template,
    language: &'a Language,
    words: &'static Words,
}

/// One control to write.
struct Field<'a> {
    /// The pointer of its value.
    path: String,
    label: &'a str,
    shape: &'a Shape,
    required: bool,
    hint: String,
}

impl Page<'_> {
    fn form(&mut self, action: Option<&str>) {
        let id = format!("{}-title", self.template.schema_id);
        let id = attribute(&id);
        let language = attribute(self.language.as_str());
        let _ = write!(
            self.html,
            "<form lang=\"{language}\" aria-labelledby=\"{id}\""
        );
        if let Some(action) = action {
            let action = attribute(action);
            let _ = write!(self.html, " method=\"post\" action=\"{action}\"");
        }
        self.html.push_str(">\n");
        let title = text(wording::title(self.template, self.language));
        let _ = writeln!(self.html, "<h2 id=\"{id}\">{title}</h2>");
        let schema_id = attribute(&self.template.schema_id);
        let _ = writeln!(
            self.html,
            "<input type=\"hidden\" name=\"schema_id\" value=\"{schema_id}\" />"
        );
        for key in &self.template.keys {
            self.key(key);
        }
        if action.is_some() {
            let submit = self.words.submit;
            let _ = writeln!(self.html, "<button type=\"submit\">{submit}</button>");
        }
        if self.template.own_keys().any(|key| has_rows(&key.shape)) {
            let _ = writeln!(self.html, "<script>{SCRIPT}</script>");
        }
        self.html.push_str("</form>\n");
    }

    fn key(&mut self, key: &Key) {
        let mut hint = self.hint(&key.annotation, &key.shape);
        if let Some(default) = wording::default(key) {
            let _ = write!(
                hint,
                " ({}: {})",
                self.words.default,
                wording::plain(default)
            );
        }
        match key.standing {
            KeyStatus::Stable => {}
            KeyStatus::Experimental => {
                let _ = write!(hint, " [{}]", self.words.experimental);
            }
            KeyStatus::Deprecated => {
                let _ = write!(hint, " [{}]", self.words.deprecated);
            }
        }
        let path = pointer("", &key.key_name);
        if key.key_name == OTHER {
            hint = format!("{} {hint}", self.words.one_per_line);
            return self.text_area(&path, OTHER, false, &hint, "lines");
        }
        self.field(Field {
            path,
            label: &key.key_name,
            shape: &key.shape,
            required: key.required,
            hint,
        });
    }

    fn hint(&self, annotation: &Annotation, shape: &Shape) -> String {
        wording::told(annotation, shape, self.language, &self.template.language)
    }

    fn field(&mut self, field: Field<'_>) {
        let constraint = &field.shape.constraint;
        match field.shape.key_type {
            _ if !constraint.allowed.is_empty() => self.select(&field),
            KeyType::String => self.input(&field, &text_attributes(constraint)),
            KeyType::Integer | KeyType::Number => {
                self.input(&field, &number_attributes(field.shape))
            }
            KeyType::Boolean => self.answers(&field),
            KeyType::Object if !constraint.properties.is_empty() => self.members(&field),
            KeyType::Array if constraint.items.is_some() => self.rows(&field),
            KeyType::Array | KeyType::Object | KeyType::Any => {
                let hint = format!("{} {}", self.words.as_json, field.hint);
                self.text_area(&field.path, field.label, field.required, &hint, "json");
            }
        }
    }

    fn input(&mut self, field: &Field<'_>, attributes: &str) {
        self.labelled(&field.path, field.label, &field.hint);
        let required = required(field.required);
        let path = attribute(&field.path);
        let _ = writeln!(
            self.html,
            "<input id=\"{path}\" name=\"{path}\" aria-describedby=\"{path}-hint\"{attributes}{required} /></p>"
        );
    }

    fn select(&mut self, field: &Field<'_>) {
        self.labelled(&field.path, field.label, &field.hint);
        let path = attribute(&field.path);
        let required = required(field.required);
        let holds = holds(field.shape.key_type);
        let not_said = self.words.not_said;
        let _ = writeln!(
            self.html,
            "<select id=\"{path}\" name=\"{path}\"{holds} aria-describedby=\"{path}-hint\"{required}><option value=\"\">{not_said}</option>"
        );
        for value in &field.shape.constraint.allowed {
            let value = wording::plain(value);
            let (value, shown) = (attribute(&value), text(&value));
            let _ = writeln!(self.html, "<option value=\"{value}\">{shown}</option>");
        }
        self.html.push_str("</select></p>\n");
    }

    fn text_area(&mut self, path: &str, label: &str, is_required: bool, hint: &str, holds: &str) {
        self.labelled(path, label, hint);
        let path = attribute(path);
        let required = required(is_required);
        let _ = writeln!(
            self.html,
            "<textarea id=\"{path}\" name=\"{path}\" rows=\"3\" data-type=\"{holds}\" aria-describedby=\"{path}-hint\"{required}></textarea></p>"
        );
    }

    /// A paragraph with label and hint, left open for the control.
    fn labelled(&mut self, path: &str, label: &str, hint: &str) {
        let (path, label, hint) = (attribute(path), shown(label), text(hint));
        let _ = writeln!(
            self.html,
            "<p><label for=\"{path}\">{label}</label>\n<small id=\"{path}-hint\">{hint}</small>"
        );
    }

    /// Yes, no and, where it need not be said, neither.
    fn answers(&mut self, field: &Field<'_>) {
        self.group(field, "");
        let path = attribute(&field.path);
        let mut answers = vec![("true", self.words.yes), ("false", self.words.no)];
        if !field.required {
            answers.insert(0, ("", self.words.not_said));
        }
        for (value, shown) in answers {
            let checked = if value.is_empty() {
                " checked=\"checked\""
            } else {
                ""
            };
            let required = required(field.required);
            let _ = writeln!(
                self.html,
                "<label><input type=\"radio\" name=\"{path}\" data-type=\"boolean\" value=\"{value}\"{checked}{required} /> {shown}</label>"
            );
        }
        self.html.push_str("</fieldset>\n");
    }

    /// A fieldset with legend and hint, left open.
    fn group(&mut self, field: &Field<'_>, attributes: &str) {
        let path = attribute(&field.path);
        let (label, hint) = (shown(field.label), text(&field.hint));
        let _ = writeln!(
            self.html,
            "<fieldset aria-describedby=\"{path}-hint\"{attributes}><legend>{label}</legend>\n<small id=\"{path}-hint\">{hint}</small>"
        );
    }

    fn members(&mut self, field: &Field<'_>) {
        self.group(field, "");
        for member in &field.shape.constraint.properties {
            self.member(&field.path, member, field.required);
        }
        self.html.push_str("</fieldset>\n");
    }

    /// A member is required by the browser only where its object is there for sure.
    fn member(&mut self, parent: &str, member: &Property, demanded: bool) {
        self.field(Field {
            path: pointer(parent, &member.name),
            label: &member.name,
            shape: &member.shape,
            required: member.required && demanded,
            hint: self.hint(&member.annotation, &member.shape),
        });
    }

    fn rows(&mut self, field: &Field<'_>) {
        let constraint = &field.shape.constraint;
        let Some(items) = constraint.items.as_deref() else {
            return;
        };
        let most = constraint.max_items.unwrap_or(usize::MAX);
        let path = attribute(&field.path);
        let max = constraint
            .max_items
            .map_or(String::new(), |max| format!(" data-max=\"{max}\""));
        let hint = format!("{} {}", self.words.blank_rows, field.hint);
        let list = Field {
            path: field.path.clone(),
            hint,
            ..*field
        };
        self.group(&list, &format!(" data-rows=\"{path}\"{max}"));
        for at in 0..ROWS.min(most).max(1) {
            self.row(field, items, at);
        }
        let add = self.words.add;
        let _ = writeln!(
            self.html,
            "<button type=\"button\" hidden=\"hidden\">{add}</button>\n</fieldset>"
        );
    }

    fn row(&mut self, list: &Field<'_>, items: &Shape, at: usize) {
        self.html.push_str("<div class=\"row\">\n");
        let label = format!("{} {}", list.label, at + 1);
        self.field(Field {
            path: format!("{}/{at}", list.path),
            label: &label,
            shape: items,
            required: list.required && at == 0,
            hint: self.hint(&Annotation::default(), items),
        });
        self.html.push_str("</div>\n");
    }
}

/// True if a shape has an array with rows somewhere.
fn has_rows(shape: &Shape) -> bool {
    let constraint = &shape.constraint;
    constraint.items.is_some() || constraint.properties.iter().any(|m| has_rows(&m.shape))
}

fn required(required: bool) -> &'static str {
    if required {
        " required=\"required\""
    } else {
        ""
    }
}

fn text_attributes(constraint: &Constraint) -> String {
    let (kind, by_pattern) = match constraint.format {
        Some(Format::Date) => ("date", None),
        Some(Format::Uri) => ("url", None),
        Some(format) => ("text", Some(formats::node(format))),
        None => ("text", None),
    };
    let mut attributes = format!(" type=\"{kind}\"");
    let own = constraint
        .pattern
        .as_deref()
        .and_then(|text| iregexp::parse(text).ok());
    if let Some(node) = own.or(by_pattern) {
        let _ = write!(
            attributes,
            " pattern=\"{}\"",
            attribute(&dialect::html(&node))
        );
    }
    if let Some(length) = constraint.max_length {
        let _ = write!(attributes, " maxlength=\"{length}\"");
    }
    attributes
}

fn number_attributes(shape: &Shape) -> String {
    let step = if shape.key_type == KeyType::Integer {
        "1"
    } else {
        "any"
    };
    let holds = holds(shape.key_type);
    let mut attributes = format!(" type=\"number\" step=\"{step}\"{holds}");
    let bounds = [
        ("min", &shape.constraint.minimum),
        ("max", &shape.constraint.maximum),
    ];
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            let _ = write!(attributes, " {name}=\"{bound}\"");
        }
    }
    attributes
}

/// The kind of value that a control with one value holds, where that is not text.
fn holds(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::String | KeyType::Any => "",
        KeyType::Integer | KeyType::Number => " data-type=\"number\"",
        KeyType::Boolean => " data-type=\"boolean\"",
        KeyType::Array | KeyType::Object => " data-type=\"json\"",
    }
}

/// The name of a key for people: `departure date`.
fn shown(label: &str) -> String {
    text(&label.replace('_', " "))
}

fn pointer(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Text between tags; what XML cannot hold is left out.
fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if dialect::is_yang_char(c) => escaped.push(c),
            _ => {}
        }
    }
    escaped
}

/// Text in a quoted attribute.
fn attribute(value: &str) -> String {
    text(value)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;")
}

#[cfg(test)]
mod tests;
