import { expect, test, vi } from 'vitest';
import { escaped, isHeld, keyboard, wrote } from './panel';

const page = Object.assign(new EventTarget(), { activeElement: undefined as unknown });
vi.stubGlobal('document', page);
vi.useFakeTimers();

test('the keyboard is where it was until it was taken away, and not where it never was', () => {
  const button = { isConnected: true, disabled: false };
  let inside: unknown[] = [button];
  const node = Object.assign(new EventTarget(), { contains: (it: unknown) => inside.includes(it) });
  const keys = keyboard();
  keys.watch(node as unknown as HTMLElement);
  const told = (at: EventTarget, type: string, target: object) =>
    at.dispatchEvent(Object.defineProperty(new Event(type), 'target', { value: target }));
  const come = (target: object) => {
    page.activeElement = target;
    told(page, 'focusin', target);
  };
  const go = () => {
    page.activeElement = undefined;
    told(node, 'focusout', button);
    vi.runAllTimers();
    return keys.isHere;
  };
  expect(keys.isHere).toBe(false);
  come(button);
  expect(keys.isHere).toBe(true);
  expect(go()).toBe(false);
  // It is held while what it does is under way.
  come(button);
  button.disabled = true;
  expect(go()).toBe(true);
  come({});
  expect(keys.isHere).toBe(false);
  // It is taken away.
  button.disabled = false;
  come(button);
  button.isConnected = false;
  inside = [];
  expect(go()).toBe(true);
});

test('a panel is held by what people wrote in it, not by what was filled in, and by many that are under way', () => {
  const text = Object.assign(new EventTarget(), { value: 'filled in' });
  let underWay: object | null = null;
  const panel = { querySelectorAll: () => [text], querySelector: () => underWay } as unknown as ParentNode;
  expect(isHeld(panel)).toBe(false);
  wrote({ target: text });
  expect(isHeld(panel)).toBe(true);
  text.value = '';
  expect(isHeld(panel)).toBe(false);
  underWay = {};
  expect(isHeld(panel)).toBe(true);
});

test('Escape closes what stands beside a list by its own way out, unless somebody writes there', () => {
  let closed = 0;
  const page = (...texts: { value: string }[]) =>
    ({ querySelectorAll: () => texts, querySelector: (of: string) => (of === 'main .close' ? { click: () => (closed += 1) } : null) }) as unknown as ParentNode;
  const on = (isText: boolean) => ({ matches: () => isText }) as unknown as Element;
  const event = { key: 'Escape', defaultPrevented: false, target: on(false) };
  const after = (it: typeof event, ...texts: { value: string }[]) => (escaped(it, page(...texts)), closed);
  expect(after({ ...event, key: 'Enter' })).toBe(0);
  expect(after({ ...event, defaultPrevented: true })).toBe(0);
  expect(after({ ...event, target: on(true) })).toBe(0);
  const text = { value: 'half a sentence' };
  wrote({ target: text as unknown as EventTarget });
  expect(after(event, text)).toBe(0);
  expect(after(event)).toBe(1);
});
