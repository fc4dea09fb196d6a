import { join } from 'node:path';

/** The checkout (or image) this file was built in. */
export const installationRoot = join(import.meta.dirname, '..', '..', '..', '..');

export interface ServiceDefinition {
  readonly name: string;
  /** Clients connect to it; it is started with the other services and stopped before them. */
  readonly isEntrance?: true;
  /** It holds something that cannot be shared, so it runs as one process. */
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

/**
 * Where Node keeps what V8 has compiled of a bundle, for the next start (ADR 36). Whoever makes the bundle anew removes its
 * folder, and this with it.
 */
export const compiledOf = (service: ServiceDefinition): string =>
  join(installationRoot, 'services', service.name, 'bundle', 'compiled');

/** The file to run: the bundle of the service, which starts faster, or its separate modules. */
export const entryOf = (service: ServiceDefinition, isBundled: boolean): string =>
  join(installationRoot, 'services', service.name, isBundled ? 'bundle' : 'dist', 'main.js');
