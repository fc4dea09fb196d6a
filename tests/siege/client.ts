import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import { type CommandKind, chooseKind, newMarker, type SiegeRequest } from './commands.ts';
import type { Resident } from './resident.ts';

/** One command from its first request to its definite answer. */
export interface Outcome {
  readonly kind: CommandKind;
  readonly resident: Resident;
  readonly marker: string;
  readonly request: SiegeRequest;
  readonly answer: Answer;
  /** From the first request that got no definite answer to the definite one; 0 when the first got it. */
  readonly recoveredAfterMs: number;
}

/** What the clients saw beside definite answers. */
export interface Sightings {
  /** Whatever the contract does not allow for an outage. */
  readonly forbidden: string[];
  /** How often each passing answer came: `503`, `409`, `ECONNRESET` … */
  readonly passing: Map<string, number>;
  /** Milliseconds from each request to its answer. */
  readonly waits: number[];
  /** Commands without a definite answer, and what was answered last. */
  readonly unanswered: string[];
}

export const noSightings = (): Sightings => ({
  forbidden: [],
  passing: new Map(),
  waits: [],
  unanswered: [],
});

const mayPass = [409, 429, 503];
/** Specified: a purchase that its providers failed, undone, is answered so, and again under the same key. */
const isUndonePurchase = ({ name }: CommandKind, { status }: Answer): boolean =>
  name === 'purchase-phone-number' && status === 502;
const longestCommandMs = 180_000;

export interface ClientOptions {
  readonly random: () => number;
  readonly sightings: Sightings;
  /** Whether the gateways themselves die. */
  readonly mayLoseConnections: boolean;
}

/** One command after the other, each under a key of its own until its answer is definite, while `takesNext` says so. */
export async function keepCommanding(
  resident: Resident,
  takesNext: () => boolean,
  onOutcome: (outcome: Outcome) => void,
  options: ClientOptions,
): Promise<void> {
  while (takesNext()) {
    const marker = newMarker();
    const made = await makeRequest(resident, marker, options.random);
    const definite = await untilDefinite(resident, made, options);
    if (definite) onOutcome({ ...made, resident, marker, ...definite });
  }
}

async function makeRequest(resident: Resident, marker: string, random: () => number) {
  for (;;) {
    const kind = chooseKind(random);
    const request = await patiently(() => kind.make(resident, marker));
    if (request) return { kind, request };
  }
}

/** The outside world is down with Postgres, too. */
async function patiently<T>(ask: () => T | Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask();
    } catch {
      await sleep(200);
    }
}

async function untilDefinite(
  { key, stack }: Resident,
  { kind, request }: { readonly kind: CommandKind; readonly request: SiegeRequest },
  { random, sightings, mayLoseConnections }: ClientOptions,
) {
  const headers = { 'idempotency-key': randomUUID() };
  const startedAt = performance.now();
  let isInterrupted = false;
  let limitedMs = 0;
  for (;;) {
    const url = stack.gatewayUrls[Math.floor(random() * stack.gatewayUrls.length)] ?? '';
    const { method, path, body } = request;
    const askedAt = performance.now();
    const answer = await createApi(url, key)
      .call(method, path, { body, headers })
      .catch((error: unknown) => String(Object(error).code ?? error));
    sightings.waits.push(performance.now() - askedAt);
    if (typeof answer === 'string') {
      count(sightings, answer);
      if (!mayLoseConnections) sightings.forbidden.push(`${kind.name}: ${answer}`);
      await sleep(100);
    } else if (isDefinite(answer) || isUndonePurchase(kind, answer)) {
      const recoveredAfterMs = isInterrupted ? performance.now() - startedAt - limitedMs : 0;
      return { answer, recoveredAfterMs };
    } else {
      count(sightings, String(answer.status));
      const fault = faultOfPassing(answer);
      if (fault) sightings.forbidden.push(`${kind.name}: ${fault}`);
      // A rate limit is no outage: waiting for it is not counted as recovery.
      const pauseMs = Math.min(Number(answer.headers['retry-after'] ?? 0.2), 2) * 1_000;
      await sleep(pauseMs);
      if (answer.status === 429) {
        limitedMs += pauseMs;
        continue;
      }
    }
    isInterrupted = true;
    if (performance.now() - startedAt > longestCommandMs) {
      const last = typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`;
      sightings.unanswered.push(`${kind.name} (${headers['idempotency-key']}): ${last}`);
      return undefined;
    }
  }
}

const isDefinite = ({ status }: Answer): boolean =>
  (status >= 200 && status < 300) || (status >= 400 && status < 500 && !mayPass.includes(status));

function faultOfPassing({ status, headers, text }: Answer): string | undefined {
  if (!mayPass.includes(status)) return `${status} ${text}`;
  if (status === 503 && headers['retry-after'] === undefined) return '503 without Retry-After';
  return undefined;
}

function count({ passing }: Sightings, what: string): void {
  passing.set(what, (passing.get(what) ?? 0) + 1);
}

/** What an outcome may be beside a success: a refusal that says what became of it. */
export const isAllowedRefusal = ({ kind, answer }: Outcome): boolean =>
  isUndonePurchase(kind, answer) ||
  (answer.status === 422 &&
    Object(answer.body).error_code === 'SEND_FAILED' &&
    ['send-chatapp-template', 'send-freeform', 'request-call-permission'].includes(kind.name));

export const isAcknowledged = ({ answer }: Outcome): boolean => answer.status < 300;
