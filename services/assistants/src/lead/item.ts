import type { Lead, LiveLead } from './lead.ts';

/** A time (ISO 8601 in UTC) as the API shows it: `YYYY-MM-DD HH:MM:SS` in UTC (decisions, section 1). */
export const timestamp = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

/** A lead as the API shows it; `itemBefore` and `itemAfter` have the same fields. */
export const toItem = (lead: LiveLead, campaign: { readonly id: number; readonly name: string }) => ({
  id: lead.id,
  campaign_id: lead.campaignId,
  phone_number: lead.phoneNumber,
  variables: lead.variables,
  status: lead.status,
  created_at: timestamp(lead.createdAt),
  updated_at: timestamp(lead.updatedAt),
  campaign: { id: campaign.id, name: campaign.name },
  secondary_contacts: lead.contacts.map((contact) => ({
    id: contact.id,
    phone_number: contact.phoneNumber,
    variables: contact.variables,
    status: contact.status,
    created_at: timestamp(lead.createdAt),
    updated_at: timestamp(contact.updatedAt),
  })),
});

/** A lead as histories show it: without its campaign's name, but with what came of its attempts and what is next. */
export function showLead(state: Lead) {
  if (!state) return null;
  const { campaign: _, ...shown } = toItem(state, { id: state.campaignId, name: '' });
  const { attempts, attempt, reason, next } = state;
  return {
    ...shown,
    attempts,
    attempt: attempt && { contact_id: attempt.contactId, reference: attempt.reference },
    reason,
    next: next && { contact_id: next.contactId, due_at: next.dueAt },
  };
}

/**
 * SQL expression for the JSON of `toItem` up to the name of the campaign, which may change, over the columns of a lead's
 * row. Numbers and statuses need no escaping.
 */
export const itemBefore = `
  '{"id":' || id::text || ',"campaign_id":' || campaign_id::text || ',"phone_number":"' || phone_number
    || '","variables":' || variables::text || ',"status":"' || status
    || '","created_at":"' || created_at || '","updated_at":"' || updated_at
    || '","campaign":{"id":' || campaign_id::text || ',"name":'`;

/** The same from there on. `secondary_contacts` holds them as they are shown. */
export const itemAfter = `'},"secondary_contacts":' || secondary_contacts::text || '}'`;
