import { expect, test } from 'vitest';
import { automationActionInputs } from '../automation/actions.ts';
import { createApiKey } from '../operations/accounts.ts';
import { requestCallPermission } from '../operations/call-permissions.ts';
import { sendChatAppTemplate } from '../operations/chatapp-messages.ts';
import { backfillWebhooks } from '../operations/webhooks.ts';

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

const recipient = { template_id: 1, recipient_phone: '+491701234567' };
const named = {
  'a template send': sendChatAppTemplate.body,
  'a call request': requestCallPermission.body,
  'an action that sends': automationActionInputs['chatapp.send_template'],
  'an action that asks': automationActionInputs['chatapp.request_call_permission'],
};

test.each(Object.entries(named))(
  '%s takes a recipient without a name, however that is said',
  (what, input) => {
    const to = what.startsWith('an action') ? recipient : { sender_id: 1, ...recipient };
    for (const name of [{}, { recipient_name: null }, { recipient_name: '' }, { recipient_name: 'Ada' }])
      expect(input.safeParse({ ...to, ...name }).success, JSON.stringify(name)).toBe(true);
    expect(input.safeParse({ ...to, recipient_name: 'a'.repeat(256) }).success).toBe(false);
  },
);
