import type { AutomationEvent, Rejection } from '@parley/contracts';
import type { Aggregates, Decision } from '@parley/event-store';
import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import { jsonReply, type RunResourceCommand, rejectedReply } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import type { Definitions } from '../engine/ports.ts';
import type { JsonValue } from '../json.ts';
import { knownReply } from '../known-reply.ts';
import type { TestRuns } from '../test-run/test-runs.ts';
import type { WebhookTokens } from '../triggers/webhook-tokens.ts';
import type { AutomationQueries } from '../views/automation-queries.ts';
import type { Automation } from './automation.ts';
import { hearsAssistants } from './release-webhooks.ts';
import { bindWebhook, boundAssistant, releaseOthers } from './webhook-binding.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly bus: BusClient;
  readonly definitions: Definitions;
  readonly queries: AutomationQueries;
  readonly run: RunResourceCommand<Automation, AutomationEvent>;
  readonly tests: TestRuns;
  readonly tokens: WebhookTokens;
}

type Body = Readonly<Record<string, unknown>>;
type Stored = Body & { readonly base_url?: string | null };

/** The automation as it was saved. */
interface Saved {
  readonly id: number;
  readonly version: number;
  readonly isEnabled: boolean;
}

/** What the request holds beside the definition. */
interface Envelope {
  readonly assistant_id?: number | null | undefined;
  readonly bind_webhook?: boolean | null | undefined;
  readonly confirm_side_effects?: boolean | null | undefined;
  readonly sample?: unknown;
}

/**
 * Stores the address that the request came to with its answer: a repetition by another address of ours is answered
 * alike.
 */
export const answeringTo = <Answer extends object>(
  { baseUrl }: MessageContext,
  decision: Decision<AutomationEvent, Answer> | Rejection,
) => ('code' in decision ? decision : { ...decision, reply: { ...decision.reply, base_url: baseUrl } });

/**
 * Completes a stored answer with what must not be stored, the webhook's address, and does what the envelope asks for:
 * binds the assistant's webhook to the automation and releases those of all others, and tries the automation with the
 * sample. Harmless to repeat.
 */
export async function afterSaving(
  parts: Parts,
  reply: BusReply,
  envelope: Envelope,
  { message, savedAs }: { message: MessageContext; savedAs: (body: Body) => Saved },
): Promise<BusReply> {
  if (reply.kind !== 'ok') return reply;
  const { definitions, tokens } = parts;
  // An answer without an address on record is completed with the address of the repetition.
  const { base_url = message.baseUrl, ...body }: Stored = JSON.parse(reply.body);
  const { id, version, isEnabled } = savedAs(body);
  const [url, definition] = await Promise.all([tokens.urlOf(id, base_url), definitions.load(id, version)]);
  const triggerType = definition?.trigger.definition.type;
  // With another trigger the token is kept for later, but requests to its address start nothing.
  const webhook_url = triggerType === 'webhook.inbound' ? url : null;
  const answer = (more: object): BusReply => ({
    ...reply,
    body: JSON.stringify({ ...body, webhook_url, ...more }),
  });
  const assistantId = triggerType && boundAssistant(envelope, triggerType);
  const fault = url !== null && (await bindAsAsked(parts, { id, url, assistantId }, envelope, message));
  if (fault) return rejectedReply(fault);
  if (envelope.sample === undefined || envelope.sample === null) return answer({});
  const test = await tryWithSample(parts, { id, version, isEnabled }, envelope, message);
  return test.kind === 'ok' ? answer({ test: JSON.parse(test.body) }) : test;
}

/**
 * Binds the given assistant's webhook and releases those of all others. Returns why that could not be done, if it was
 * not.
 */
async function bindAsAsked(
  parts: Parts,
  { id, url, assistantId }: { id: number; url: string; assistantId: number | undefined },
  { bind_webhook: isBound }: Envelope,
  message: MessageContext,
): Promise<Rejection | undefined> {
  const { bus } = parts;
  if (assistantId !== undefined) {
    const isHeard = async () => hearsAssistants(parts.queries, await parts.queries.find(id));
    const fault = await bindWebhook(bus, message, { assistantId, url, isHeard });
    if (fault) return fault;
  }
  if (assistantId !== undefined || isBound === false)
    await onceForKey(parts, 'release', id, message, () => releaseOthers(bus, message, url, assistantId));
  return undefined;
}

/**
 * The outcome of a try with the sample: a real run when the automation is enabled and side effects are confirmed.
 * Otherwise, or where the real run is refused, a dry run, which has no effects.
 */
function tryWithSample(
  parts: Parts,
  { id, version, isEnabled }: Saved,
  { sample, confirm_side_effects: isConfirmed }: Envelope,
  message: MessageContext,
): Promise<BusReply> {
  // The sample came as JSON.
  const trial = { automationId: id, version, sample: sample as JsonValue };
  return onceForKey(parts, 'trial', id, message, async () => {
    const outcome = await parts.tests.try({ ...trial, isReal: isEnabled && (isConfirmed ?? false) }, message);
    const isRefused = outcome !== undefined && 'kind' in outcome;
    return isRefused ? parts.tests.try({ ...trial, isReal: false }, message) : outcome;
  });
}

/**
 * Does the work once for the request's idempotency key. The result is recorded as the answer of a command of its own,
 * because the saving has its answer already: a repeated request gets the same result, whatever would come of it now.
 */
async function onceForKey(
  { aggregates, run }: Parts,
  what: string,
  id: number,
  message: MessageContext,
  work: () => Promise<object | undefined>,
): Promise<BusReply> {
  const { commandId, fingerprint } = message;
  if (commandId === null || fingerprint === null) return jsonReply((await work()) ?? null);
  const command = { ...message, commandId: uuidv5(what, commandId), expectedVersion: null };
  const known = await knownReply(aggregates, command);
  if (known) return known;
  const reply = (await work()) ?? null;
  return run(id, command, () => ({ events: [], reply }));
}
