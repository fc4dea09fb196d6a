export { type RateLimit, type RateLimitDecision, takeRateLimit } from './sliding-log.ts';
