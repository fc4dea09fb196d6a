import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../sandbox.fixture.ts';
import { startTestGraph, type TestGraph } from './graph.fixture.ts';

let graph: TestGraph;
beforeAll(async () => {
  graph = await startTestGraph();
});
afterAll(() => graph.sandbox.close());

describe('a business number', () => {
  test('shows the fields asked for', async () => {
    const fields =
      'display_phone_number,verified_name,quality_rating,whatsapp_business_manager_messaging_limit,status';
    expect(await graph.get(`${graph.phoneNumberId}?fields=${fields}`)).toEqual({
      status: 200,
      body: {
        id: graph.phoneNumberId,
        display_phone_number: '+1 415 555 2671',
        verified_name: 'Acme',
        quality_rating: 'GREEN',
        whatsapp_business_manager_messaging_limit: 'TIER_37',
        status: 'CONNECTED',
      },
    });
    expect(await graph.get(`${graph.phoneNumberId}/settings`)).toMatchObject({
      body: { calling: { status: 'ENABLED' } },
    });
  });

  test('changes by the same control call and keeps what is not named', async () => {
    const other = { phone_number: '+14155552672', display_name: 'Other', quality_rating: 'RED' };
    const created = await graph.sandbox.control('chat/senders', other);
    const changed = await graph.sandbox.control('chat/senders', {
      phone_number: '+14155552672',
      online: false,
    });
    expect(changed.body).toEqual({ ...JSON.parse(JSON.stringify(created.body)), online: false });
  });

  test('is shown in the platform’s own spelling, and is the same one by the spelling that is dialed', async () => {
    const dialed = { phone_number: '+525512345678', display_name: 'Taquería' };
    const { body } = await graph.sandbox.control('chat/senders', dialed);
    const { phone_number_id: id, ...shown } = JSON.parse(JSON.stringify(body));
    expect(shown).toMatchObject({ phone_number: '+5215512345678' });
    expect(await graph.get(`${id}?fields=display_phone_number`)).toMatchObject({
      body: { display_phone_number: expect.stringMatching(/^\+52 1/) },
    });
    expect((await graph.sandbox.control('chat/senders', dialed)).body).toEqual(body);
  });

  test('is unknown in Graph’s words when it does not exist', async () => {
    const answer = await graph.get('4711');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  });

  test('is shown to no one without the token', async () => {
    const answer = await ask(`${graph.sandbox.url}/v23.0/${graph.phoneNumberId}`);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException' } } });
  });
});

describe('templates', () => {
  test('are listed in pages whose last one has no next', async () => {
    const names: string[] = [];
    let path: string | undefined = `${graph.accountId}/message_templates?limit=3&fields=name,status`;
    while (path) {
      const page = JSON.parse(JSON.stringify((await graph.get(path)).body));
      for (const { name, status } of page.data) names.push(`${name} ${status}`);
      path = page.paging.next?.split('/v23.0/')[1];
    }
    expect(names).toEqual(['may_we_call APPROVED', 'named APPROVED', 'waiting PENDING', 'welcome APPROVED']);
  });

  test('carry people’s names for positional placeholders as examples', async () => {
    const { body } = await graph.get(`${graph.accountId}/message_templates?name=welcome`);
    expect(body).toMatchObject({
      data: [
        {
          category: 'UTILITY',
          parameter_format: 'POSITIONAL',
          components: [
            { type: 'BODY', text: 'Hi {{1}}, {{2}}!', example: { body_text: [['name', 'order']] } },
          ],
        },
      ],
    });
  });

  test('say which of them ask for a call', async () => {
    const { body } = await graph.get(`${graph.accountId}/message_templates?name=may_we_call`);
    expect(body).toMatchObject({ data: [{ components: [{}, { type: 'call_permission_request' }] }] });
  });
});
