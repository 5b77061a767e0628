// What time it is at the platform, as far as the moments of what happens there show it. In a demo that is the story's
// time, which is another than here and may run faster. Pure: what time it is here is an argument.

interface Mark {
  here: number;
  there: number;
}

const MARKS_MAX = 30;
const APART_MS = 1_000;
/** What is older is not told late: it is of another clock. */
const LATE_MAX_MS = 300_000;
/** Less tells nothing of how fast it runs. */
const SPAN_MIN_MS = 3_000;
/** From then on it can be told in a number. */
const TELLING_MS = 9_000;

export class PlatformClock {
  #marks: Mark[] = [];

  /** False until something has happened: it is taken to be as late there as here. */
  get isKnown(): boolean {
    return this.#marks.length > 0;
  }

  /** Something happened at that moment there, and was told now; or it is that late there, as somebody said who knows. */
  take(there: number, here: number, isSure = false): void {
    if (Number.isNaN(there)) return;
    const last = this.#marks.at(-1);
    // Another platform, or one that was restored; or what was told late.
    if (last && there < last.there - (isSure ? SPAN_MIN_MS : LATE_MAX_MS)) this.#marks = [];
    else if (last && there < last.there) return;
    else if (last && here - last.here < APART_MS && this.#marks.length > 1) this.#marks.pop();
    this.#marks.push({ here, there });
    if (this.#marks.length > MARKS_MAX) this.#marks.shift();
  }

  at(here: number): number {
    const last = this.#marks.at(-1);
    return last ? last.there + (here - last.here) * this.speed : here;
  }

  /** For how long it was watched here. */
  get spanMs(): number {
    return this.#marks.length > 0 ? this.#marks.at(-1)!.here - this.#marks[0]!.here : 0;
  }

  /** How many seconds pass there in one here. */
  get speed(): number {
    if (this.spanMs < SPAN_MIN_MS) return 1;
    const speed = (this.#marks.at(-1)!.there - this.#marks[0]!.there) / this.spanMs;
    // What is told late or early is no other speed.
    return speed < 1.5 ? 1 : speed;
  }
}

/** How many times as fast that is, about: as it was measured it differs by a few percent. Nothing before it was measured for long, and of what is not faster. */
export function times(clock: PlatformClock): number | undefined {
  const { speed, spanMs } = clock;
  if (speed === 1 || spanMs < TELLING_MS) return undefined;
  const step = speed < 20 ? 1 : 10 ** Math.floor(Math.log10(speed)) / 2;
  return Math.round(speed / step) * step;
}

export type Unit = 's' | 'min' | 'h' | 'd';

/** How long that is: so many of the largest unit of which there are some, and from hours on the rest in the next smaller one. */
export function span(ms: number): [count: number, unit: Unit][] {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return [[seconds, 's']];
  const of = (unit: number, rest = Infinity) => Math.floor((seconds % rest) / unit);
  if (seconds < 3_600) return [[of(60), 'min']];
  const both: [number, Unit][] = seconds < 172_800 ? [[of(3_600), 'h'], [of(60, 3_600), 'min']] : [[of(86_400), 'd'], [of(3_600, 86_400), 'h']];
  return both.filter(([count]) => count > 0);
}
