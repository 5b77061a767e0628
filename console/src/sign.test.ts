import { expect, test } from 'vitest';
import { sign } from './sign';
import { STATES } from './states';

test('a state that is not known has a sign of its own, whatever it is called', () => {
  expect(sign(STATES, 'finished')).toMatchObject({ sign: '✓', tone: 'good' });
  for (const name of ['new', 'constructor', '']) expect(sign(STATES, name)).toEqual({ sign: '·', tone: '' });
});
