// What waits, and what a rule says, in sentences of the catalogue. Read next: waiting.ts; ../rules/terms.ts.
import { language, t, time, word } from '../language.svelte';
import { platform } from '../platform.svelte';
import { conditions, type Rule } from '../rules/terms';
import { evidence } from '../schemas/evidence';
import { changes, type Change } from '../schemas/patch';
import { schemas, type Patch } from '../schemas/state.svelte';
import { subject } from '../network/done';
import { cut } from '../words';
import { shown, TURNS, type Waiting } from './waiting';

/** The scenario of the shipped templates by which something is repaired, in a way that its decisions tell. */
const REPAIR = 'fault_repair';

/** What is to be decided; of a patch that is known no more, by the keys that it was about. */
export function sentence(it: Waiting, keys = patched(it)): string {
  const found = it.kind === 'patch' ? keys : [];
  if (found.length > 0) {
    const target = it.scenario ?? it.target ?? '';
    const [adds, describes] = [true, false].map((isNew) => named(found.filter((one) => one.isNew === isNew)));
    if (adds && describes) return t('waits.patch.both', { adds, describes, target });
    return adds ? t('waits.patch.adds', { keys: adds, target }) : t('waits.patch.describes', { keys: describes ?? '', target });
  }
  const task = platform.tasks.get(it['task-id'] ?? '');
  const target = (task && subject(task)) || it.target || (it['task-id'] ?? it['patch-id'] ?? it.id);
  if (it.kind === 'decision' && it.scenario === REPAIR) {
    const way = it.parameter?.find(({ name }) => name === 'way');
    return t('waits.repair', { what: way ? t('rule.sentence', { says: target, covered: shown(way.value) }) : target });
  }
  return word('waits', it.kind, { agent: it.agent ? platform.called(it.agent) : t('everyone'), target });
}

/** A key with its type, where a patch says one. */
export const typed = ({ key, type }: Change) => (type ? t('key.typed', { key, type: word('type', type) }) : key);
const named = (keys: Change[]) => keys.map(typed).join(t('list.items'));

/** The keys that a patch that waits is about, as far as patches are known. */
export function patched(it: Waiting): Change[] {
  return changes(patchOf(it)?.patch ?? '');
}

/** What people asked for before there was a patch, and how often; nothing of one that shows none of their words. */
export function asked(patch: Patch | undefined): string {
  const found = patch && evidence(patch, schemas.pool, language.now);
  if (!found) return '';
  const said = cut(found.said, SAID_MAX);
  return found.count ? t('patch.asked', { count: found.count, said }) : t('rule.sentence', { says: t('evidence'), covered: `“${said}”` });
}

const SAID_MAX = 120;

/** The patch that waits, as far as patches are known. */
export const patchOf = (it: Waiting) => schemas.patch.find((one) => one['patch-id'] === it['patch-id']);

/** Why no rule decides it; what is offered because the user said that he would see it first he need not be told of rules. */
export function because(it: Waiting, user: string): string {
  const task = (void platform.version, platform.tasks.get(it['task-id'] ?? ''));
  const isWanted = it.kind === 'decision' && task?.['fulfillment-required'] === true && task['task-sendFrom'] === user;
  const why = it['asked-because'] ?? 'about-to';
  return word('because', isWanted && why === 'no-rule' ? 'plan-first' : why);
}

/** Whose decision it is, if it is another's: in his place the user would act, but where nobody speaks for another. */
export function inPlace({ kind, decider }: Waiting, user: string): string {
  if (!decider || decider === user) return '';
  const name = platform.called(decider);
  return TURNS.includes(kind) ? t('rule.sentence', { says: t('decider'), covered: name }) : t('act.in-place', { name });
}

/** What a rule says of what, until when. */
export function says(rule: Rule, unit?: (key: string) => string): string {
  const covered = conditions(rule, unit).map(([key, named]) => word('condition.rule', key, named));
  const pieces = [t('rule.sentence', { says: word('says', rule.verdict, { what: word('decisions', rule.kind) }), covered: covered.join(t('list.and')) })];
  if (rule.then) pieces.push(word('then', rule.then, { seconds: rule.after ?? 0, user: rule['escalate-to'] ?? '' }));
  if (rule['valid-until']) pieces.push(t('rule.until', { time: time(rule['valid-until']) }));
  return pieces.join(t('list.end'));
}
