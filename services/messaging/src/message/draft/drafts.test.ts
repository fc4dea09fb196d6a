import { unfillable } from '@parley/providers';
import { describe, expect, test } from 'vitest';
import type { Draft } from './draft.ts';
import { draftFreeform } from './draft-freeform.ts';
import { draftTemplate, type TemplateRequest } from './draft-template.ts';
import { priceConfig } from './prices.ts';
import { sender, template } from './send.fixture.ts';

const prices = priceConfig.parse({});
const request: TemplateRequest = {
  accountId: 1,
  sender,
  template,
  recipientPhone: '+491701234567',
  recipientName: 'Ada',
  variables: { 1: 'Ada' },
};
const offline = { ...sender, status: 'offline' } as const;

describe('a template send', () => {
  test('that passes every check is drafted with its price', () =>
    expect(draftTemplate(request, prices)).toMatchObject({
      body: 'Hello Ada',
      priceMicros: 50_000,
      sender: { id: 2, ref: { phoneNumberId: '100', accountId: '200' }, messagingLimit: 1_000 },
      content: { type: 'template', parameters: [{ key: '1', value: 'Ada' }] },
    }));

  test('to an empty name is one to nobody by name', () =>
    expect(draftTemplate({ ...request, recipientName: '' }, prices)).toMatchObject({ contactName: null }));

  test('names whom it is for on the ledger in full, however long the name of its template is', () => {
    const named = { ...request, template: { ...template, name: 'reminder_'.repeat(56) } };
    const { description } = draftTemplate(named, prices) as Draft;
    expect(description.endsWith(' to +491701234567')).toBe(true);
    expect(description.length).toBeLessThanOrEqual(255);
  });

  // Each one has all the faults of those that follow: the first in the decided order is told.
  const faulty: TemplateRequest = { ...request, recipientPhone: '123', variables: {} };
  test.each<[string, TemplateRequest]>([
    ['sender_not_found', { ...faulty, sender: undefined, template: undefined }],
    ['sender_offline', { ...faulty, sender: offline, template: undefined }],
    ['template_not_found', { ...faulty, template: undefined }],
    ['template_not_approved', { ...faulty, template: { ...template, status: 'pending' } }],
    ['invalid_phone', faulty],
    ['variables_missing', { ...faulty, recipientPhone: '+491701234567' }],
  ])('is refused with %s', (code, refused) => expect(draftTemplate(refused, prices)).toMatchObject({ code }));

  test("says a template's status", () =>
    expect(
      draftTemplate({ ...request, template: { ...template, status: 'rejected' } }, prices),
    ).toMatchObject({
      message: 'The template is not approved; its status is rejected.',
    }));
});

test('a template that wants more than text is refused before anything is done, approved or not', () => {
  const carousel = { ...template, placeholders: [...template.placeholders, unfillable('carousel')] };
  expect(draftTemplate({ ...request, template: carousel }, prices)).toMatchObject({
    code: 'template_not_approved',
    message: "The template's status is approved, but it cannot be sent from here: it wants carousel.",
  });
});

test('a gap of header or button wants a value like those of the body, by its name or its place', () => {
  const placeholders = [...template.placeholders, { key: 'url:0', name: 'button_1' }];
  const linked = { ...request, template: { ...template, placeholders } };
  expect(draftTemplate(linked, prices)).toMatchObject({
    code: 'variables_missing',
    details: { missing: ['button_1'] },
  });
  for (const variables of [
    { 1: 'Ada', button_1: 'a/7' },
    { 1: 'Ada', 2: 'a/7' },
  ])
    expect(draftTemplate({ ...linked, variables }, prices)).toMatchObject({
      body: 'Hello Ada',
      content: { category: 'utility', parameters: [{ key: '1' }, { key: 'url:0', value: 'a/7' }] },
    });
});

describe('a freeform send', () => {
  const freeform = {
    isKnown: false,
    accountId: 1,
    sender,
    recipientPhone: '+491701234567',
    text: 'Hi',
    isFreeformOpen: true,
  };

  test('inside the window is drafted', () =>
    expect(draftFreeform(freeform, prices)).toMatchObject({
      kind: 'freeform',
      author: 'person',
      body: 'Hi',
    }));

  test('goes to whom the account has a conversation with, also without a number', () => {
    const hidden = { ...freeform, recipientPhone: 'US.13491208655302741918' };
    expect(draftFreeform({ ...hidden, isKnown: true }, prices)).toMatchObject({ kind: 'freeform' });
    expect(draftFreeform(hidden, prices)).toMatchObject({ code: 'invalid_phone' });
  });

  test.each([
    ['sender_not_found', { ...freeform, sender: undefined }],
    ['sender_offline', { ...freeform, sender: offline }],
    ['invalid_phone', { ...freeform, recipientPhone: 'x', isFreeformOpen: false }],
    ['session_expired', { ...freeform, isFreeformOpen: false }],
  ])('is refused with %s', (code, refused) => expect(draftFreeform(refused, prices)).toMatchObject({ code }));
});
