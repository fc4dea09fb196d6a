import { expect, test } from 'vitest';
import type { z } from 'zod';
import { listAssistants } from './assistants.ts';
import { listAutomationRuns } from './automation-runs.ts';
import { requestCallPermission } from './call-permissions.ts';
import { sendChatAppTemplate } from './chatapp-messages.ts';
import { updateKnowledgebase } from './knowledgebases.ts';
import { createFolder, createLabel, listFolders, updateFolder } from './organisers.ts';
import { searchPhoneNumbers } from './phone-numbers.ts';

test.each([
  ['assistants', listAssistants.query, 'per_page', {}, 10, 100],
  ['folders', listFolders.query, 'per_page', {}, 15, 100],
  ['runs', listAutomationRuns.query, 'limit', {}, 10, 20],
  ['numbers found', searchPhoneNumbers.query, 'limit', { country_code: 'US' }, 20, 50],
])(
  'of %s a list shows as many as the specification says',
  (_, query: z.ZodType, name, others, byDefault, max) => {
    expect(query.parse(others)).toMatchObject({ [name]: byDefault });
    for (const allowed of ['1', String(max)])
      expect(query.parse({ ...others, [name]: allowed })).toMatchObject({ [name]: Number(allowed) });
    for (const refused of ['0', String(max + 1), '1.5', 'x', ''])
      expect(query.safeParse({ ...others, [name]: refused }).success, refused).toBe(false);
  },
);

const message = { sender_id: 1, recipient_phone: '+442079460104' };

test.each([
  ['a folder’s name', createFolder.body, 'name', {}],
  ['a folder’s new name', updateFolder.body, 'name', {}],
  ['a label’s name', createLabel.body, 'name', {}],
  ['a knowledgebase’s name', updateKnowledgebase.body, 'name', {}],
  ['a knowledgebase’s description', updateKnowledgebase.body, 'description', {}],
  [
    'a recipient’s name in a send',
    sendChatAppTemplate.body,
    'recipient_name',
    { ...message, template_id: 1 },
  ],
  ['a recipient’s name in a voice request', requestCallPermission.body, 'recipient_name', message],
])('%s has at most 255 characters', (_, body: z.ZodType, name, others) => {
  expect(body.safeParse({ ...others, [name]: '😀'.repeat(255) }).success).toBe(true);
  expect(body.safeParse({ ...others, [name]: 'a'.repeat(256) }).success).toBe(false);
});
