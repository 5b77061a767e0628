// Something that is done anew whenever it is asked for, but not before the last is over, and not more often than it may.

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
