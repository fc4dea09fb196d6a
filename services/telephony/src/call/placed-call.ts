import type { EventMetadata } from '@parley/event-store';
import type { CallRequestedData } from './decisions.ts';

/** A call on record that is to be dialed. */
export interface PlacedCall {
  readonly accountId: number;
  readonly data: CallRequestedData;
  readonly metadata: EventMetadata;
}
