import type { CampaignSettings } from '../../campaign/campaign.ts';
import { type LiveLead, numberOf, type Variables } from '../../lead/lead.ts';

/** The number that an attempt is made at, and what is known of the person. */
export interface Reached {
  readonly phoneNumber: string;
  readonly variables: Variables;
}

/**
 * The number that an attempt is made at, and its variables: the lead's own and what the campaign maps from them; the
 * contact's, and what it maps from those, take precedence.
 */
export function whomToReach(
  lead: LiveLead,
  contactId: number | null,
  { variable_mapping: mapping }: Pick<CampaignSettings, 'variable_mapping'>,
): Reached {
  const contact = lead.contacts.find(({ id }) => id === contactId);
  const phoneNumber = numberOf(lead, contactId);
  const withMapped = (own: Variables): Variables => {
    const mapped = Object.entries(mapping).flatMap(([name, source]) => {
      if (source === 'phone_number') return [[name, phoneNumber] as const];
      return Object.hasOwn(own, source) ? [[name, own[source] ?? null] as const] : [];
    });
    return { ...own, ...Object.fromEntries(mapped) };
  };
  return {
    phoneNumber,
    variables: { ...withMapped(lead.variables), ...withMapped(contact?.variables ?? {}) },
  };
}
