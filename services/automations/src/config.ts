import { type ServiceConfig, serviceConfig } from '@parley/service-kit';

/** Every key of the service's environment. */
export const automationsConfig = serviceConfig;

export type AutomationsConfig = ServiceConfig;
