import { assistants } from './assistants.ts';
import { automations } from './automations.ts';
import { calls } from './calls.ts';
import { campaigns } from './campaigns.ts';
import type { DemoPart } from './demo-part.ts';
import { organisers } from './organisers.ts';
import type { DemoPartName } from './part-names.ts';
import { phoneNumbers } from './phone-numbers.ts';
import { senders } from './senders.ts';

export const demoParts: { readonly [name in DemoPartName]: DemoPart } = {
  organisers,
  assistants,
  senders,
  'phone-numbers': phoneNumbers,
  calls,
  campaigns,
  automations,
};
