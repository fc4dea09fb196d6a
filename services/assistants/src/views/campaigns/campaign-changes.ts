import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { ProjectionDb } from '@parley/processing';
import type { CampaignSettings } from '../../campaign/campaign.ts';
import type { RecordedOutreachEvent } from '../../outreach/pacing/held-up.ts';

/** What a batch of events comes to for one campaign. A field that is absent is left as it is. */
interface Change extends Partial<CampaignSettings> {
  readonly status?: 'running' | 'stopped';
  readonly at: string;
}

function changeOf(event: CampaignEvent | LeadEvent): Change | undefined {
  switch (event.type) {
    case 'CampaignRenamed':
      return event.data;
    case 'CampaignSettingsChanged':
      return { ...(event.data.changed as Partial<CampaignSettings>), at: event.data.at };
    case 'CampaignStarted':
      return { status: 'running', at: event.data.at };
    case 'CampaignStopped':
      return { status: 'stopped', at: event.data.at };
    default:
      return undefined;
  }
}

const idOf = ({ streamId }: RecordedEvent): number => Number(streamId.slice('campaign-'.length));

/** Ids of the campaigns that a batch of events deletes. */
export const deletedCampaigns = (events: readonly RecordedEvent[]): number[] =>
  events.filter(({ type }) => type === 'CampaignDeleted').map(idOf);

/** Brings the rows of campaigns that were changed, started or stopped up to date. */
export function noteChanges(db: ProjectionDb, events: readonly RecordedOutreachEvent[]): void {
  const newest = new Map<number, Change>();
  for (const event of events) {
    const change = changeOf(event);
    if (!change) continue;
    const id = idOf(event);
    newest.set(id, { ...newest.get(id), ...change });
  }
  if (newest.size === 0) return;
  const column = <T>(of: (change: Change) => T): T[] => [...newest.values()].map(of);
  const json = (field: keyof Change) =>
    column((change) => (field in change ? JSON.stringify(change[field]) : null));
  // Nothing that a channel needs ever becomes null.
  db.query({
    name: 'note-changes',
    text: `update ${db.schema}.items i set
             status = coalesce(c.status, i.status),
             name_json = coalesce(c.name_json, i.name_json),
             assistant_id = coalesce(c.assistant_id, i.assistant_id),
             sender_id = coalesce(c.sender_id, i.sender_id),
             template_id = coalesce(c.template_id, i.template_id),
             body_json = coalesce(c.body_json, i.body_json),
             variable_mapping = coalesce(c.variable_mapping, i.variable_mapping),
             timezone_json = coalesce(c.timezone_json, i.timezone_json),
             windows = coalesce(c.windows, i.windows),
             retries = coalesce(c.retries, i.retries),
             updated_at = c.at
           from unnest(
             $1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[], $7::text[], $8::jsonb[],
             $9::text[], $10::jsonb[], $11::jsonb[], $12::text[]
           ) c (
             id, status, name_json, assistant_id, sender_id, template_id, body_json, variable_mapping,
             timezone_json, windows, retries, at
           ) where i.id = c.id`,
    values: [
      [...newest.keys()],
      column(({ status }) => status ?? null),
      json('name'),
      column(({ assistant_id }) => assistant_id ?? null),
      column(({ sender_id }) => sender_id ?? null),
      column(({ template_id }) => template_id ?? null),
      json('body'),
      json('variable_mapping'),
      json('timezone'),
      json('windows'),
      json('retries'),
      column(({ at }) => at),
    ],
  });
}
