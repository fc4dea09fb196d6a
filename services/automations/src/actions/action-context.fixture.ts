import { randomUUID } from 'node:crypto';
import type { ActionContext } from './action.ts';

/** Of a step's first attempt. */
export const actionContext = (more: Partial<ActionContext> = {}): ActionContext => ({
  accountId: 1,
  automationId: 2,
  runId: randomUUID(),
  correlationId: randomUUID(),
  causationId: randomUUID(),
  chainDepth: 0,
  effectKey: randomUUID(),
  freshStarts: 0,
  connection: null,
  now: '2026-01-01T00:00:00.000Z',
  signal: new AbortController().signal,
  ...more,
});
