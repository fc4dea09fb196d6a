import { countryOf } from '@parley/phone-numbers';
import type { KnownSender } from '../views/sender-queries.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import type { CallPermission } from './call-permission.ts';
import type { Circumstances } from './rules.ts';
import type { PermissionTerms } from './standing.ts';
import { wantsBesideName } from './voice-template.ts';

/** What the rules need to know of a sender. */
const partyOf = ({
  phoneNumber,
  voiceCallingEnabled,
}: Pick<KnownSender, 'phoneNumber' | 'voiceCallingEnabled'>): Circumstances['sender'] => ({
  isCallingEnabled: voiceCallingEnabled,
  country: countryOf(phoneNumber),
});

/** The rules' view of one moment. */
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
