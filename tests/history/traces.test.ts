import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';
import { parley } from '../support/parley.ts';

interface Node {
  readonly event: string;
  readonly service: string;
  readonly children: readonly Node[];
}

test('a trace shows what a request led to, also what followed later, over HTTP and for operators', async () => {
  const [api] = accountApis(await freshAccount());
  const folder = (await api.post('/api/user/folder', { name: 'Traced' })).body as { data: { id: number } };
  await createAssistant(api, { folder_id: folder.data.id });
  const deletion = await api.delete(`/api/user/folder/${folder.data.id}`);
  const requestId = String(deletion.headers['x-request-id']);
  await eventually(async () => {
    const { status, body } = await api.get(`/api/user/traces/${requestId}`);
    expect(status).toBe(200);
    const { events } = (body as { data: { events: Node[] } }).data;
    expect(events).toMatchObject([
      {
        event: 'FolderDeleted',
        service: 'assistants',
        children: [{ event: 'AssistantMovedToFolder', children: [] }],
      },
    ]);
  });
  const { status, output } = await parley('trace', requestId);
  expect([status, output]).toEqual([
    0,
    expect.stringMatching(/FolderDeleted[\s\S]*└─ AssistantMovedToFolder/),
  ]);
  expect((await parley('trace', 'never-asked')).status).toBe(1);
});

test("another account's trace and an unknown one are the same bytes", async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const made = await stranger.post('/api/user/folder', { name: 'Mine' });
  const answers = [];
  for (const id of [made.headers['x-request-id'], 'unknown'])
    answers.push((await api.get(`/api/user/traces/${id}`)).text);
  expect(answers).toEqual(['{"message":"Trace not found"}', '{"message":"Trace not found"}']);
});
