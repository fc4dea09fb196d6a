import type { SipTrunkEvent } from '@parley/contracts';
import { golden } from '@parley/testing';

const [first] = golden<SipTrunkEvent>('SipTrunkCreated.v1');
if (first?.type !== 'SipTrunkCreated') throw new Error('Another golden file.');

/** The golden event of a trunk that was made. */
export const created = first;
