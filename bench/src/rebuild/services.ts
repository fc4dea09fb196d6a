import type { ServiceDefinition } from '@parley/service-kit';

/** Loaded when asked for: a process of one service holds that one. */
export async function definitionOf(
  service: string,
): Promise<Pick<ServiceDefinition, 'name' | 'projections'>> {
  switch (service) {
    case 'accounts':
      return (await import('@parley/accounts')).accountsService;
    case 'assistants':
      return (await import('@parley/assistants')).assistantsService;
    case 'messaging':
      return (await import('@parley/messaging')).messagingService;
    case 'telephony':
      return (await import('@parley/telephony')).telephonyService;
    case 'automations':
      return (await import('@parley/automations')).automationsService;
    default:
      throw new Error(`There is no service ${service}.`);
  }
}
