import { defineReactor, type Reactor } from '@parley/processing';
import type { PayloadStore } from './payload-store.ts';

/** Erases the payloads of a run once its log says that they are erased. */
export const erasePayloads = (payloads: PayloadStore): Reactor =>
  defineReactor({
    name: 'erase-payloads',
    handles: ['RunPayloadsErased'],
    async react({ streamId }) {
      await payloads.erase(streamId.slice('run-'.length));
      return undefined;
    },
  });
