// Something that is done again: when it is asked for, or until it is ended; never before the last time is over, and not
// more often than it may. Pure.

/** What is returned asks for it. What is asked for while it cannot be is done once, as soon as it can. */
export function paced(work: () => Promise<void>, apartMs: number): () => void {
  let isUnderWay = false;
  let isWanted = false;
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = (): void => {
    isWanted = true;
    if (isUnderWay || timer !== undefined) return;
    const wait = last + apartMs - performance.now();
    if (wait > 0) {
      timer = setTimeout(() => ((timer = undefined), ask()), wait);
      return;
    }
    isWanted = false;
    isUnderWay = true;
    last = performance.now();
    work().finally(() => {
      isUnderWay = false;
      if (isWanted) ask();
    });
  };
  return ask;
}

/** Does it now, and again so long after each time is over, until it is aborted. What fails is done again as well. */
export function repeated(work: (signal: AbortSignal) => Promise<unknown>, apartMs: number, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = async (): Promise<void> => {
    await work(signal).catch(() => {});
    if (!signal.aborted) timer = setTimeout(again, apartMs);
  };
  void again();
  signal.addEventListener('abort', () => clearTimeout(timer));
}
