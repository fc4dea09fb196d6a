import { expect, test } from 'vitest';
import { traceParentOf } from './trace-parent.ts';

test('a trace context is passed on when it is one', () => {
  const given = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(traceParentOf(given)).toBe(given);
  for (const other of [undefined, '', 'x', `${given}-00`, [given]])
    expect(traceParentOf(other)).toBeUndefined();
});
