import { join } from 'node:path';
import { findNatsServer } from '@parley/embedded-servers';

/** The checkout that the tests are of. */
export const checkout = join(import.meta.dirname, '..', '..', '..');

/** The `nats-server` that tests run: the one that `npm start` runs. Rejects when none can be had. */
export const natsBinary = (): Promise<string> =>
  findNatsServer(join(checkout, '.toolchain', 'nats-server'), process.env.PATH ?? '');
