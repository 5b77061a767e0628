// The content of a message (draft-zhao): sections of words, and perhaps a payload in JSON. Pure.

const PAYLOAD = '##structured payload';

/** The words for people, and the payload as it is laid out for them. */
export function words(content: string): { text: string; payload?: string } {
  const at = content.indexOf(PAYLOAD);
  if (at < 0) return { text: content.trim() };
  const text = content.slice(0, at).trim();
  const payload = content.slice(at + PAYLOAD.length).trim();
  try {
    return { text, payload: JSON.stringify(JSON.parse(payload), null, 2) };
  } catch {
    return { text, payload };
  }
}
