import type { CampaignSettings } from '../campaign/campaign.ts';
import type { LiveLead, Variables } from '../lead/lead.ts';
import { maxRequestLength } from './request-json.ts';

/** Who is reached out to in an attempt, and with what. */
export interface Reached {
  readonly phoneNumber: string;
  readonly variables: Variables;
}

/** The number of the lead, or of one of its contacts, as it is now. */
export const numberOf = ({ contacts, phoneNumber }: LiveLead, contactId: number | null): string =>
  contacts.find(({ id }) => id === contactId)?.phoneNumber ?? phoneNumber;

/** The lead's own variables, those of the contact before them, and whatever the campaign maps from them. */
export function whomToReach(
  lead: LiveLead,
  contactId: number | null,
  { variable_mapping: mapping }: Pick<CampaignSettings, 'variable_mapping'>,
): Reached {
  const contact = lead.contacts.find(({ id }) => id === contactId);
  const phoneNumber = numberOf(lead, contactId);
  const own: Variables = { ...lead.variables, ...contact?.variables };
  const mapped = Object.entries(mapping).flatMap(([name, source]) => {
    if (source === 'phone_number') return [[name, phoneNumber] as const];
    return Object.hasOwn(own, source) ? [[name, own[source] ?? null] as const] : [];
  });
  return { phoneNumber, variables: { ...own, ...Object.fromEntries(mapped) } };
}

/** Variables as people read them; those without a value are left out. */
export function asTexts(variables: Variables): Record<string, string> {
  // What many names stand for is one text, and not as many.
  const texts = new Map<unknown, string>();
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => {
      if (value === null) return [];
      const text = texts.get(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
      texts.set(value, text);
      return [[name, text] as const];
    }),
  );
}

/**
 * The text of a message: `{{name}}` stands for a variable, and for nothing when there is none. Once it is longer than a
 * request can be, the rest is left out: it is not sent.
 */
export function fillIn(body: string, variables: Variables): string {
  const texts = asTexts(variables);
  let length = body.length;
  // Blanks are left to `trim`: a pattern with a place for them tries every way of sharing them out.
  return body.replaceAll(/\{\{([^{}]+)\}\}/g, (_, gap: string) => {
    const name = gap.trim();
    if (length > maxRequestLength || !Object.hasOwn(texts, name)) return '';
    const text = texts[name] ?? '';
    length += text.length;
    return text;
  });
}
