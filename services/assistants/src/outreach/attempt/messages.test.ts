import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaign } from '../../campaign/campaign.ts';
import { lead } from '../../lead/lead.ts';
import { outreachOf } from './messages.ts';
import { maxRequestLength, requestJson } from './request-json.ts';

const created = given(lead, ...golden<LeadEvent>('LeadCreated.v1'));
const known = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'));
if (!created || !known) throw new Error('There is nobody to reach.');
const person = { ...created, variables: { name: 'Ada', note: 'x'.repeat(1_025), age: 36, gone: null } };
const settings = { ...known.settings, variable_mapping: {} };
const now = new Date('2026-11-20T10:00:00Z');

test('an SMS has its variables filled in, and is empty where a campaign has no text', () => {
  const body = 'Hello {{ name }}, {{age}}{{unknown}}! {{phone_number}}';
  expect(outreachOf.sms.input(person, null, { ...settings, body }, now)).toMatchObject({
    lead_id: 12,
    phone_number: person.phoneNumber,
    body: `Hello Ada, 36! ${person.phoneNumber}`,
  });
  expect(outreachOf.sms.input(person, null, { ...settings, body: null }, now)).toMatchObject({ body: '' });
});

test('an SMS is not to be sent any more when the window has closed', () => {
  const office = { timezone: 'Europe/Berlin', windows: [{ days: [5], from: '09:00', to: '17:30' }] };
  const inHours = (hours: Partial<typeof settings>) =>
    outreachOf.sms.input(person, null, { ...settings, ...hours }, now);
  expect(inHours(office)).toMatchObject({ not_after: '2026-11-20T16:30:00.000Z' });
  expect(inHours({ windows: [] })).toMatchObject({ not_after: null });
});

test('a template gets values as texts, and none that it could not take', () => {
  const template = { ...settings, sender_id: 2, template_id: 3 };
  expect(outreachOf.chatapp.input(person, null, template, now)).toEqual({
    sender_id: 2,
    template_id: 3,
    recipient_phone: person.phoneNumber,
    variables: { phone_number: person.phoneNumber, name: 'Ada', age: '36' },
  });
});

test('what a lead has under a number is no position of a template whose gaps the campaign maps by name', () => {
  const lead = { ...person, variables: { 1: 'column', 2: 'other', city: 'Paris' } };
  const template = (variable_mapping: Record<string, string>) =>
    outreachOf.chatapp.input(
      lead,
      null,
      { ...settings, sender_id: 2, template_id: 3, variable_mapping },
      now,
    );
  expect(template({ place: 'city', 2: '2' })).toHaveProperty('variables', {
    phone_number: person.phoneNumber,
    place: 'Paris',
    city: 'Paris',
    2: 'other',
  });
  expect(template({ 1: 'city' })).toMatchObject({ variables: { 1: 'Paris', 2: 'other' } });
});

test('the values of a template are counted as the template counts them', () => {
  const note = '😀'.repeat(600);
  const template = { ...settings, sender_id: 2, template_id: 3 };
  const input = outreachOf.chatapp.input({ ...person, variables: { note } }, null, template, now);
  expect(input).toMatchObject({ variables: { note } });
});

test('a call is told its assistant', () => {
  const call = { ...settings, assistant_id: 8 };
  expect(outreachOf.call.input(person, null, call, now)).toMatchObject({ assistant_id: 8, campaign_id: 5 });
});

test('no text is much longer than can be sent, however often a large variable stands in it', () => {
  const large = { ...person, variables: { note: 'x'.repeat(240_000) } };
  const input = outreachOf.sms.input(large, null, { ...settings, body: '{{note}}'.repeat(200) }, now);
  expect(input).toMatchObject({ body: 'x'.repeat(5 * 240_000) });
});

test('variables are counted under each of their names before they are written', () => {
  const note = ['x'.repeat(240_000)];
  expect(requestJson({ variables: { a: note, b: note, c: note, d: note } })).toHaveLength(960_051);
  expect(requestJson({ variables: { a: note, b: note, c: note, d: note, e: note } })).toBeUndefined();
  // A name of one character, and two quotation marks.
  const longest = maxRequestLength - 3;
  expect(requestJson({ variables: { a: 'x'.repeat(longest) } })).toContain('xxx');
  expect(requestJson({ variables: { a: 'x'.repeat(longest + 1) } })).toBeUndefined();
});
