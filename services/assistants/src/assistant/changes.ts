import { isDeepStrictEqual } from 'node:util';
import type { AssistantEvent, AssistantSettings } from '@parley/contracts';
import type { LiveAssistant } from './assistant.ts';

/**
 * The events that lead from the present settings to the new ones and the new status; none when they are equal. A change
 * that has an event of its own gets that, all others share one.
 */
export function eventsBetween(
  before: LiveAssistant,
  after: AssistantSettings,
  status: LiveAssistant['status'],
): AssistantEvent[] {
  return [
    ...renaming(before, after),
    ...otherSettings(before, after),
    ...placing(before, after),
    ...webhooks(before, after),
    ...switching(before.status, status),
  ];
}

function renaming(before: AssistantSettings, { name }: AssistantSettings): AssistantEvent[] {
  return name === before.name ? [] : [{ type: 'AssistantRenamed', data: { name } }];
}

/** The settings that have events of their own. */
const named = new Set<string>([
  'name',
  'folder_id',
  'label_ids',
  'knowledgebase_id',
  'phone_number_id',
  'is_webhook_active',
  'webhook_url',
  'inbound_webhook_url',
] satisfies (keyof AssistantSettings)[]);

function otherSettings(before: AssistantSettings, after: AssistantSettings): AssistantEvent[] {
  const differing = Object.entries(after).filter(
    ([key, value]) => !named.has(key) && !isDeepStrictEqual(value, Reflect.get(before, key)),
  );
  const changed: Partial<AssistantSettings> = Object.fromEntries(differing);
  // A URL kept for later, while the webhook is off, is a setting like any other.
  const { webhook_url } = after;
  const isKeptUrl = !before.is_webhook_active && !after.is_webhook_active;
  const all = isKeptUrl && webhook_url !== before.webhook_url ? { ...changed, webhook_url } : changed;
  return Object.keys(all).length === 0 ? [] : [{ type: 'AssistantSettingsChanged', data: { changed: all } }];
}

function placing(before: AssistantSettings, after: AssistantSettings): AssistantEvent[] {
  const { folder_id, label_ids, knowledgebase_id, phone_number_id } = after;
  const events: AssistantEvent[] = [];
  if (folder_id !== before.folder_id) events.push({ type: 'AssistantMovedToFolder', data: { folder_id } });
  if (!isDeepStrictEqual(label_ids, before.label_ids))
    events.push({ type: 'AssistantLabelled', data: { label_ids } });
  if (knowledgebase_id !== before.knowledgebase_id)
    events.push({ type: 'AssistantKnowledgebaseChanged', data: { knowledgebase_id } });
  if (phone_number_id !== before.phone_number_id)
    events.push({ type: 'AssistantNumberChanged', data: { phone_number_id } });
  return events;
}

function webhooks(before: AssistantSettings, after: AssistantSettings): AssistantEvent[] {
  const events: AssistantEvent[] = [];
  const { is_webhook_active, webhook_url, inbound_webhook_url } = after;
  const isChanged = is_webhook_active !== before.is_webhook_active || webhook_url !== before.webhook_url;
  if (is_webhook_active && webhook_url !== null && isChanged)
    events.push({ type: 'WebhookEnabled', data: { webhook_url } });
  if (!is_webhook_active && before.is_webhook_active)
    events.push({ type: 'WebhookDisabled', data: { webhook_url, reason: 'request' } });
  if (inbound_webhook_url !== before.inbound_webhook_url)
    events.push(
      inbound_webhook_url === null
        ? { type: 'InboundWebhookDisabled', data: { reason: 'request' } }
        : { type: 'InboundWebhookEnabled', data: { inbound_webhook_url } },
    );
  return events;
}

function switching(before: LiveAssistant['status'], after: LiveAssistant['status']): AssistantEvent[] {
  if (after === before) return [];
  return [{ type: after === 'active' ? 'AssistantActivated' : 'AssistantDeactivated', data: {} }];
}
