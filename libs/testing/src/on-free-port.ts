import { findFreePort, isAddressInUse } from '@parley/embedded-servers';

const portsTried = 5;

/** Starts a server on a free port; on another one when another test, in the same moment, was given the same. */
export async function onFreePort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await start(await findFreePort());
    } catch (error) {
      if (attempt === portsTried || !isAddressInUse(error)) throw error;
    }
}
