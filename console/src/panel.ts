// Where the keyboard is when a panel opens beside a list, and where it is afterwards; and when a key may close it.

/** What had the focus before panels were opened. */
let before: Element | null = null;

/** For the element of a panel: its heading has the focus once it is there; what had it before has it once it is gone. */
export function panel(node: HTMLElement): () => void {
  const now = document.activeElement;
  if (now !== document.body && !now?.closest('aside, .story')) before = now;
  const heading = node.querySelector('h2');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
  return () => {
    // Whoever has gone on elsewhere stays there.
    if (document.activeElement !== document.body && !node.contains(document.activeElement)) return;
    const back = before?.isConnected ? before : document.getElementById('content');
    (back as HTMLElement | null)?.focus();
  };
}

/** Whether the keyboard is in an element, or was until what had it there was taken away or could be pressed no more. */
export function keyboard() {
  const keys = { isHere: false, watch };
  function watch(node: HTMLElement): () => void {
    const over = new AbortController();
    const come = ({ target }: Event) => (keys.isHere = node.contains(target as Node));
    const gone = (from: HTMLButtonElement) => {
      if (from.isConnected && !from.disabled && !node.contains(document.activeElement)) keys.isHere = false;
    };
    document.addEventListener('focusin', come, { signal: over.signal });
    // What is taken away is so only afterwards.
    node.addEventListener('focusout', ({ target }) => setTimeout(gone, 0, target), { signal: over.signal });
    return () => over.abort();
  }
  return keys;
}

const TEXTS = 'main aside :is(textarea, input:not([type=checkbox], [type=radio]))';
const written = new WeakSet<EventTarget>();

/** Told of each input: what was filled in is not what people wrote. */
export function wrote({ target }: { target: EventTarget | null }): void {
  if (target) written.add(target);
}

/** Whether a panel is not to be closed by a key alone: something is written in it, or many are under way in it. */
export function isHeld(page: ParentNode = document): boolean {
  const texts = [...page.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TEXTS)];
  return page.querySelector('main aside[data-under-way]') !== null || texts.some((it) => written.has(it) && it.value !== '');
}

/** Escape closes what stands beside a list, unless something is being written, or was and would be lost. */
export function escaped(event: Pick<KeyboardEvent, 'key' | 'defaultPrevented' | 'target'>, page: ParentNode = document): void {
  if (event.key !== 'Escape' || event.defaultPrevented || !event.target || !('matches' in event.target)) return;
  if ((event.target as Element).matches('input, textarea, select') || isHeld(page)) return;
  page.querySelector<HTMLElement>('main .close')?.click();
}
