// A patch of a template (draft-zhou §6.2.2): what it adds and describes, and what the template is before and after. Pure.

export const APPROVE = 'convoke-schema:approve-patch';
export const REJECT = 'convoke-schema:reject-patch';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

interface Named {
  key_name: string;
  [member: string]: Json;
}

export interface Template {
  keys: Named[];
  [member: string]: Json | Named[];
}

export interface PatchText {
  new_keys?: Named[];
  modified_keys?: Named[];
  [member: string]: unknown;
}

/** A key that a patch adds, or describes anew. */
export interface Change {
  key: string;
  type: string;
  isNew: boolean;
}

/** A patch as it is written; an empty one of what cannot be read. */
export function parsed(patch: string): PatchText {
  try {
    return JSON.parse(patch) as PatchText;
  } catch {
    return {};
  }
}

/** What a patch changes, key by key; nothing of a patch that cannot be read. */
export function changes(patch: string): Change[] {
  const text = parsed(patch);
  const of = (keys: unknown, isNew: boolean): Change[] =>
    (Array.isArray(keys) ? (keys as Named[]) : []).map((it) => ({ key: String(it.key_name), type: it['enum'] ? 'enum' : String(it['key_type'] ?? ''), isNew }));
  return [...of(text.new_keys, true), ...of(text.modified_keys, false)];
}

/** The template with the patch: new keys stand before `other`, which is the last; described ones are described anew. */
export function patched(template: Template, patch: PatchText): Template {
  const modified = new Map((patch.modified_keys ?? []).map((key) => [key.key_name, key]));
  const keys = template.keys.map((key) => ({ ...key, ...modified.get(key.key_name) }));
  const last = keys.findIndex((key) => key.key_name === 'other');
  keys.splice(last < 0 ? keys.length : last, 0, ...(patch.new_keys ?? []));
  return { ...template, keys };
}

export interface Line {
  sign: ' ' | '+' | '-';
  text: string;
}

/** The keys that differ, line by line: the whole of them, and nothing of the others. */
export function difference(before: Template, after: Template): Line[] {
  const old = new Map(before.keys.map((key) => [key.key_name, key]));
  return after.keys.flatMap((key) => lines(laid(old.get(key.key_name)), laid(key)));
}

function laid(key: Named | undefined): string[] {
  return key ? JSON.stringify(key, null, 2).split('\n') : [];
}

/** By the longest common sequence of lines; none if nothing differs. */
function lines(a: string[], b: string[]): Line[] {
  if (a.join('\n') === b.join('\n')) return [];
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const found: Line[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ sign: ' ', text: a[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (j >= b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      found.push({ sign: '-', text: a[i]! });
      i += 1;
    } else {
      found.push({ sign: '+', text: b[j]! });
      j += 1;
    }
  }
  return found;
}
