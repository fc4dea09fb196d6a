import { createHmac } from 'node:crypto';
import { chatEvent } from '@parley/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSignedBy, readWhatsAppCallback } from '../whatsapp.ts';
import { changed, common, corrected, metadata, read, said } from './callback.fixture.ts';

const received = (message: object, contacts: unknown = []) =>
  changed('messages', {
    messaging_product: 'whatsapp',
    metadata,
    contacts,
    messages: [{ id: 'wamid.1', from: '491711234567', timestamp: '1800000000', ...message }],
  });

const filledIn = (response_json: unknown) => ({
  type: 'interactive',
  interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } },
});

const askedOf = (referred_product: unknown) => ({
  type: 'text',
  text: { body: 'Is it fresh?' },
  context: { from: '16315553601', id: 'wamid.0', referred_product },
});

describe('a message of a customer', () => {
  test('is told with its text and who it is from', () => {
    const contacts = [{ wa_id: '491711234567', profile: { name: 'Łucja' } }];
    expect(read(received({ type: 'text', text: { body: 'Hello' } }, contacts))).toEqual([
      { ...said, name: 'Łucja', kind: 'text', text: 'Hello' },
    ]);
  });

  test.each([
    ['button', { type: 'button', button: { text: 'Yes', payload: 'y' } }, 'Yes'],
    [
      'interactive',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'One' } } },
      'One',
    ],
    ['interactive', filledIn('{"flow_token":"t-1","day":"Friday"}'), 'day: Friday'],
    ['interactive', filledIn(1), null],
    ['image', { type: 'image', image: { id: '1' } }, null],
    ['image', { type: 'image', image: { id: '1', caption: 'Is it this one?' } }, 'Is it this one?'],
    ['document', { type: 'document', document: { id: '1', caption: 'My order' } }, 'My order'],
    [
      'order',
      { type: 'order', order: { catalog_id: '1', text: 'By Friday?', product_items: [] } },
      'By Friday?',
    ],
    ['order', { type: 'order', order: { catalog_id: '1', text: '', product_items: [] } }, null],
    ['edit', corrected({ type: 'text', text: { body: 'Two, please' } }), 'Two, please'],
    ['edit', corrected({ type: 'image', image: { id: '1', caption: 'Or this one' } }), 'Or this one'],
    ['edit', { type: 'edit', edit: 'x' }, null],
    ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } }, '👍'],
    ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.0' } }, null],
    ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '' } }, null],
    ['text', askedOf({ catalog_id: '1', product_retailer_id: 'rye-1' }), 'Is it fresh?\nrye-1'],
    ['text', askedOf(1), 'Is it fresh?'],
    ['something_new', { type: 'something_new' }, null],
  ])('may be of the kind %s', (kind, message, text) => {
    expect(read(received(message))).toMatchObject([{ type: 'message_received', kind, text }]);
  });

  test.each<[string, unknown, string | null]>([
    ['without a name', [{ wa_id: '491711234567', profile: {} }], null],
    ['without a number', [{ user_id: 'DE.1', profile: { name: 'Ada' } }], null],
    ['that is none', [null, { wa_id: '491711234567', profile: { name: 'Ada' } }], 'Ada'],
    ['in no list', null, null],
  ])('is told whatever stands in a contact %s', (_, contacts, name) => {
    expect(read(received({ type: 'text', text: { body: 'Hello' } }, contacts))).toEqual([
      { ...said, name, kind: 'text', text: 'Hello' },
    ]);
  });

  test('is stored as far as it can be', () => {
    const odd = 'a\u0000b\ud800';
    expect(read(received({ id: odd, type: 'text', text: { body: odd } }))).toMatchObject([
      { id: 'ab\ufffd', message_id: 'ab\ufffd', text: 'ab\ufffd' },
    ]);
    expect(read(received({ id: '\u0000', type: 'text', text: { body: 'Hello' } }))).toEqual([]);
  });

  test('is none when it is written to a group that the number is in', () => {
    const group_id = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';
    const unread: string[] = [];
    const body = received({ group_id, type: 'text', text: { body: 'Who is in on Friday?' } });
    const events = readWhatsAppCallback(Buffer.from(JSON.stringify(body)), (number) => unread.push(number));
    expect([events, unread]).toEqual([[], []]);
  });
});

describe('a customer who hides their number', () => {
  const user = 'US.13491208655302741918';
  const { contact: _, ...unnamed } = said;
  const contacts = [{ user_id: user, profile: { name: 'Ada', username: 'ada' } }];

  test('is known by what the platform calls them, in messages and statuses', () => {
    const hidden = { from: undefined, from_user_id: user, type: 'text', text: { body: 'Hello' } };
    expect(read(received(hidden, contacts))).toEqual([
      { ...unnamed, contact: user, name: 'Ada', kind: 'text', text: 'Hello' },
    ]);
    const status = { id: 'wamid.9', status: 'delivered', timestamp: '1800000000', recipient_user_id: user };
    expect(read(changed('messages', { metadata, contacts, statuses: [status] }))).toMatchObject([
      { type: 'message_status_changed', contact: user, status: 'delivered' },
    ]);
  });

  test('is known by the number again wherever it is told', () => {
    const told = { from_user_id: user, type: 'text', text: { body: 'Hello' } };
    const named = [{ wa_id: '491711234567', user_id: user, profile: { name: 'Ada' } }];
    expect(read(received(told, named))).toMatchObject([{ contact: common.contact, name: 'Ada' }]);
  });

  test('and who is told by nothing is not lost without a trace', () => {
    const unread: string[] = [];
    const body = received({ from: undefined, type: 'text', text: { body: 'Hello' } });
    const events = readWhatsAppCallback(Buffer.from(JSON.stringify(body)), (number) => unread.push(number));
    expect([events, unread]).toEqual([[], ['11']]);
  });
});

describe('an answer about calls', () => {
  const reply = (call_permission_reply: object, context?: object) =>
    read(
      received({
        type: 'interactive',
        ...(context && { context }),
        interactive: { type: 'call_permission_reply', call_permission_reply },
      }),
    );

  test('may be yes for a while', () => {
    const yes = { response: 'accept', expiration_timestamp: 1800604800, response_source: 'user_action' };
    expect(reply(yes, { from: '16315553601', id: 'wamid.0' })).toEqual([
      {
        ...common,
        type: 'call_permission_replied',
        response: 'accept',
        is_permanent: false,
        expires_at: '2027-01-22T08:00:00.000Z',
        request_message_id: 'wamid.0',
      },
    ]);
  });

  test('may be yes for good, no, and a change of mind', () => {
    expect(reply({ response: 'accept', is_permanent: true })).toMatchObject([
      { response: 'accept', is_permanent: true, expires_at: null, request_message_id: null },
    ]);
    expect(reply({ response: 'reject' }, { id: 'wamid.0' })).toMatchObject([
      { response: 'reject', request_message_id: 'wamid.0' },
    ]);
    expect(reply({ response: 'reject' })).toMatchObject([{ request_message_id: null }]);
  });

  test('is read as the platform documents it: without a type, and taken back by itself', () => {
    const call_permission_reply = { response: 'reject', response_source: 'automatic' };
    const interactive = { type: 'call_permission_reply', call_permission_reply };
    expect(read(received({ interactive }))).toMatchObject([
      { type: 'call_permission_replied', response: 'reject', request_message_id: null },
    ]);
  });
});

describe('a status of a message of ours', () => {
  const told = (...statuses: object[]) => read(changed('messages', { metadata, statuses }));
  const status = { id: 'wamid.9', timestamp: '1800000000', recipient_id: '491711234567' };

  test('is an event of its own, with our word for the message', () => {
    expect(
      told(
        { ...status, status: 'delivered', biz_opaque_callback_data: 'message-12' },
        { ...status, status: 'sent' },
      ),
    ).toEqual([
      {
        id: 'wamid.9:delivered',
        phone_number_id: '11',
        contact: '+491711234567',
        at: '2027-01-15T08:00:00.000Z',
        type: 'message_status_changed',
        message_id: 'wamid.9',
        status: 'delivered',
        reference: 'message-12',
        error: null,
      },
      expect.objectContaining({ id: 'wamid.9:sent', status: 'sent', reference: null }),
    ]);
  });

  test('says why it failed', () => {
    const error = { code: 131053, title: 'Media upload error', message: 'x' };
    const failed = (error_data?: unknown) =>
      told({ ...status, status: 'failed', errors: [{ ...error, error_data }] });
    const code = '131053';
    expect(failed({ details: 'The link answers 404.' })).toMatchObject([
      { status: 'failed', error: { code, reason: 'The link answers 404.' } },
    ]);
    for (const untold of [undefined, null, {}, 'x'])
      expect(failed(untold)).toMatchObject([{ error: { code, reason: 'Media upload error' } }]);
  });

  test.each([
    [null, null],
    [[], null],
    [[{ message: 'no code' }], null],
    [[{ code: 131026, title: null }], { code: '131026', reason: null }],
  ])('has failed whatever is said of why: %j', (errors, error) => {
    expect(told({ ...status, status: 'failed', errors })).toMatchObject([{ status: 'failed', error }]);
  });

  test('is told whatever stands where messages do', () => {
    const statuses = [{ ...status, status: 'read' }];
    expect(read(changed('messages', { metadata, messages: null, statuses }))).toMatchObject([
      { status: 'read' },
    ]);
  });

  test('that nobody knows yet costs the others nothing', () => {
    expect(told({ ...status, status: 'warmed_up' }, { ...status, status: 'read' })).toMatchObject([
      { status: 'read' },
    ]);
  });
});

test('news of an account say which', () => {
  const fields = ['message_template_status_update', 'phone_number_quality_update', 'account_update'];
  for (const field of fields)
    expect(read(changed(field, { anything: 1 }))).toEqual([
      { id: `22:${field}`, type: 'account_changed', account_id: '22' },
    ]);
  expect(read(changed('flows', {}))).toEqual([]);
});

test('what is no notification is none', () => {
  for (const body of [null, 1, 'x', [], {}, { entry: 1 }, { entry: [{}] }])
    expect(read(body)).toBeUndefined();
  expect(readWhatsAppCallback(Buffer.from('{'))).toBeUndefined();
  expect(readWhatsAppCallback(Buffer.from([0xff, 0xfe]))).toBeUndefined();
});

test('whatever is signed, what is read of it fits the contract', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.string({ unit: 'binary' }));
  const message = fc.record(
    {
      id: fc.oneof(fc.string({ maxLength: 600 }), leaf),
      from: fc.oneof(fc.constant('491711234567'), leaf),
      to: fc.oneof(fc.constant('+491711234567'), leaf),
      timestamp: fc.oneof(fc.constant('1800000000'), fc.double(), leaf),
      type: fc.oneof(fc.constantFrom('text', 'interactive', 'image'), leaf),
      text: fc.record({ body: leaf }),
      status: fc.oneof(fc.constantFrom('sent', 'failed'), leaf),
      recipient_id: fc.oneof(fc.constant('491711234567'), leaf),
      biz_opaque_callback_data: leaf,
      errors: fc.array(fc.record({ code: leaf, title: leaf, error_data: fc.record({ details: leaf }) })),
    },
    { requiredKeys: [] },
  );
  const value = fc.record({
    metadata: fc.record({ phone_number_id: fc.oneof(fc.constant('11'), leaf) }),
    contacts: fc.oneof(
      fc.array(fc.oneof(fc.record({ wa_id: leaf, profile: fc.record({ name: leaf }) }), leaf)),
      leaf,
    ),
    messages: fc.array(message),
    message_echoes: fc.array(message),
    statuses: fc.array(message),
  });
  fc.assert(
    fc.property(fc.constantFrom('messages', 'smb_message_echoes'), value, (field, each) => {
      for (const event of read(changed(field, each)) ?? []) chatEvent.parse(event);
    }),
    { numRuns: 2_000 },
  );
});

describe('a signature', () => {
  const sign = (secret: string, body: string) =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  test('is that of exactly these bytes and this secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (body, secret, other) => {
        expect(isSignedBy(secret, Buffer.from(body), sign(secret, body))).toBe(true);
        if (other !== body) expect(isSignedBy(secret, Buffer.from(other), sign(secret, body))).toBe(false);
        if (other !== secret) expect(isSignedBy(secret, Buffer.from(body), sign(other, body))).toBe(false);
      }),
    );
  });

  test.each([
    '',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    `sha1=${'0'.repeat(40)}`,
    '0'.repeat(64),
    'sha256=é',
  ])('is not %j', (signature) => expect(isSignedBy('secret', Buffer.from('body'), signature)).toBe(false));

  test('has nothing before or after it', () => {
    const signature = sign('secret', 'body');
    for (const other of [`x${signature}`, `${signature}0`, `${signature}\n`])
      expect(isSignedBy('secret', Buffer.from('body'), other)).toBe(false);
  });
});
