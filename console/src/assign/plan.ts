// Whether somebody wants to see what would be done before it is, as his words say; and which agents agree on such things
// first. Pure: what the platform reads of words is the payload, and this is none of it. Read next: Utterance.svelte.
import type { Agent } from '../platform.svelte';

/** Ways to ask for it. */
const ASKS =
  /\bplans?\b[^.]{0,12} first\b|\b(see|show|check|approve)\b[^.]{0,24}\bplan\b|\b(ask|show|tell) me\b[^.]{0,12}\b(first|before)\b|\bbefore (you|anything)\b|\b(for|with|after) my (yes|ok|word|approval|consent)\b|\blet me (approve|decide)\b|先[看审][^。]{0,3}(计划|方案)|(计划|方案)[^。，]{0,4}先|先[让给问][^。]{0,2}我|[等经]我的?(同意|批准|确认)|我(同意|批准|确认)[之以]?[后再]|(动手|执行)之?前[^。]{0,3}[问给让]/gu;
/** What takes it back, right before. */
const TAKES_BACK = /(\b(not|never|without|no need)|n['’]t)( \w+){0,3} $|(不[用必要]|不需要|无[需须]|别)$/u;

/** Whether words ask for the plan before anything is done. */
export function wantsPlan(words: string): boolean {
  const said = words.toLowerCase().replace(/\s+/g, ' ');
  return [...said.matchAll(ASKS)].some((it) => !TAKES_BACK.test(said.slice(0, it.index)));
}

/** What is agreed on with an agent before it is done: before there is a task, or while it is under way. */
export type Agreed = 'feasibility' | 'fulfillment';

/** Whether an agent negotiates that (draft-zhao §5.3), by what is registered of it. */
export const negotiates = (it: Agent, what: Agreed) => it.capability?.negotiate?.includes(what) === true;
