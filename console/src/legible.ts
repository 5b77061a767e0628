// Words of others as they may be shown: characters that turn text around or hide are written out (UAX #9; the same
// as `markup::words::deceives`, which a test compares). Pure.

const DECEIVES =
  '\\u{ad}\\u{61c}\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180e}\\u{200b}\\u{200e}\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}' +
  '\\u{2800}\\u{3164}\\u{feff}\\u{ffa0}\\u{fff0}-\\u{fffb}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}';
const CONTROLS = '\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}';
const ODD = new RegExp(`[${CONTROLS}${DECEIVES}]`, 'gu');

const hexadecimal = (unit: number) => unit.toString(16);

/** The text with such characters as `\u{202e}`. */
export function legible(text: string): string {
  return text.replace(ODD, (odd) => `\\u{${hexadecimal(odd.codePointAt(0)!)}}`);
}

/** How a value is written out that has characters which turn text around or hide; nothing for one that is as it looks. */
export function oddly(value = ''): string {
  const plain = legible(value);
  return plain === value ? '' : plain;
}

/** JSON that means the same, with such characters in its strings escaped as JSON does. */
export function legibleJson(json: string): string {
  const unit = (odd: string, at: number) => `\\u${hexadecimal(odd.charCodeAt(at)).padStart(4, '0')}`;
  return json.replace(ODD, (odd) => [...odd.split('').keys()].map((at) => unit(odd, at)).join(''));
}

/** XML that means the same, with such characters as references (XML §4.1). */
export function legibleXml(xml: string): string {
  return xml.replace(ODD, (odd) => `&#x${hexadecimal(odd.codePointAt(0)!)};`);
}
