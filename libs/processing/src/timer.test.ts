import { expect, test } from 'vitest';
import { metadataOfTimer } from './timer.ts';

const timer = { id: 'reminder:1', kind: 'reminder', dueAt: '2026-01-01T00:00:00.000000Z' };

test('what a timer does belongs to what set it, as far as its payload says; else to the timer', () => {
  const payload = { correlation_id: 'request-1', causation_id: 'event-1' };
  expect(metadataOfTimer({ ...timer, payload })).toEqual({
    correlationId: 'request-1',
    causationId: 'event-1',
    commandId: null,
    actor: { kind: 'system', id: 'timer:reminder' },
  });
  expect(metadataOfTimer({ ...timer, payload: {} })).toMatchObject({
    correlationId: 'reminder:1',
    causationId: 'timer:reminder:1',
  });
});
