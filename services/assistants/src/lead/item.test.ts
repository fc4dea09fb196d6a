import type { LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { showLead } from './item.ts';
import { lead } from './lead.ts';

const after = (...names: readonly string[]) => showLead(given(lead, ...golden<LeadEvent>(...names)));

test('operators see what a campaign does next with a lead, and nothing of one that is not there', () => {
  expect(after()).toBeNull();
  expect(after('LeadCreated.v1')).toMatchObject({ id: 12, attempts: 0, attempt: null });
  expect(after('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptStarted.v1')).toMatchObject({
    attempt: { contact_id: null, reference: '771' },
    next: null,
  });
  const ended = after('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptEnded.v1');
  expect(ended).toMatchObject({ next: { contact_id: 13, due_at: '2026-11-21T10:30:00.000Z' } });
  expect(ended).not.toHaveProperty('campaign');
  expect(after('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptWithdrawn.v1')).toMatchObject({
    reason: expect.stringMatching(/./),
  });
});
