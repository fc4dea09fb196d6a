import { NumberPurchased } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { defineReactor, type Reactor } from '@parley/processing';
import type { InboundLines } from '../voice/inbound-lines.ts';
import { lineOf, phoneNumber } from './number.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly lines: InboundLines;
}

/**
 * A purchase opens its number's line itself. This sees to the numbers that have none: those that were bought before the
 * voice platform had to know them, and those that came with their account from another installation.
 */
export const openLines = ({ aggregates, lines }: Parts): Reactor =>
  defineReactor({
    name: 'inbound-lines',
    handles: [NumberPurchased.type],
    async react({ streamId }) {
      const load = async () => (await aggregates.load(streamId, phoneNumber)).state;
      const number = await load();
      if (number?.phase !== 'owned') return undefined;
      const unopened = await lines.open(lineOf(number));
      if (unopened?.kind === 'rejected') throw new Error(unopened.message);
      if (unopened) throw new ServiceUnavailable(unopened.message);
      // Its release may have closed the line before it was open.
      const unclosed = (await load())?.phase === 'owned' ? null : await lines.close(lineOf(number));
      if (unclosed) throw new ServiceUnavailable(unclosed.message);
      return undefined;
    },
  });
