import { expect, test } from 'vitest';
import { metadataOfTimer, withOrigin } from './timer.ts';

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

test('a timer that was set with its origin does what it does there', () => {
  const origin = metadataOfTimer({
    ...timer,
    payload: { correlation_id: 'request-1', causation_id: 'event-1' },
  });
  const wanted = { id: timer.id, kind: timer.kind, due: { afterMs: 1 }, payload: { thing_id: 3 } };
  const [set] = withOrigin([wanted], 7, origin);
  const [deep] = withOrigin([wanted], 7, { ...origin, chainDepth: 3 });
  expect(metadataOfTimer({ ...timer, payload: deep?.payload ?? {} })).toEqual({ ...origin, chainDepth: 3 });
  expect(set).toEqual({
    ...wanted,
    payload: { thing_id: 3, account_id: 7, correlation_id: 'request-1', causation_id: 'event-1' },
  });
  expect(metadataOfTimer({ ...timer, payload: set?.payload ?? {} })).toEqual(origin);
});
