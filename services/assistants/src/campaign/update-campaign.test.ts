import type { CampaignEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { type Campaign, type CampaignSettings, campaign } from './campaign.ts';
import type { CampaignReferences } from './campaign-lookups.ts';
import { showCampaign } from './item.ts';
import { revertCampaign } from './revert-campaign.ts';
import { type CampaignChange, type UpdateCampaign, updateCampaign } from './update-campaign.ts';

const now = new Date('2026-11-22T10:00:00.000Z');
const at = now.toISOString();
const created = golden<CampaignEvent>('CampaignCreated.v1');
const stopped = given(campaign, ...created);
const running = given(campaign, ...created, ...golden<CampaignEvent>('CampaignStarted.v1'));
const found: CampaignReferences = {
  assistant: { type: 'outbound', timezone: 'Europe/Paris' },
  template: 'ok',
};
const heldUp = { reason: 'busy', until: '2026-11-22T10:15:00.000Z' };
const update = (state: Campaign, change: CampaignChange, more: Partial<UpdateCampaign> = {}) =>
  updateCampaign(state, { change, found, now, leadsCount: 7, heldUp: null, correlationId: 'c', ...more });
const eventsOf = (...args: Parameters<typeof update>) => {
  const decision = update(...args);
  return 'events' in decision ? decision.events : decision;
};
const settings = (changed: Partial<CampaignSettings>) => [
  { type: 'CampaignSettingsChanged', data: { changed, at } },
];
/** A campaign of another channel. */
const other = (more: Partial<CampaignSettings>): Campaign =>
  stopped && { ...stopped, settings: { ...stopped.settings, assistant_id: null, ...more } };
const chat = other({ channel: 'chatapp', sender_id: 2, template_id: 3 });
const sms = other({ channel: 'sms', body: 'Hello' });

describe('a change of a campaign', () => {
  test('is of what was sent alone, and each goes back', () => {
    const windows = [{ days: [7], from: '10:00', to: '11:00' }];
    expect(update(stopped, { name: 'Summer', windows })).toMatchObject({
      events: [{ type: 'CampaignRenamed', data: { name: 'Summer', at } }, ...settings({ windows })],
      reply: {
        message: 'Campaign updated successfully',
        data: { id: 5, name: 'Summer', windows, assistant_id: 8, leads_count: 7, updated_at: at },
      },
    });
    const before = { windows: [] };
    expect(revertCampaign({ id: '5', before, after: { windows }, now: {} })).toMatchObject({
      operation: { name: 'update-campaign' },
      input: { id: '5', windows: [] },
    });
  });

  test('to what is there already is none', () => {
    const { name, channel, windows, retries, variable_mapping } = stopped?.settings ?? {};
    const all = {
      name,
      channel,
      windows,
      retries,
      variable_mapping,
      assistant_id: 8,
      body: 'of another channel',
    };
    for (const change of [{}, { name: undefined, windows: undefined }, all]) {
      const decision = update(running, change);
      expect(decision).toMatchObject({ events: [], reply: { data: { updated_at: running?.updatedAt } } });
      expect(decision).not.toHaveProperty('timers');
    }
  });

  test('by null restores the default', () => {
    expect(eventsOf(stopped, { timezone: null, windows: null, variable_mapping: null })).toEqual(
      settings({ variable_mapping: {}, timezone: 'Europe/Paris', windows: [] }),
    );
    const retries = { max_attempts: 1, delay_minutes: 5 };
    expect(eventsOf(other({ channel: 'sms', body: 'Hello', retries }), { retries: null })).toEqual(
      settings({ retries: { max_attempts: 3, delay_minutes: 60 } }),
    );
  });

  test('cannot take away what the channel needs, nor the channel', () => {
    const fieldsOf = (...args: Parameters<typeof update>) => {
      const decision = update(...args);
      return 'code' in decision ? Object.keys(decision.fields ?? {}) : decision;
    };
    expect(fieldsOf(stopped, { channel: 'sms', body: 'Hello' })).toEqual(['channel']);
    expect(fieldsOf(stopped, { assistant_id: null })).toEqual(['assistant_id']);
    expect(fieldsOf(chat, { sender_id: null, template_id: null })).toEqual(['sender_id', 'template_id']);
    expect(fieldsOf(sms, { body: ' ' })).toEqual(['body']);
    const absent: CampaignReferences = { assistant: undefined, template: 'template_not_approved' };
    expect(fieldsOf(stopped, { assistant_id: 9 }, { found: absent })).toEqual(['assistant_id']);
    expect(fieldsOf(chat, { template_id: 9 }, { found: absent })).toEqual(['template_id']);
  });

  test('is not refused for an assistant that was deleted since, unless it is about that', () => {
    const absent: CampaignReferences = { assistant: undefined, template: 'ok' };
    expect(eventsOf(stopped, { name: 'Summer' }, { found: absent })).toMatchObject([
      { type: 'CampaignRenamed' },
    ]);
  });

  test('has a running campaign look for its next lead at once, by the new settings', () => {
    const windows = [{ days: [7], from: '10:00', to: '11:00' }];
    expect(update(running, { windows })).toMatchObject({
      events: settings({ windows }),
      timers: [{ id: 'pace-campaign:5', due: { afterMs: 0 }, payload: { correlation_id: 'c' } }],
    });
    expect(update(running, { name: 'Summer' })).not.toHaveProperty('timers');
    expect(update(stopped, { windows })).not.toHaveProperty('timers');
  });

  test('starts one anew that is held up and reaches out otherwise from now on', () => {
    expect(update(running, { assistant_id: 9 }, { heldUp })).toMatchObject({
      events: [...settings({ assistant_id: 9 }), { type: 'CampaignStarted', data: { at } }],
      timers: [{ id: 'pace-campaign:5' }],
      reply: { data: { held_up: null } },
    });
    expect(update(running, { windows: [] }, { heldUp })).toMatchObject({
      events: settings({ windows: [] }),
      reply: { data: { held_up: heldUp } },
    });
  });

  test.each<[keyof CampaignChange, Campaign, CampaignChange]>([
    ['assistant_id', stopped, { assistant_id: 9 }],
    ['sender_id', chat, { sender_id: 9 }],
    ['template_id', chat, { template_id: 9 }],
    ['body', sms, { body: 'Good day' }],
    ['variable_mapping', sms, { variable_mapping: { name: 'first_name' } }],
  ])('of its %s is a start only where it runs and is held up', (_, one, change) => {
    const typesOf = (...args: Parameters<typeof update>) => {
      const decision = update(...args);
      return 'events' in decision ? decision.events.map(({ type }) => type) : decision;
    };
    const runs = one && { ...one, isRunning: true };
    expect(typesOf(runs, change, { heldUp })).toEqual(['CampaignSettingsChanged', 'CampaignStarted']);
    expect(typesOf(runs, change)).toEqual(['CampaignSettingsChanged']);
    // It may have been stopped since it was seen to be held up.
    expect(typesOf(one, change, { heldUp })).toEqual(['CampaignSettingsChanged']);
  });

  test('does not count as a start', () => {
    const changed = golden<CampaignEvent>(
      'CampaignStarted.v1',
      'CampaignRenamed.v1',
      'CampaignSettingsChanged.v1',
    );
    const after = given(campaign, ...created, ...changed);
    expect(after?.startedAt).toBe('2026-11-21T09:30:00.000Z');
    expect(showCampaign(after)).toMatchObject({
      name: 'Sommer "27" ☀',
      assistant_id: 9,
      variable_mapping: { vorname: 'name' },
      timezone: 'Europe/London',
      windows: [{ days: [6], from: '22:00', to: '02:00' }],
      retries: { max_attempts: 2, delay_minutes: 30 },
      status: 'running',
    });
  });

  test('is not found where there is no campaign', () => {
    expect(update(null, { name: 'Summer' })).toEqual({ code: 'not_found' });
    for (const event of golden<CampaignEvent>('CampaignRenamed.v1', 'CampaignSettingsChanged.v1'))
      expect(given(campaign, event)).toBeNull();
  });
});
