import { randomInt } from 'node:crypto';
import { explainCallPermission } from '@parley/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import {
  error,
  type Pair,
  type Place,
  sharedPlace,
  timesAsked,
  voicePair,
  voiceTemplate,
} from './voice-stack.ts';

let place: Place;
beforeAll(() => {
  place = sharedPlace();
});

const path = '/api/user/chatapp/voice/request';
const message = { name: 'plain', kind: 'message', body_text: 'Hello' } as const;
const pictured = { ...voiceTemplate, name: 'pictured', components: [{ type: 'HEADER', format: 'IMAGE' }] };

/** A sender of a country that businesses may not call from. */
async function americanSender(pair: Pair): Promise<number> {
  const phone_number = `+1415${randomInt(2_000_000, 9_999_999)}`;
  await control(
    'chat/senders',
    { phone_number, display_name: 'Acme US', calling_enabled: true },
    place.sandboxUrl,
  );
  const answer = await pair.api.post('/api/user/chatapp/senders', { phone_number, display_name: 'Acme US' });
  expect(answer.status, answer.text).toBe(201);
  return (answer.body as { data: { id: number } }).data.id;
}

test('a voice request asks with text alone, however new a template with a picture is', async () => {
  const { asked, write } = await voicePair(place, {}, [voiceTemplate, pictured]);
  await write();
  expect(await asked()).toMatchObject({ status: 'pending' });
});

describe('a voice request is refused', () => {
  test.each([
    ['no sender', { recipient_phone: '+491701234567' }],
    ['a sender that is text', { sender_id: '1', recipient_phone: '+491701234567' }],
    ['no phone', { sender_id: 1 }],
    [
      'a name of 256 characters',
      { sender_id: 1, recipient_phone: '+491701234567', recipient_name: 'a'.repeat(256) },
    ],
  ])('with VALIDATION_FAILED for %s', async (_, body) => {
    const { api } = await voicePair(place, {}, []);
    const answer = await api.post(path, body);
    expect([answer.status, answer.body]).toEqual([422, error('VALIDATION_FAILED')]);
  });

  test('with SENDER_NOT_FOUND for an unknown and a foreign sender, in the same bytes', async () => {
    const own = await voicePair(place, {}, []);
    const other = await voicePair(place, {}, []);
    const unknown = await own.ask({ sender_id: 999_999_999 });
    const foreign = await own.ask({ sender_id: other.sender.id, recipient_phone: 'nonsense' });
    expect([unknown.status, unknown.body]).toEqual([404, error('SENDER_NOT_FOUND')]);
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });

  test('with INVALID_PHONE for what is no number', async () => {
    const { ask } = await voicePair(place, { calling_enabled: false }, []);
    // As many as may be asked in a minute.
    for (const recipient_phone of ['', '0171 1234567', '+49', '+999123456789', ' +491701234567']) {
      const answer = await ask({ recipient_phone });
      expect([recipient_phone, answer.status, answer.body]).toEqual([
        recipient_phone,
        422,
        error('INVALID_PHONE'),
      ]);
    }
  });

  test('with VOICE_DISABLED, before anything else about the customer is looked at', async () => {
    const { ask } = await voicePair(place, { calling_enabled: false }, []);
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('VOICE_DISABLED')]);
  });

  test('with REGION_NOT_SUPPORTED for a sender from the United States, before the template is looked for', async () => {
    const pair = await voicePair(place, {}, []);
    const answer = await pair.ask({ sender_id: await americanSender(pair) });
    expect([answer.status, answer.body]).toEqual([422, error('REGION_NOT_SUPPORTED')]);
  });

  test.each([
    ['there is none', [message]],
    ['it is pending', [{ ...voiceTemplate, status: 'pending' as const }]],
    ['it was rejected', [{ ...voiceTemplate, status: 'rejected' as const }]],
  ])('with TEMPLATE_NOT_FOUND when %s, before the session is looked at', async (_, templates) => {
    const { ask } = await voicePair(place, {}, templates);
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('TEMPLATE_NOT_FOUND')]);
  });

  test('with TEMPLATE_NOT_FOUND where the only template wants a picture, in the words of the explanation', async () => {
    const { api, ask, customer, sender, write } = await voicePair(place, {}, [pictured]);
    await write();
    const why = 'cannot be sent from here: it wants header_image_link';
    for (const body of [{}, { template_id: sender.templates.pictured?.id }]) {
      const answer = await ask(body);
      expect([answer.status, answer.body]).toEqual([422, error('TEMPLATE_NOT_FOUND')]);
      expect(answer.text).toContain(why);
    }
    expect(await timesAsked(place, customer)).toBe(0);
    const query = `sender_id=${sender.id}&recipient_phone=${encodeURIComponent(customer)}`;
    const explain = `/api/user/chatapp/voice/permission/explain?${query}`;
    const now = await api.get(explain);
    const { rules } = explainCallPermission.success.schema.parse(now.body);
    const position = rules.find(({ rule }) => rule === 'template')?.event?.position;
    const then = await api.get(`${explain}&as_of=${position}`);
    for (const { body } of [now, then])
      expect(body).toMatchObject({
        can_request: false,
        rules: expect.arrayContaining([
          expect.objectContaining({
            rule: 'template',
            verdict: 'failed',
            explanation: expect.stringContaining(why),
            event: expect.objectContaining({ type: 'TemplateAdded' }),
          }),
        ]),
      });
  });

  test('with TEMPLATE_NOT_FOUND for a template that asks for nothing, which its explanation foretells, now and as of then', async () => {
    const { api, ask, customer, sender, write } = await voicePair(place, {}, [voiceTemplate, message]);
    await write();
    const query = `sender_id=${sender.id}&recipient_phone=${encodeURIComponent(customer)}`;
    const explain = `/api/user/chatapp/voice/permission/explain?${query}`;
    const [plain, asking] = [sender.templates.plain?.id, sender.templates.may_we_call?.id];
    const canRequest = async (id: number | undefined, more: string) =>
      Object((await api.get(`${explain}&template_id=${id}${more}`)).body).can_request;
    const asOf = `&as_of=${new Date().toISOString()}`;
    for (const moment of ['', asOf])
      expect([await canRequest(asking, moment), await canRequest(plain, moment)]).toEqual([true, false]);
    expect(await ask({ template_id: plain })).toMatchObject({
      status: 422,
      body: error('TEMPLATE_NOT_FOUND'),
    });
  });

  test('with TEMPLATE_NOT_FOUND for a template that asks for nothing, and for one of another sender', async () => {
    const { ask, sender } = await voicePair(place, {}, [voiceTemplate, message]);
    const other = await voicePair(place);
    for (const template_id of [sender.templates.plain?.id, other.sender.templates.may_we_call?.id]) {
      const answer = await ask({ template_id });
      expect([answer.status, answer.body]).toEqual([422, error('TEMPLATE_NOT_FOUND')]);
    }
  });

  test('by no other way than this one: a template that asks for permission is none to send', async () => {
    const { api, customer, permission, sender, write } = await voicePair(place);
    await write();
    const answer = await api.post('/api/user/chatapp/send', {
      sender_id: sender.id,
      template_id: sender.templates.may_we_call?.id,
      recipient_phone: customer,
    });
    expect([answer.status, answer.body]).toEqual([404, error('TEMPLATE_NOT_FOUND')]);
    expect((answer.body as { error: string }).error).toContain(path);
    expect(await timesAsked(place, customer)).toBe(0);
    expect((await permission()).can_request).toBe(true);
  });

  test('with SESSION_CLOSED when the customer has not written', async () => {
    const { ask, permission } = await voicePair(place);
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('SESSION_CLOSED')]);
    expect(await permission()).toMatchObject({ status: null, session_open: false, can_request: false });
  });

  test('with REQUEST_LIMIT when the customer was asked within 24 hours, and says when to come back', async () => {
    const { ask, asked, write } = await voicePair(place);
    await write();
    const { requested_at } = await asked();
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('REQUEST_LIMIT')]);
    const { details } = answer.body as { details: { reason: string; retry_at: string } };
    expect(details.reason).toBe('already_asked_24h');
    const waitMs = Date.parse(details.retry_at) - Date.parse(String(requested_at));
    expect([86_400_000, 86_401_000]).toContain(waitMs);
  });

  test('with REQUEST_LIMIT when the customer allows calls already', async () => {
    const { ask, asked, permission, reply, write } = await voicePair(place);
    await write();
    await asked();
    await reply('accept');
    const { expires_at } = await permission();
    const answer = await ask();
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      error_code: 'REQUEST_LIMIT',
      details: { reason: 'already_granted', retry_at: expires_at },
    });
  });

  test('without a time to come back when the permission is for good', async () => {
    const { ask, reply, write } = await voicePair(place);
    await write();
    await reply('accept', true);
    expect((await ask()).body).toMatchObject({ details: { reason: 'already_granted', retry_at: null } });
  });

  test('with 429 after five requests in a minute, whatever they were answered', async () => {
    const { ask } = await voicePair(place);
    // At once, so that they are in the minute of the last one.
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    const malformed = await ask({ sender_id: 'x' });
    expect(malformed.status).toBe(422);
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([
      429,
      { success: false, message: 'Too Many Attempts.', retry_after: expect.any(Number) },
    ]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('of twenty requests at the same time', () => {
  test('about one customer exactly one asks; the others meet its limit, or that of requests', async () => {
    const { ask, customer, permission, write } = await voicePair(place);
    await write();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    const of = (wanted: number) => answers.filter(({ status }) => status === wanted);
    expect([of(200).length, of(422).length, of(429).length]).toEqual([1, 4, 15]);
    for (const { body } of of(422)) expect(body).toEqual(error('REQUEST_LIMIT'));
    expect(await timesAsked(place, customer)).toBe(1);
    expect((await permission()).limits.map(({ used }) => used)).toEqual([1, 1]);
  });

  test('exactly one asks the customer, over two copies', async () => {
    const pairs = await Promise.all(Array.from({ length: 4 }, () => voicePair(place)));
    for (const { write } of pairs) await write();
    // Five a minute is what an account may try.
    await Promise.all(
      pairs.map(async ({ ask, customer }) => {
        const answers = await Promise.all(Array.from({ length: 5 }, () => ask()));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422]);
        expect(await timesAsked(place, customer)).toBe(1);
      }),
    );
  });

  test('with one key all get the same bytes', async () => {
    const { api, customer, sender, write } = await voicePair(place);
    await write();
    const body = { sender_id: sender.id, recipient_phone: customer };
    const key = { 'idempotency-key': 'once' };
    const first = await api.post(path, body, key);
    const again = await api.post(path, body, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const reused = await api.post(path, { ...body, recipient_phone: freshCustomerNumber() }, key);
    expect(reused.status).toBe(422);
    expect(await timesAsked(place, customer)).toBe(1);
  });
});
