export { type RateLimit, takeRateLimit } from './sliding-log.ts';
