import type { Claim } from './line.ts';

export const createClaim = (
  id: string,
  url = 'https://a.example',
  leasedUntil = '1',
  accountId = 3,
): Claim => ({
  job: {
    delivery_id: id,
    account_id: accountId,
    event: 'post_call',
    sequence: 1,
    url,
    correlation_id: 'request-1',
    causation_id: null,
  },
  leasedUntil,
  metadata: {
    correlationId: 'request-1',
    causationId: 'x',
    commandId: null,
    actor: { kind: 'system', id: 'x' },
  },
});
