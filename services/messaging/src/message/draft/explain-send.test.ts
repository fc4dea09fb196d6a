import { explainSend } from '@parley/contracts';
import { unfillable } from '@parley/providers';
import { recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { type TemplateContent, toContentData } from '../../template/template.ts';
import { draftTemplate } from './draft-template.ts';
import { type ConsideredSend, explainTemplateSend, type Finding } from './explain-send.ts';
import { priceConfig } from './prices.ts';
import { sender, template } from './send.fixture.ts';

const fine: Finding = { refusal: null, details: null, event: null, flipsAt: null };
const now = Date.parse('2026-11-21T10:00:00.000Z');
const considered: ConsideredSend = {
  senderId: 2,
  templateId: 8,
  sender,
  template,
  recipientPhone: '+491701234567',
  variables: { 1: 'Ada' },
  now,
  recorded: [],
  rateLimit: fine,
  messagingLimit: fine,
  balance: fine,
};
const explain = (about: Partial<ConsideredSend> = {}) =>
  explainSend.success.schema.parse(explainTemplateSend({ ...considered, ...about }));
const verdicts = (about: Partial<ConsideredSend>) =>
  Object.fromEntries(explain(about).rules.map(({ rule, verdict }) => [rule, verdict]));

describe('the report of a send', () => {
  test('has every rule in the decided order', () => {
    const report = explain();
    expect(report).toMatchObject({ can_send: true, at: '2026-11-21T10:00:00+00:00' });
    expect(report.rules.map(({ rule, verdict }) => [rule, verdict])).toEqual([
      ['rate_limit', 'passed'],
      ['sender', 'passed'],
      ['sender_online', 'passed'],
      ['template', 'passed'],
      ['template_approved', 'passed'],
      ['phone', 'passed'],
      ['variables', 'passed'],
      ['messaging_limit', 'passed'],
      ['balance', 'passed'],
    ]);
  });

  const offline = { ...sender, status: 'offline' } as const;
  test.each<[string, Partial<ConsideredSend>]>([
    ['an unknown sender', { sender: undefined }],
    ['an offline sender', { sender: offline }],
    ['an unknown template', { template: undefined }],
    ['a voice call request', { template: { ...template, kind: 'voice_call_request' } }],
    [
      'a template that wants more than text',
      { template: { ...template, placeholders: [unfillable('carousel')] }, variables: { 1: 'a' } },
    ],
    ['a pending template', { template: { ...template, status: 'pending' } }],
    ['no phone number', { recipientPhone: '123' }],
    ['missing variables', { variables: {} }],
    ['everything at once', { sender: offline, template: undefined, recipientPhone: '', variables: {} }],
  ])('tells of %s first what the send tells', (_, about) => {
    const send = { accountId: 1, recipientName: null, ...considered, ...about };
    const refusal = draftTemplate(send, priceConfig.parse({}));
    if (!('code' in refusal)) throw new Error('The send was not refused.');
    const { rules, can_send } = explain(about);
    const failed = rules.find(({ verdict }) => verdict === 'failed');
    expect(can_send).toBe(false);
    expect(failed?.error_code).toBe(refusal.code.toUpperCase());
    if (refusal.message !== undefined) expect(failed?.explanation).toBe(refusal.message);
  });

  test('leaves open what rests on a template that was not found', () =>
    expect(verdicts({ template: undefined, balance: { ...fine, refusal: undefined } })).toMatchObject({
      template: 'failed',
      template_approved: 'not_judged',
      phone: 'passed',
      variables: 'not_judged',
      balance: 'not_judged',
    }));

  test('shows the newest event of each rule', () => {
    const types = ['SenderConnected', 'SenderStatusChanged', 'SenderRenamed', 'TemplateAdded'];
    const events = types.map((type) => recorded({ type, data: {} }));
    const shown = explain({ recorded: events }).rules.map(({ rule, event }) => [rule, event?.type]);
    expect(Object.fromEntries(shown)).toMatchObject({
      sender: 'SenderConnected',
      sender_online: 'SenderStatusChanged',
      template: 'TemplateAdded',
      variables: 'TemplateAdded',
      phone: undefined,
    });
  });

  test.each([
    ['SenderConnected', ['sender', 'sender_online']],
    ['SenderStatusChanged', ['sender_online']],
    ['TemplateAdded', ['template', 'template_approved', 'variables']],
    ['TemplateRemoved', ['template']],
    ['TemplateStatusChanged', ['template_approved']],
    ['TemplateContentChanged', ['template', 'template_approved', 'variables']],
    ['SenderRenamed', []],
  ])('takes %s for what is behind %j', (type, rules) => {
    const shown = explain({ recorded: [recorded({ type, data: {} })] }).rules;
    expect(shown.filter(({ event }) => event !== null).map(({ rule }) => rule)).toEqual(rules);
  });

  const added = { ...toContentData(template), template_id: 8, sender_id: 2, status: 'pending' };
  test.each<[string, Partial<TemplateContent>, Readonly<Record<string, string>>]>([
    ['the text', { bodyText: 'Hi {{1}}', category: 'marketing' }, {}],
    ['what it asks', { kind: 'voice_call_request' }, { template: 'TemplateContentChanged' }],
    ['a gap', { placeholders: [{ key: '1', name: 'name' }] }, { variables: 'TemplateContentChanged' }],
    [
      'what no text fills',
      { placeholders: [unfillable('carousel')] },
      { template_approved: 'TemplateContentChanged', variables: 'TemplateContentChanged' },
    ],
  ])('has a change of content behind the rules that look at it: %s', (_, change, behind) => {
    const events = [
      { type: 'TemplateAdded', data: added },
      { type: 'TemplateStatusChanged', data: { status: 'approved' } },
      { type: 'TemplateContentChanged', data: toContentData({ ...template, ...change }) },
    ];
    const { rules } = explain({ recorded: events.map((event) => recorded(event)) });
    expect(Object.fromEntries(rules.map(({ rule, event }) => [rule, event?.type]))).toMatchObject({
      template: 'TemplateAdded',
      template_approved: 'TemplateStatusChanged',
      variables: 'TemplateAdded',
      ...behind,
    });
  });

  test('says of each rule that passed why it did', () => {
    const { rules } = explain();
    expect(Object.fromEntries(rules.map(({ rule, explanation }) => [rule, explanation]))).toEqual({
      rate_limit: 'The account may send now.',
      sender: 'The sender is one of the account.',
      sender_online: 'The sender is online.',
      template: 'The template is a message of the sender.',
      template_approved: 'The template is approved.',
      phone: 'The phone number is a valid one in E.164 format.',
      variables: 'Every variable of the template has a value that can be sent.',
      messaging_limit: 'The sender has room for the recipient among its unique recipients of 24 hours.',
      balance: 'The balance covers the price.',
    });
  });

  test('rounds up when a verdict flips, so that nobody comes back too early', () => {
    const rateLimit: Finding = { ...fine, refusal: { code: 'too_many_attempts' }, flipsAt: now + 400 };
    expect(explain({ rateLimit }).rules[0]).toMatchObject({
      verdict: 'failed',
      error_code: null,
      flips_at: '2026-11-21T10:00:01+00:00',
    });
  });
});
