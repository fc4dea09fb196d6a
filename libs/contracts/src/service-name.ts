/** The domain services that run: operators ask all of them, the platform's clock moves in all of them. */
export const serviceNames = ['accounts', 'assistants', 'messaging', 'telephony', 'automations'] as const;
export type ServiceName = (typeof serviceNames)[number];
