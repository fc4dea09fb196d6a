/** The domain services that run: operators ask all of them, the platform's clock moves in all of them. */
export const serviceNames = ['accounts', 'assistants', 'messaging'] as const;
/** Services to come whose messages and events are agreed on: one that runs is in `serviceNames` instead. */
const comingServiceNames = ['telephony'] as const;
export type ServiceName = (typeof serviceNames)[number] | (typeof comingServiceNames)[number];

/** Whether a service is part of the platform yet; until it is, what is meant for it waits. */
export const isRunningService = (name: ServiceName): boolean =>
  serviceNames.some((running) => running === name);
