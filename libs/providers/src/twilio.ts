export { readTwilioSmsCallback, type SmsReport } from './twilio/callback.ts';
export type { NumberOwner } from './twilio/client.ts';
export { twilioConfig } from './twilio/config.ts';
export { createTwilioCarrier } from './twilio/twilio.ts';
