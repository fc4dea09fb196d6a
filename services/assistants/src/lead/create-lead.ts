import {
  type createLead as createLeadOperation,
  type LeadEvent,
  type OperationInput,
  type Rejection,
  reject,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { CampaignSettings } from '../campaign/campaign.ts';
import { toItem } from './item.ts';
import { sizeFault } from './item-size.ts';
import { type Lead, lead, leadStream } from './lead.ts';
import { claimsOn, type NumberClaim } from './number-claim.ts';
import { phoneNumberFault } from './phone-number.ts';

type Input = OperationInput<typeof createLeadOperation>;

export interface CreateLead extends Input {
  /** New ids, this one and those of the contacts, which no other lead or contact ever has. */
  readonly id: number;
  readonly contactIds: readonly number[];
  readonly now: Date;
  /** The campaign that `campaignFor` returned. */
  readonly campaign: CampaignSettings;
  readonly claim: NumberClaim;
}

/** The answer of commands about one lead. */
export interface LeadAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/**
 * Creates a lead. A rejection when it is too large, or when its number is in the campaign already and no duplicate was
 * asked for.
 */
export function createLead(state: Lead, command: CreateLead): Decision<LeadEvent, LeadAnswer> | Rejection {
  const { id, campaign, campaign_id: campaignId, phone_number: phoneNumber, claim } = command;
  if (state) throw new Error(`Lead ${id} was given out twice.`);
  const contacts = command.secondary_contacts ?? [];
  const created: LeadEvent = {
    type: 'LeadCreated',
    data: {
      id,
      campaign_id: campaignId,
      phone_number: phoneNumber,
      variables: command.variables ?? {},
      secondary_contacts: contacts.map(({ phone_number, variables }, index) => ({
        id: command.contactIds[index] ?? Number.NaN,
        phone_number,
        variables: variables ?? {},
      })),
      imported: null,
      at: command.now.toISOString(),
    },
  };
  const after = lead.evolve(null, created);
  if (!after) throw new Error('A created lead is there.');
  const item = toItem(after, campaign);
  const fault = sizeFault(item);
  if (fault) return fault;
  return {
    events: [created],
    claims: claimsOn({ campaignId, phoneNumber }, leadStream(id), claim.holders),
    onClaimTaken: claim.onClaimTaken,
    reply: { message: 'Lead created successfully', data: item },
  };
}

/**
 * The campaign, or why it can have no such lead; whether another lead has the number is not checked here. `campaign` is
 * undefined when the account has none with that id.
 */
export function campaignFor(
  input: Input,
  campaign: CampaignSettings | undefined,
): CampaignSettings | Rejection {
  const fields = numberFaults(input);
  if (Object.keys(fields).length > 0) return reject('invalid', { fields });
  if (!campaign) return reject('not_found');
  return input.secondary_contacts?.length && campaign.channel !== 'call' ? onlyForCalls : campaign;
}

function numberFaults({ phone_number, secondary_contacts }: Input): Record<string, readonly string[]> {
  const numbers: [string, string][] = [
    ['phone_number', phone_number],
    ...(secondary_contacts ?? []).map((contact, index): [string, string] => [
      `secondary_contacts.${index}.phone_number`,
      contact.phone_number,
    ]),
  ];
  return Object.fromEntries(
    numbers
      .flatMap(([field, text]) => {
        const fault = phoneNumberFault(text);
        return fault === undefined ? [] : [[field, [fault]] as const];
      })
      .slice(0, maxFaults),
  );
}

/** How many faults are told at most: nobody reads more, and a hostile body must not grow into a larger answer. */
const maxFaults = 100;

const onlyForCalls = reject('invalid', {
  fields: { secondary_contacts: ['Only leads of call campaigns can have secondary contacts.'] },
});
