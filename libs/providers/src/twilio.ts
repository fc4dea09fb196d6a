export { readTwilioSmsCallback, type SmsReport } from './twilio/callback.ts';
export { twilioConfig } from './twilio/config.ts';
export { createTwilioCarrier } from './twilio/twilio.ts';
