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

/**
 * What of a service decides nothing: views, whose rows are SQL's, which integration tests ask for, and what only puts its
 * parts together.
 */
const decidesNothing = /\/views\/|(-service|background)\.ts$/;
const decisionsOfLibs = [
  'libs/opening-hours/src/opening-hours.ts',
  'libs/providers/src/whatsapp/signature.ts',
  'libs/rate-limit/src/sliding-log.ts',
];

export const isPure = (text) =>
  ![canWait, frameworks, doors, systemDoors].some((pattern) => pattern.test(text));

/** Paths from the checkout's root of the pure files that decide: what mutants are made of. */
export const decisionFiles = () =>
  services
    .flatMap((service) => sourcesOf(`services/${service}/src`))
    .filter((file) => !decidesNothing.test(file) && isPure(readFileSync(join(checkoutRoot, file), 'utf8')))
    .concat(decisionsOfLibs)
    .sort();

const services = ['accounts', 'assistants', 'automations', 'messaging', 'telephony'];

const sourcesOf = (folder) =>
  readdirSync(join(checkoutRoot, folder), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|contract)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`);
