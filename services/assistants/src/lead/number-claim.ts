import { type Rejection, reject } from '@parley/contracts';
import {
  type ClaimChange,
  type ClaimTaken,
  Contended,
  type ExecuteResult,
  LostRaces,
} from '@parley/event-store';

/** A phone number within a campaign. */
export interface CampaignNumber {
  readonly campaignId: number;
  readonly phoneNumber: string;
}

/** Who holds the claim on a number, and whether a lead of the campaign has the number at present. */
export interface Holder {
  readonly owner: string;
  readonly isInCampaign: boolean;
}

/**
 * A number that a lead of a campaign has is claimed. The claim is never released: whoever finds it taken looks whether
 * the number is still in the campaign. A duplicate that was asked for confirms the claim as it is; a number that has
 * left the campaign is taken over. Both fail when the claim has changed hands meanwhile, and are tried again.
 *
 * `owner` names one decision, not a lead, so that nobody succeeds by owning a claim from an earlier time.
 */
export function claimsOn(
  { campaignId, phoneNumber }: CampaignNumber,
  owner: string,
  holder: Holder | undefined,
): readonly ClaimChange[] {
  const claim = { scope: `lead-number:${campaignId}`, key: phoneNumber };
  if (!holder) return [{ op: 'take', ...claim, owner }];
  if (holder.isInCampaign) return [{ op: 'take', ...claim, owner: holder.owner }];
  return [
    { op: 'release', ...claim, owner: holder.owner },
    { op: 'take', ...claim, owner },
  ];
}

/** Decisions, section 2: a number that is in the campaign already is a validation failure of `phone_number`. */
export const numberTaken = (): Rejection =>
  reject('invalid', {
    fields: { phone_number: ['The phone number is already in the campaign.'] },
    // For other services: the number itself is a good one.
    details: { reason: 'number_taken' },
  });

/** What a decision needs to claim its number. */
export interface NumberClaim {
  readonly holder: Holder | undefined;
  readonly onClaimTaken: (claim: ClaimTaken) => Rejection;
}

/** Runs a decision that claims a number until the claim is settled one way or the other. */
export async function withNumberClaimed(
  options: { readonly allowsDuplicate: boolean; readonly isInCampaign: () => Promise<boolean> },
  decide: (claim: NumberClaim) => Promise<ExecuteResult>,
  races = new LostRaces(),
): Promise<ExecuteResult> {
  let holder: Holder | undefined;
  for (;;) {
    let takenBy: string | undefined;
    const result = await decide({
      holder,
      onClaimTaken({ owner }) {
        takenBy = owner;
        return numberTaken();
      },
    });
    if (takenBy === undefined) return result;
    const isInCampaign = await options.isInCampaign();
    if (isInCampaign && !options.allowsDuplicate) return result;
    if (!(await races.mayRetry())) throw new Contended(`A claim of ${takenBy} keeps changing hands.`);
    holder = { owner: takenBy, isInCampaign };
  }
}
