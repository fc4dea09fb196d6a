import { recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { newsOf } from './news-of.ts';

const told = {
  correlationId: 'callback-1',
  causationId: 'callback-1',
  commandId: null,
  actor: { kind: 'provider', id: 'whatsapp' },
} as const;

test('what is told of something we began belongs to the trace of its beginning', () => {
  const beginning = recorded({ type: 'MessageSendStarted', data: {} });
  expect(newsOf(beginning, told)).toEqual({
    ...told,
    correlationId: 'request-1',
    causationId: beginning.eventId,
  });
});

test('what others began keeps the trace of who told it', () => expect(newsOf(undefined, told)).toEqual(told));
