import { type Campaign, living } from './campaign.ts';

/** What the view knows of a campaign that its own stream does not tell. */
export interface CampaignStanding {
  readonly leadsCount: number;
  /** Why a running campaign waits though it has leads, and until when. */
  readonly heldUp: { readonly reason: string; readonly until: string } | null;
}

/** A campaign as the API shows it; `itemWith` has the same fields in the same order. */
export const toItem = (
  { settings, isRunning, createdAt, updatedAt }: NonNullable<Campaign>,
  { leadsCount, heldUp }: CampaignStanding,
) => ({
  id: settings.id,
  name: settings.name,
  channel: settings.channel,
  status: isRunning ? 'running' : 'stopped',
  assistant_id: settings.assistant_id,
  sender_id: settings.sender_id,
  template_id: settings.template_id,
  body: settings.body,
  variable_mapping: settings.variable_mapping,
  timezone: settings.timezone,
  windows: settings.windows,
  retries: settings.retries,
  held_up: heldUp,
  leads_count: leadsCount,
  created_at: createdAt,
  updated_at: updatedAt,
});

/** A campaign as operators see it, without its number of leads, which is counted elsewhere. */
export function showCampaign(state: Campaign) {
  const present = living(state);
  if (!present) return null;
  const { leads_count: _, held_up: __, ...shown } = toItem(present, { leadsCount: 0, heldUp: null });
  return shown;
}

/**
 * SQL expression for the JSON of `toItem`, over the columns of a campaign's row: `*_json`, `variable_mapping`,
 * `windows` and `retries` are JSON already; statuses, channels and times need no escaping.
 */
export const itemWith = (heldUpJson: string): string => `
  '{"id":' || id::text || ',"name":' || name_json || ',"channel":"' || channel || '","status":"' || status
    || '","assistant_id":' || coalesce(assistant_id::text, 'null')
    || ',"sender_id":' || coalesce(sender_id::text, 'null')
    || ',"template_id":' || coalesce(template_id::text, 'null')
    || ',"body":' || body_json || ',"variable_mapping":' || variable_mapping::text
    || ',"timezone":' || timezone_json || ',"windows":' || windows::text || ',"retries":' || retries::text
    || ',"held_up":' || ${heldUpJson} || ',"leads_count":' || leads_count::text
    || ',"created_at":"' || created_at || '","updated_at":"' || updated_at || '"}'`;
