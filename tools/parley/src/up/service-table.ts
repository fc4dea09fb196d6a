import { join } from 'node:path';

/** The checkout (or image) this file was built in. */
export const installationRoot = join(import.meta.dirname, '..', '..', '..', '..');

export interface ServiceDefinition {
  readonly name: string;
  /** Clients come in here: started with the others, stopped before them. */
  readonly isEntrance?: true;
  /** Holds something that cannot be shared, so there is one process of it. */
  readonly isSingle?: true;
  /** Which setting is the port it listens on; services without one are reached over NATS alone. */
  readonly listensOn?: 'PORT' | 'SANDBOX_PORT';
}

/** Every process of a stack beside Postgres and NATS. A new service is a line here. */
export const services: readonly ServiceDefinition[] = [
  { name: 'gateway', isEntrance: true, listensOn: 'PORT' },
  { name: 'accounts' },
  { name: 'assistants' },
  { name: 'messaging' },
  { name: 'telephony' },
  { name: 'automations' },
  { name: 'sandbox', isSingle: true, listensOn: 'SANDBOX_PORT' },
];

/** Its bundle, which starts faster, or the modules that this was made of. */
export const entryOf = (service: ServiceDefinition, isBundled: boolean): string =>
  join(installationRoot, 'services', service.name, isBundled ? 'bundle' : 'dist', 'main.js');
