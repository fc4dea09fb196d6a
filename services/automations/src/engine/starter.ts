import {
  Aggregates,
  Contended,
  type EventMetadata,
  type EventStore,
  newEventId,
  StoreUnavailable,
} from '@parley/event-store';
import { automationCategory, automationStream } from '../automation/automation.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { maxChainDepth, triggerPayloadBytes } from '../run/advance/limits.ts';
import {
  type NotStarted,
  type RunStart,
  type RunStarter,
  runStarted,
  type StartRun,
} from '../run/advance/start-run.ts';
import { newPayload, refOf } from '../run/progress.ts';
import { runCategory, runIdOf, runStream } from '../run/run.ts';
import { type Refusal, recordRefusal, refusals } from '../triggers/refused-triggers.ts';
import type { Definitions } from './ports.ts';

interface Parts {
  readonly store: EventStore;
  readonly definitions: Definitions;
  readonly payloads: PayloadStore;
}

/**
 * Starts runs; they are carried out by whichever process has a place. A trigger event makes one run only, because the
 * stream's id is made of the event, and only the first append finds it empty. An event that starts no run, though the
 * automation listens to it, is noted in the automation's own stream.
 */
export function createRunStarter({ store, definitions, payloads }: Parts): RunStarter {
  // The caller waits meanwhile, so the note is not tried again where others append to the stream: it is left out.
  const aggregates = new Aggregates(store, { racingMs: 0 });

  async function record(reason: Refusal['reason'], event: NotStarted, accountId: number): Promise<void> {
    const { automationId, trigger } = event;
    const at = (await store.now()).toISOString();
    const refusal = { trigger: trigger.type, event_id: trigger.eventId, reason, at };
    const streamId = automationStream(automationId);
    const { state } = await aggregates.load(streamId, refusals);
    if (recordRefusal(state, refusal).length === 0) return;
    const recorded = aggregates.execute({
      streamId,
      category: automationCategory,
      accountId,
      fold: refusals,
      metadata: metadataOf(event),
      command: null,
      decide: (known) => ({ events: recordRefusal(known, refusal), reply: null }),
    });
    await recorded.catch((error: unknown) => {
      if (!(error instanceof Contended)) throw error;
    });
  }

  return {
    async refuse(event, reason) {
      const standing = await definitions.standing(event.automationId);
      if (standing?.status === 'active') await record(reason, event, standing.accountId);
    },

    async start(request: StartRun): Promise<RunStart> {
      const { automationId, trigger, version } = request;
      const runId = runIdOf(automationId, trigger.eventId);
      const payload = newPayload(trigger.payload, newEventId());
      const ref = refOf(payload);
      const standing = await definitions.standing(automationId);
      if (!standing || standing.status === 'deleted') return { kind: 'refused', reason: 'not_found' };
      if (standing.status === 'inactive') return { kind: 'refused', reason: 'inactive' };
      const { accountId } = standing;
      const reason = refusalOf(request, ref.bytes);
      if (reason) {
        await record(reason, request, accountId);
        return { kind: 'refused', reason };
      }
      const [definition, now] = await Promise.all([
        definitions.load(automationId, version),
        store.now(),
        payloads.keep({ accountId, runId }, [payload]),
      ]);
      if (!definition) {
        await payloads.discard([ref.ref]);
        return { kind: 'refused', reason: 'not_found' };
      }
      const appending = store.append({
        streamId: runStream(runId),
        category: runCategory,
        accountId,
        expectedVersion: 0,
        events: [runStarted(request, { definition, trigger: ref, at: now.toISOString() })],
        metadata: metadataOf(request),
      });
      const result = await appending.catch(async (error: unknown) => {
        // Nobody would ever erase the payload of a run that does not begin.
        if (!mayBeWritten(error)) await payloads.discard([ref.ref]).catch(() => undefined);
        throw error;
      });
      if (result.kind === 'appended') return { kind: 'started', runId };
      await payloads.discard([ref.ref]);
      return { kind: 'known', runId };
    },
  };
}

const mayBeWritten = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.outcome === 'unknown';

function refusalOf(
  { chainDepth }: StartRun,
  payloadBytes: number,
): 'chain_too_deep' | 'payload_too_large' | undefined {
  if (chainDepth > maxChainDepth) return 'chain_too_deep';
  return payloadBytes > triggerPayloadBytes ? 'payload_too_large' : undefined;
}

const metadataOf = ({ actor, automationId, correlationId, trigger }: NotStarted): EventMetadata => ({
  correlationId,
  causationId: trigger.eventId.slice(0, 255),
  commandId: null,
  actor: actor ?? { kind: 'automation', id: String(automationId) },
});
