import type { TemplateEvent } from '@parley/contracts';
import type { ChatTemplate } from '@parley/providers';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { addTemplate, observeTemplate, removeTemplate } from './observe-template.ts';
import { type Template, template } from './template.ts';

const observed: ChatTemplate = {
  platformId: '77',
  name: 'order',
  language: 'en',
  category: 'utility',
  status: 'pending',
  kind: 'message',
  bodyText: 'Hi {{1}}',
  format: 'positional',
  placeholders: [{ key: '1', name: 'first_name' }],
};
const adding = addTemplate(null, { id: 31, senderId: 12, observed });
const known = given(template, ...adding.events);

const eventsOf = (outcome: ReturnType<typeof observeTemplate>): readonly TemplateEvent[] =>
  'events' in outcome ? outcome.events : [];
const after = (state: Template, outcome: ReturnType<typeof observeTemplate>) =>
  eventsOf(outcome).reduce(template.evolve, state);

test('a template that was found is as the platform has it, once for each sender', () => {
  expect(known).toEqual({ id: 31, senderId: 12, ...observed });
  expect(adding.claims).toEqual([{ op: 'take', scope: 'template:12', key: '77', owner: 'template-31' }]);
  expect(adding.onClaimTaken?.({ kind: 'claim-taken', scope: '', key: '', owner: '' })).toMatchObject({
    code: 'contended',
  });
});

describe('what the platform says about a template', () => {
  test('may be another status', () => {
    expect(eventsOf(observeTemplate(known, { ...observed, status: 'approved' }))).toEqual([
      { type: 'TemplateStatusChanged', data: { status: 'approved' } },
    ]);
  });

  test.each<Partial<ChatTemplate>>([
    { category: 'marketing' },
    { kind: 'voice_call_request' },
    { bodyText: 'Hello {{1}}' },
    { format: 'named', placeholders: [{ key: 'name', name: 'name' }] },
    { placeholders: [{ key: '1', name: 'name' }] },
  ])('may be another content: %j', (change) => {
    const now = { ...observed, ...change };
    const outcome = observeTemplate(known, now);
    expect(eventsOf(outcome).map(({ type }) => type)).toEqual(['TemplateContentChanged']);
    expect(after(known, outcome)).toEqual({ ...known, ...change });
    expect(eventsOf(observeTemplate(after(known, outcome), now))).toEqual([]);
  });

  test('may be nothing new', () => {
    expect(observeTemplate(known, observed)).toMatchObject({ events: [] });
  });
});

test('a template that is gone frees its place, and is gone once', () => {
  const removal = removeTemplate(known);
  expect(removal).toMatchObject({
    events: [{ type: 'TemplateRemoved', data: {} }],
    claims: [{ op: 'release', scope: 'template:12', key: '77', owner: 'template-31' }],
  });
  expect(after(known, removal)).toBeNull();
  for (const again of [removeTemplate(null), observeTemplate(null, observed)])
    expect(again).toEqual({ code: 'not_found' });
});

test('events as they were once written still make a template', () => {
  const added = given(template, ...golden<TemplateEvent>('TemplateAdded.v1'));
  expect(added).toEqual({
    id: 31,
    senderId: 12,
    platformId: '1627019861106475',
    name: 'order_update',
    language: 'pt_BR',
    status: 'pending',
    category: 'utility',
    kind: 'message',
    bodyText: 'Olá {{1}}, o pedido {{2}} saiu.',
    format: 'positional',
    placeholders: [
      { key: '1', name: 'first_name' },
      { key: '2', name: 'order_number' },
    ],
  });
  const changed = golden<TemplateEvent>('TemplateStatusChanged.v1', 'TemplateContentChanged.v1');
  expect(changed.reduce(template.evolve, added)).toEqual({
    ...added,
    status: 'approved',
    category: 'marketing',
    kind: 'voice_call_request',
    bodyText: 'May we call you, {{1}}?',
    format: 'named',
    placeholders: [{ key: 'first_name', name: 'first_name' }],
  });
  expect(golden<TemplateEvent>('TemplateRemoved.v1').reduce(template.evolve, added)).toBeNull();
});

test('an id is given out once, and what is not known is neither changed nor removed', () => {
  expect(() => addTemplate(known, { id: 31, senderId: 12, observed })).toThrow('twice');
  expect(observeTemplate(null, observed)).toEqual({ code: 'not_found' });
  expect(removeTemplate(null)).toEqual({ code: 'not_found' });
});
