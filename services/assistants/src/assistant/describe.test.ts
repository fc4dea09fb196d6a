import type { AssistantEvent } from '@parley/contracts';
import { recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { describeAssistantEvent } from './describe.ts';

test.each<[AssistantEvent, string]>([
  [{ type: 'AssistantRenamed', data: { name: 'Bo' } }, 'Renamed to "Bo".'],
  [
    { type: 'AssistantSettingsChanged', data: { changed: { timezone: 'UTC', voice_id: 3 } } },
    'Changed: timezone, voice_id.',
  ],
  [{ type: 'AssistantMovedToFolder', data: { folder_id: 7 } }, 'Put into folder 7.'],
  [{ type: 'AssistantMovedToFolder', data: { folder_id: null } }, 'Taken out of its folder.'],
  [{ type: 'AssistantLabelled', data: { label_ids: [2, 1] } }, 'Labelled with 2, 1.'],
  [{ type: 'AssistantLabelled', data: { label_ids: [] } }, 'Lost its labels.'],
  [{ type: 'AssistantKnowledgebaseChanged', data: { knowledgebase_id: 4 } }, 'Uses knowledgebase 4.'],
  [
    { type: 'AssistantKnowledgebaseChanged', data: { knowledgebase_id: null } },
    'Goes on without a knowledgebase.',
  ],
  [{ type: 'AssistantNumberChanged', data: { phone_number_id: 9 } }, 'Got phone number 9.'],
  [{ type: 'AssistantNumberChanged', data: { phone_number_id: null } }, 'Goes on without a phone number.'],
  [
    { type: 'WebhookDisabled', data: { webhook_url: null, reason: 'released' } },
    'The webhook after calls was turned off, because it went to an automation that hears of these calls no more.',
  ],
  [
    { type: 'WebhookDisabled', data: { webhook_url: null, reason: null } },
    'The webhook after calls was turned off.',
  ],
  [
    { type: 'InboundWebhookDisabled', data: { reason: 'gone' } },
    'The webhook for inbound calls was turned off and its URL forgotten, because its endpoint said that it is gone.',
  ],
])('$type is told to people in a line', (event, line) =>
  expect(describeAssistantEvent(recorded(event))).toBe(line),
);

test('what has no line of its own is told by its summary in the catalogue, or else by its type', () => {
  expect(describeAssistantEvent(recorded({ type: 'AssistantActivated', data: {} }))).toMatch(/ /);
  expect(describeAssistantEvent(recorded({ type: 'WrittenByALaterRelease', data: {} }))).toBe(
    'WrittenByALaterRelease',
  );
});
