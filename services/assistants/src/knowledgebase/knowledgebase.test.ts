import type { KnowledgebaseEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { createKnowledgebase } from './create-knowledgebase.ts';
import { deleteKnowledgebase } from './delete-knowledgebase.ts';
import { knowledgebase } from './knowledgebase.ts';
import { updateKnowledgebase } from './update-knowledgebase.ts';

const now = new Date('2026-11-21T09:30:00.123Z');
const later = new Date('2026-11-21T09:31:00Z');
const prices = {
  type: 'KnowledgebaseCreated',
  data: { id: 4, name: 'Prices', description: 'All', updated_at: '2026-11-21T09:30:00.123000Z' },
} satisfies KnowledgebaseEvent;
const state = given(knowledgebase, prices);

test('a knowledgebase is created active, with microseconds', () => {
  expect(createKnowledgebase(null, { id: 4, name: 'Prices', description: 'All', now })).toEqual({
    events: [prices],
    reply: {
      message: 'Knowledgebase created successfully',
      data: {
        id: 4,
        name: 'Prices',
        description: 'All',
        status: 'active',
        status_label: 'Active',
        updated_at: '2026-11-21T09:30:00.123000Z',
      },
    },
  });
});

test('only what is sent is changed; null clears the description', () => {
  const updated_at = '2026-11-21T09:31:00.000000Z';
  expect(updateKnowledgebase(state, { name: 'Costs', now: later })).toMatchObject({
    events: [{ type: 'KnowledgebaseRenamed', data: { name: 'Costs', updated_at } }],
    reply: { data: { name: 'Costs', description: 'All', updated_at } },
  });
  expect(updateKnowledgebase(state, { description: null, now: later })).toMatchObject({
    events: [{ type: 'KnowledgebaseDescribed', data: { description: '', updated_at } }],
    reply: { data: { name: 'Prices', description: '' } },
  });
});

test('a change to what is there already is no event, and no update', () => {
  for (const change of [{}, { name: 'Prices' }, { name: 'Prices', description: 'All' }])
    expect(updateKnowledgebase(state, { ...change, now: later })).toMatchObject({
      events: [],
      reply: { data: { updated_at: prices.data.updated_at } },
    });
});

test('it is not found before creation and after deletion', () => {
  expect(deleteKnowledgebase(state)).toMatchObject({ events: [{ type: 'KnowledgebaseDeleted', data: {} }] });
  for (const gone of [null, given(knowledgebase, prices, { type: 'KnowledgebaseDeleted', data: {} })]) {
    expect(updateKnowledgebase(gone, { name: 'x', now })).toEqual({ code: 'not_found' });
    expect(deleteKnowledgebase(gone)).toEqual({ code: 'not_found' });
  }
});

test('histories written by every earlier version still fold to what they meant', () => {
  const history = golden<KnowledgebaseEvent>(
    'KnowledgebaseCreated.v1',
    'KnowledgebaseRenamed.v1',
    'KnowledgebaseDescribed.v1',
  );
  expect(given(knowledgebase, ...history)).toEqual({
    id: 4,
    name: 'Prices',
    description: 'What it costs.\n\\ 1,50 €',
    updated_at: '2026-11-21T09:32:00.999000Z',
  });
  expect(
    given(knowledgebase, ...history, ...golden<KnowledgebaseEvent>('KnowledgebaseDeleted.v1')),
  ).toBeNull();
});

test('an id is given out once, and a knowledgebase that nobody describes has no description', () => {
  expect(() => createKnowledgebase(state, { id: 4, name: 'Prices', now })).toThrow('twice');
  expect(createKnowledgebase(null, { id: 4, name: 'Prices', now }).reply.data).toMatchObject({
    description: '',
  });
});
