import { countryOf } from '@parley/phone-numbers';
import type { KnownSender } from '../views/sender-queries.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import type { CallPermission } from './call-permission.ts';
import type { Circumstances } from './rules.ts';
import type { PermissionTerms } from './standing.ts';
import { wantsBesideName } from './voice-template.ts';

/** The part of a sender that the rules look at. */
const partyOf = ({
  phoneNumber,
  voiceCallingEnabled,
}: Pick<KnownSender, 'phoneNumber' | 'voiceCallingEnabled'>): Circumstances['sender'] => ({
  isCallingEnabled: voiceCallingEnabled,
  country: countryOf(phoneNumber),
});

/** What the rules look at, as of `now`. */
export const circumstancesAt = (
  now: Date,
  state: CallPermission,
  about: {
    readonly sender: Pick<KnownSender, 'phoneNumber' | 'voiceCallingEnabled'>;
    readonly template: Pick<KnownTemplate, 'placeholders'> | null;
    readonly terms: PermissionTerms;
  },
): Circumstances => ({
  state,
  sender: partyOf(about.sender),
  template: about.template && { wants: wantsBesideName(about.template) },
  terms: about.terms,
  now: now.getTime(),
});
