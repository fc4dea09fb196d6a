import { operations, reject } from '@parley/contracts';
import { expect, test } from 'vitest';
import { errorAnswer } from './error-shapes.ts';

const assistant = { message: 'Assistant not found' };
const sender = { success: false, error: 'Sender not found', error_code: 'SENDER_NOT_FOUND' };

/** As clients of the specification's operations parse it: each has its own shape, text and full stop. */
test.each([
  ['DELETE', '/api/user/api-keys/{id}', { message: 'API key not found.' }],
  ['POST', '/api/user/lead', { message: 'Campaign not found' }],
  ['GET', '/api/user/phone-numbers/sip-trunks/{id}', { error: 'SIP trunk not found.' }],
  ['PUT', '/api/user/knowledgebases/{id}', { error: 'Knowledgebase not found' }],
  ['PUT', '/api/user/assistant/{id}', assistant],
  ['POST', '/api/user/assistants/enable-webhook', assistant],
  ['POST', '/api/user/assistants/enable-inbound-webhook', assistant],
  ['POST', '/api/user/assistants/disable-webhook', assistant],
  ['POST', '/api/user/assistants/disable-inbound-webhook', assistant],
  ['PUT', '/api/user/folder/{id}', { message: 'Folder not found' }],
  ['GET', '/api/user/chatapp/senders/{senderId}/templates', sender],
  ['POST', '/api/user/chatapp/voice/request', sender],
  ['POST', '/api/user/conversations/{uuid}/enable-ai', { status: false, error: 'Conversation not found' }],
  ['POST', '/api/user/conversations/{uuid}/disable-ai', { status: false, error: 'Conversation not found' }],
  ['GET', '/api/user/automate/flows/{id}/runs', { message: 'Automation not found' }],
  [
    'POST',
    '/api/user/automate/flows/{id}/runs/{run_id}/retry',
    { message: 'Automation not found', error: 'not_found' },
  ],
])('what %s %s does not find is told as the specification says', (method, path, body) => {
  const operation = operations.find((each) => each.method === method && each.path === path);
  expect(operation).toBeDefined();
  const answer = errorAnswer(reject('not_found'), operation ?? null);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([404, body]);
});
