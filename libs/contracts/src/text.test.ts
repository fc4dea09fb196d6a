import { expect, test } from 'vitest';
import { createApiKey } from './operations/accounts.ts';
import { backfillWebhooks } from './operations/webhooks.ts';

const fields = [
  ['an API key’s end', (at: string) => createApiKey.body.safeParse({ name: 'CI', expires_at: at })],
  ['a back-fill’s start', (at: string) => backfillWebhooks.body.safeParse({ event: 'post_call', since: at })],
] as const;

test.each(fields)('%s is a moment whose year has four digits in UTC', (_, parse) => {
  for (const at of ['2026-11-23T01:00:00Z', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59+14:00'])
    expect(parse(at).success, at).toBe(true);
  for (const at of ['tomorrow', '', '9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00'])
    expect(parse(at).success, at).toBe(false);
});
