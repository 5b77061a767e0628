import { expect, test, vi } from 'vitest';
import { begin, moved } from './scroll';

const page = { scrollTop: 0 };
vi.stubGlobal('document', { documentElement: page, querySelector: () => null });
vi.stubGlobal('requestAnimationFrame', (draw: () => void) => draw());
const history = { state: null as unknown, replaceState: (state: unknown) => void (history.state = state) };
vi.stubGlobal('history', history);

/** Goes to an entry of the history, a new one if its state is not given; its own state. */
function to(state: unknown = null): unknown {
  history.state = state;
  moved(true);
  return history.state;
}

test('back leads to where one was, on the page one began on as well', () => {
  begin();
  const first = history.state;
  page.scrollTop = 70;
  const second = to();
  expect(page.scrollTop).toBe(0);
  page.scrollTop = 30;
  to(first);
  expect(page.scrollTop).toBe(70);
  to(second);
  expect(page.scrollTop).toBe(30);
});

test('a place is not kept for good', () => {
  const first = to();
  page.scrollTop = 70;
  const second = to();
  page.scrollTop = 30;
  for (let i = 0; i < 199; i += 1) to();
  to(second);
  expect(page.scrollTop).toBe(30);
  to(first);
  expect(page.scrollTop).toBe(0);
});
