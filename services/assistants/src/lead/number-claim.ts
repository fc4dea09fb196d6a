import { type Rejection, reject } from '@parley/contracts';
import {
  type ClaimChange,
  type ClaimTaken,
  Contended,
  type ExecuteResult,
  LostRaces,
} from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';

/** A phone number within a campaign. */
export interface CampaignNumber {
  readonly campaignId: number;
  readonly phoneNumber: string;
}

/**
 * Owners of a number's claims, as far as they were found taken, and whether a lead of the campaign has the number at
 * present.
 */
export interface Holders {
  /** By the number's spelling. */
  readonly owners: ReadonlyMap<string, string>;
  readonly isInCampaign: boolean;
}

/**
 * The claims on the number of a campaign's lead, one for each spelling of its line. Claims are never released, so
 * whoever finds one taken looks whether the line is still in the campaign. If so, a duplicate that was asked for
 * confirms the claims as they are; if not, they are taken over. Both fail when a claim has changed hands meanwhile, and
 * are tried again. `owner` names one decision, not a lead, so that nobody succeeds by owning a claim from an earlier
 * time.
 */
export function claimsOn(
  { campaignId, phoneNumber }: CampaignNumber,
  owner: string,
  holders: Holders | undefined,
): readonly ClaimChange[] {
  return spellingsOf(phoneNumber).flatMap((key): ClaimChange[] => {
    const claim = { scope: `lead-number:${campaignId}`, key };
    const held = holders?.owners.get(key);
    if (held === undefined) return [{ op: 'take', ...claim, owner }];
    if (holders?.isInCampaign) return [{ op: 'take', ...claim, owner: held }];
    return [
      { op: 'release', ...claim, owner: held },
      { op: 'take', ...claim, owner },
    ];
  });
}

/**
 * The rejection of a number that is in the campaign already: a validation failure of `phone_number` (decisions, section
 * 2).
 */
export const numberTaken = (): Rejection =>
  reject('invalid', {
    fields: { phone_number: ['The phone number is already in the campaign.'] },
    // Tells other services that the number itself is valid.
    details: { reason: 'number_taken' },
  });

/** What a decision needs to claim its number; `onClaimTaken` is its answer when a claim is found taken. */
export interface NumberClaim {
  readonly holders: Holders | undefined;
  readonly onClaimTaken: (claim: ClaimTaken) => Rejection;
}

/**
 * Runs a decision that claims a number, again while a claim that it finds taken may be confirmed or taken over. Throws
 * `Contended` when claims keep changing hands.
 */
export async function withNumberClaimed(
  options: { readonly allowsDuplicate: boolean; readonly isInCampaign: () => Promise<boolean> },
  decide: (claim: NumberClaim) => Promise<ExecuteResult>,
  races = new LostRaces(),
): Promise<ExecuteResult> {
  let holders: Holders | undefined;
  for (;;) {
    let taken: ClaimTaken | undefined;
    const result = await decide({
      holders,
      onClaimTaken(claim) {
        taken = claim;
        return numberTaken();
      },
    });
    if (taken === undefined) return result;
    const isInCampaign = await options.isInCampaign();
    if (isInCampaign && !options.allowsDuplicate) return result;
    if (!(await races.mayRetry())) throw new Contended(`A claim of ${taken.owner} keeps changing hands.`);
    holders = { owners: withOwner(holders, taken), isInCampaign };
  }
}

/** The known owners, with one more claim that was found taken, or found with another owner. */
export const withOwner = (
  holders: Holders | undefined,
  { key, owner }: Pick<ClaimTaken, 'key' | 'owner'>,
): Holders['owners'] => new Map([...(holders?.owners ?? []), [key, owner]]);
