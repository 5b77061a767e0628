// Whether somebody wants to see what would be done before it is, as his words say; and which agents agree on such things
// first. Pure: what the platform reads of words is the payload, and this is none of it. Read next: Utterance.svelte.
import type { Agent } from '../platform.svelte';

/** Ways to ask for it. */
const ASKS =
  /plan\b.{0,12} first\b|(see|show)\b.{0,12} plan\b|(ask|show|tell|let) me\b.{0,12} first\b|before (you (do|start|act|change)|anything)\b|my (yes|ok|approval)\b|先[看审给让问].{0,3}(我|方案|计划)|等我|我(同意|批准|确认).?[后再]/gi;
/** What takes it back, right before. */
const TAKES_BACK = /(\b(not|never|without|no need)|n['’]t)( \w+){0,4} $|(不需?[要用必]|无[需须]|别)$/i;

const clauses = (words: string) => words.split(/(?<=[,;.!?，；。！？])|(?= and )/);
const asks = (clause: string) => [...clause.matchAll(ASKS)].some((it) => !TAKES_BACK.test(clause.slice(0, it.index)));

/** Whether words ask for the plan before anything is done. */
export const wantsPlan = (words: string) => clauses(words).some(asks);

/** What else they say, which is for the platform to understand; all of them, if that is nothing. */
export const besidePlan = (words: string) => clauses(words).filter((it) => !asks(it)).join('').trim() || words;

/** What is agreed on with an agent before it is done: before there is a task, or while it is under way. */
export type Agreed = 'feasibility' | 'fulfillment';

/** Whether an agent negotiates that (draft-zhao §5.3), by what is registered of it. */
export const negotiates = (it: Agent, what: Agreed) => it.capability?.negotiate?.includes(what) === true;
