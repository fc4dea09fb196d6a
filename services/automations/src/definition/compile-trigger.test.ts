import { automationDefinition } from '@parley/contracts';
import { expect, test } from 'vitest';
import { compileDefinition } from './compile-definition.ts';
import { actions } from './definition.fixture.ts';

/** Whether a trigger with this filter starts a run for a message of this kind. */
const starts = (
  filter: object | undefined,
  kind: string,
  { type = 'conversation.message_received', text = '👍' as string | null } = {},
) => {
  const steps = [{ id: 'note', type: 'data.map', input: {} }];
  const vars = { message: { type: 'text' } };
  const definition = automationDefinition.parse({
    trigger: { type, ...(filter && { filter }) },
    vars,
    steps,
  });
  const { trigger } = compileDefinition(definition, { automationId: 7, version: 3, actions }).compiled;
  const message = { id: 1, type: kind, text };
  return trigger.matches({ message, customer_phone: '+491511234567' }, '2026-11-21T10:00:00Z');
};

const fromGermany = { op: 'starts_with', left: '{{trigger.customer_phone}}', right: '+49' };
const kindIs = (right: string, left = '{{trigger.message.type}}') => ({ op: 'eq', left, right });

test.each(['reaction', 'revoke', 'pin', 'keep_in_chat'])('a %s starts no run: nobody has written', (kind) => {
  expect(starts(undefined, kind)).toBe(false);
  expect(starts(fromGermany, kind)).toBe(false);
  expect(starts({ op: 'eq', left: '{{trigger.message.text}}', right: '👍' }, kind)).toBe(false);
  expect(starts(kindIs('text', '{{vars.message.type}}'), kind)).toBe(false);
});

test('a reaction starts a run where the filter asks what a message is', () => {
  expect(starts(kindIs('reaction'), 'reaction')).toBe(true);
  expect(starts({ all: [fromGermany, kindIs('reaction', "{{trigger['message'].type}}")] }, 'reaction')).toBe(
    true,
  );
  expect(starts({ not: kindIs('image') }, 'revoke')).toBe(true);
  expect(starts(kindIs('text'), 'reaction')).toBe(false);
});

test('a correction starts a run with its words, and without them where the filter asks what a message is', () => {
  expect(starts(undefined, 'edit')).toBe(true);
  expect(starts(undefined, 'edit', { text: null })).toBe(false);
  expect(starts(kindIs('edit'), 'edit', { text: null })).toBe(true);
  expect(starts(undefined, 'audio', { text: null })).toBe(true);
});

test.each(['text', 'image', 'poll_update', 'unsupported'])(
  'a message of the kind %s starts a run',
  (kind) => {
    expect(starts(undefined, kind)).toBe(true);
    expect(starts(fromGermany, kind)).toBe(true);
  },
);

test('what another trigger tells is not looked at as a message', () =>
  expect(starts(undefined, 'reaction', { type: 'webhook.inbound' })).toBe(true));
