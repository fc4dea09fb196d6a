import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from './checkout.mjs';

/**
 * Sources that only compute, told by their text: nothing in them can wait, and they import neither a framework nor a door
 * to the world outside. Everything else does I/O or is wired to what does.
 */
const canWait = /\b(async|await|Promise|setTimeout|setInterval|setImmediate)\b/;
const frameworks = /from '(@nestjs|@nats-io|@fastify)\//;
const doors = /from '(pg|undici|fastify|pino|prom-client|openai|stripe|twilio|livekit-server-sdk)'/;
const systemDoors =
  /from 'node:(child_process|dns|fs|http|https|net|os|process|stream|timers|tls|v8|worker_threads)[/']/;

/** What decides and folds: says so by the types of `libs/event-store/src/aggregates/decider.ts`, or by those of a run's progress. */
const decides = /\b(Fold|Decision|Rejection|Rejected|Progress)\b/;
/** Decides too, without events. */
const otherDecisions = /\/(opening-hours|sliding-log|signature|retry-rules|backoff)\.ts$/;

export const isPure = (text) =>
  ![canWait, frameworks, doors, systemDoors].some((pattern) => pattern.test(text));

/** Paths from the checkout's root of the pure files that decide: what mutants are made of. */
export const decisionFiles = () =>
  [...packages('libs', ['opening-hours', 'rate-limit', 'providers']), ...packages('services', services)]
    .flatMap(sourcesOf)
    .filter((file) => {
      const text = readFileSync(join(checkoutRoot, file), 'utf8');
      return isPure(text) && (decides.test(text) || otherDecisions.test(file));
    })
    .sort();

const services = ['accounts', 'assistants', 'automations', 'messaging', 'telephony'];
const packages = (group, names) => names.map((name) => `${group}/${name}/src`);

const sourcesOf = (folder) =>
  readdirSync(join(checkoutRoot, folder), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|contract)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`);
