import { Contended, type ExecuteResult, LostRaces } from '@parley/event-store';
import { describe, expect, test } from 'vitest';
import { claimsOn, type NumberClaim, withNumberClaimed } from './number-claim.ts';

describe('the claim on a number', () => {
  const number = { campaignId: 5, phoneNumber: '+4915112345678' };

  test('is confirmed for a duplicate, and taken over from a number that has left the campaign', () => {
    const claim = { scope: 'lead-number:5', key: number.phoneNumber };
    const owners = new Map([[number.phoneNumber, 'lead-1']]);
    expect(claimsOn(number, 'lead-2', { owners, isInCampaign: true })).toEqual([
      { op: 'take', ...claim, owner: 'lead-1' },
    ]);
    expect(claimsOn(number, 'lead-2', { owners, isInCampaign: false })).toEqual([
      { op: 'release', ...claim, owner: 'lead-1' },
      { op: 'take', ...claim, owner: 'lead-2' },
    ]);
  });

  test('that keeps changing hands is given up for now', async () => {
    let tries = 0;
    const options = { allowsDuplicate: false, isInCampaign: async () => false };
    const decide = async ({ onClaimTaken }: NumberClaim): Promise<ExecuteResult> => {
      tries += 1;
      const taken = { kind: 'claim-taken', scope: 's', key: 'k', owner: `lead-${tries}` } as const;
      return { kind: 'rejected', rejection: onClaimTaken(taken) };
    };
    await expect(withNumberClaimed(options, decide, new LostRaces(0))).rejects.toThrow(Contended);
    expect(tries).toBe(4);
  });
});
