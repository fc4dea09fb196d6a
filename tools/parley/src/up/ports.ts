import { findFreePort, isPortFree } from '@parley/embedded-servers';
import { CommandFailed } from '../exit-codes.ts';
import type { Settings } from '../settings.ts';
import { type ServiceDefinition, services } from './service-table.ts';

/** One process to run. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceDefinition;
  readonly port: number | null;
}

/**
 * Which processes there are and where they listen: the first copy on the configured port (0: any free one), further
 * copies on free ones. Throws with every configured port that is in use.
 */
export async function planInstances(settings: Settings): Promise<readonly Instance[]> {
  const taken: string[] = [];
  const instances: Instance[] = [];
  for (const service of services) {
    const copies = settings.PARLEY_COPIES.get(service.name) ?? 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      const name = copy === 1 ? service.name : `${service.name}-${copy}`;
      const { listensOn } = service;
      if (!listensOn) instances.push({ name, service, port: null });
      else {
        const wanted = copy === 1 ? settings[listensOn] : 0;
        const isFree = wanted === 0 || (await isPortFree(wanted, settings.HOST));
        if (!isFree) taken.push(describeConflict(service.name, listensOn, wanted));
        instances.push({ name, service, port: wanted === 0 ? await findFreePort() : wanted });
      }
    }
  }
  if (settings.PORT !== 0 && settings.PORT === settings.SANDBOX_PORT)
    taken.push('PORT and SANDBOX_PORT must differ.');
  if (taken.length > 0) throw new CommandFailed(taken.join('\n'));
  return instances;
}

const describeConflict = (service: string, variable: string, port: number): string =>
  `Port ${port} (${service}) is in use by another program. Set ${variable} to a free one, for example ${variable}=${port + 1}.`;
