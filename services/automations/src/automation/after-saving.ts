import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import { rejectedReply } from '@parley/service-kit';
import type { Definitions } from '../engine/ports.ts';
import type { JsonValue } from '../json.ts';
import type { TestRuns } from '../test-run/test-runs.ts';
import type { WebhookTokens } from '../triggers/webhook-tokens.ts';
import { bindWebhook, boundAssistant } from './webhook-binding.ts';

interface Parts {
  readonly bus: BusClient;
  readonly definitions: Definitions;
  readonly tests: TestRuns;
  readonly tokens: WebhookTokens;
}

type Body = Readonly<Record<string, unknown>>;

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
 * Completes a stored answer with what must not be stored, the address of the webhook, and does what the envelope asks for:
 * the assistant's webhook is bound to it, and the automation tried with the sample. Harmless for a repeated command.
 */
export async function afterSaving(
  { bus, definitions, tests, tokens }: Parts,
  reply: BusReply,
  envelope: Envelope,
  { message, savedAs }: { message: MessageContext; savedAs: (body: Body) => Saved },
): Promise<BusReply> {
  if (reply.kind !== 'ok') return reply;
  const body: Body = JSON.parse(reply.body);
  const { id, version, isEnabled } = savedAs(body);
  const url = await tokens.urlOf(id, message.baseUrl);
  const answer = (more: object): BusReply => ({
    ...reply,
    body: JSON.stringify({ ...body, webhook_url: url, ...more }),
  });
  const definition = envelope.bind_webhook ? await definitions.load(id, version) : undefined;
  const assistantId = definition && boundAssistant(envelope, definition.trigger.definition.type);
  if (assistantId !== undefined && url !== null) {
    const fault = await bindWebhook(bus, message, assistantId, url);
    if (fault) return rejectedReply(fault);
  }
  const { sample, confirm_side_effects: isConfirmed } = envelope;
  if (sample === undefined || sample === null) return answer({});
  // It was read from JSON.
  const trial = { automationId: id, version, sample: sample as JsonValue };
  const outcome = await tests.try({ ...trial, isReal: isEnabled && (isConfirmed ?? false) }, message);
  const isRefused = outcome !== undefined && 'kind' in outcome;
  return answer({ test: isRefused ? await tests.try({ ...trial, isReal: false }, message) : outcome });
}
