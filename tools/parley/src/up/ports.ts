import { findFreePort, listenFault } from '@parley/embedded-servers';
import { CommandFailed } from '../exit-codes.ts';
import type { Settings } from '../settings.ts';
import { type ServiceDefinition, services } from './service-table.ts';

/** One process to run. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceDefinition;
  readonly port: number | null;
  /** Port for health and metrics of a service that is reached over NATS alone; null for none. */
  readonly healthPort: number | null;
}

/**
 * The processes of the stack and their ports: the first copy on the configured port (0: any free one), further
 * copies on free ones. Services that are reached over NATS alone have their health and metrics at HEALTH_PORT and
 * the ports after it. Throws `CommandFailed` with all configured ports that are in use or that no client would
 * call.
 */
export async function planInstances(settings: Settings): Promise<readonly Instance[]> {
  const instances: Instance[] = [];
  let healthPort = settings.HEALTH_PORT ?? null;
  for (const service of services) {
    const copies = settings.PARLEY_COPIES.get(service.name) ?? 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      const name = copy === 1 ? service.name : `${service.name}-${copy}`;
      if (service.listensOn) {
        const configured = copy === 1 ? settings[service.listensOn] : 0;
        instances.push({ name, service, port: configured || (await findFreePort()), healthPort: null });
      } else {
        instances.push({ name, service, port: null, healthPort });
        if (healthPort !== null) healthPort += 1;
      }
    }
  }
  const faults = await faultsOf(instances, settings);
  if (faults.length > 0) throw new CommandFailed(faults.join('\n'));
  return instances;
}

async function faultsOf(instances: readonly Instance[], settings: Settings): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const instance of instances) {
    const fault = (await healthPortFault(instance, settings)) ?? (await portFault(instance, settings));
    if (fault !== null) faults.push(fault);
  }
  if (settings.PORT !== 0 && settings.PORT === settings.SANDBOX_PORT)
    faults.push('PORT and SANDBOX_PORT must differ.');
  return faults;
}

const highestPort = 65_535;

async function healthPortFault(
  { name, healthPort }: Instance,
  { PORT, SANDBOX_PORT }: Settings,
): Promise<string | null> {
  if (healthPort === null) return null;
  if (healthPort > highestPort)
    return `There is no port ${healthPort} (health of ${name}). Set a lower HEALTH_PORT.`;
  const isFree = healthPort !== PORT && healthPort !== SANDBOX_PORT;
  if (isFree && (await listenFault(healthPort, '127.0.0.1')) === null) return null;
  return `Port ${healthPort} (health of ${name}) cannot be listened on. Set another HEALTH_PORT.`;
}

/** The URL by which this machine reaches a server that listens on this address. */
export function urlOf(host: string, port: number | null): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (!host.includes(':')) return `http://${host}:${port}`;
  return `http://[${host === '::' ? '::1' : host}]:${port}`;
}

/** Why the configured port of an instance cannot be listened on just now, and what to set; null when it can, or is another. */
export async function portFault(
  { service: { name, listensOn }, port }: Instance,
  settings: Settings,
): Promise<string | null> {
  if (!listensOn || port === null || port !== settings[listensOn]) return null;
  const about = (what: string, free: number) =>
    `Port ${port} (${name}) ${what}. Set ${listensOn} to a free one, for example ${listensOn}=${free}.`;
  const fault = await listenFault(port, settings.HOST);
  if (fault === null)
    return (await isRefusedByFetch(port))
      ? about('is one of those that browsers and fetch never call', port + 1)
      : null;
  if (fault.code === 'EADDRINUSE') return about('is in use by another program', port + 1);
  if (fault.code === 'EACCES') return about('is not for this user to listen on', port + 8000);
  return `HOST=${settings.HOST} is no address that ${name} could listen on (${fault.message}).`;
}

/** The fetch standard has a list of "bad ports", those of other protocols; only `fetch` itself can tell what it says. */
async function isRefusedByFetch(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}`);
    return false;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
  }
}
