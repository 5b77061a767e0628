import { expect, test } from 'vitest';
import { platform, TASKS_MAX } from './platform.svelte';

/** A task of which it is told that it was created, or how it stands then. */
const told = (id: number, name: string, status = 'created') => ({
  id,
  notification: {
    eventTime: new Date(Date.UTC(2030, 0, 1) + id).toISOString(),
    'irtf-agent:condition-notifications': {
      'task-id': name,
      'task-sendFrom': 'remote',
      'task-sendTo': 'operator',
      'input-required': [{ status }],
    },
  },
});

test('of tasks without end those that changed last are kept, and the others counted', () => {
  const beyond = 7;
  const all = [...Array(TASKS_MAX).keys()].map((at) => told(at + 1, `task-${at}`));
  platform.apply(all);
  expect([platform.tasks.size, platform.leftOut]).toEqual([TASKS_MAX, 0]);

  // The first changes once more, so others have not changed for longer.
  platform.apply([told(TASKS_MAX + 1, 'task-0', 'processing')]);
  expect([platform.tasks.size, platform.leftOut]).toEqual([TASKS_MAX, 0]);
  for (let at = 0; at < beyond; at += 1) platform.apply([told(TASKS_MAX + 2 + at, `more-${at}`)]);
  expect([platform.tasks.size, platform.leftOut]).toEqual([TASKS_MAX, beyond]);
  expect(platform.tasks.get('task-0')?.['task-status']).toBe('processing');
  const there = (name: string) => platform.tasks.has(name);
  expect([there('task-1'), there(`task-${beyond}`), there(`task-${beyond + 1}`), there(`more-${beyond - 1}`)]).toEqual([false, false, true, true]);
  // What happened is bounded as well.
  expect(platform.happenings.length).toBeLessThanOrEqual(100);
  expect(platform.happenings[0]?.subject).toBe(`more-${beyond - 1}`);
});
