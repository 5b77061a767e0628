// Where the keyboard is when a panel opens beside a list, and where it is afterwards.

/** What had the focus before panels were opened. */
let before: Element | null = null;

/** For the element of a panel: its heading has the focus once it is there; what had it before has it once it is gone. */
export function panel(node: HTMLElement): () => void {
  const now = document.activeElement;
  if (now !== document.body && !now?.closest('aside')) before = now;
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
