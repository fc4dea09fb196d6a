import { type EventStore, newEventId } from '@parley/event-store';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { maxChainDepth, triggerPayloadBytes } from '../run/limits.ts';
import { newPayload, refOf } from '../run/progress.ts';
import { runCategory, runIdOf, runStream } from '../run/run.ts';
import { type RunStart, type RunStarter, runStarted, type StartRun } from '../run/start-run.ts';
import type { Definitions } from './ports.ts';

interface Parts {
  readonly store: EventStore;
  readonly definitions: Definitions;
  readonly payloads: PayloadStore;
}

/**
 * Starts runs; they are carried out by whichever process has a place. That a trigger event makes one run is the work of
 * the run's stream, whose id is made of it: only its first append finds it empty.
 */
export function createRunStarter({ store, definitions, payloads }: Parts): RunStarter {
  return {
    async start(request: StartRun): Promise<RunStart> {
      const { automationId, trigger, chainDepth, correlationId } = request;
      const runId = runIdOf(automationId, trigger.eventId);
      if (chainDepth > maxChainDepth) return { kind: 'refused', reason: 'chain_too_deep' };
      const payload = newPayload(trigger.payload, newEventId());
      const ref = refOf(payload);
      if (ref.bytes > triggerPayloadBytes) return { kind: 'refused', reason: 'payload_too_large' };
      const standing = await definitions.standing(automationId);
      if (!standing || standing.status === 'deleted') return { kind: 'refused', reason: 'not_found' };
      if (standing.status === 'inactive') return { kind: 'refused', reason: 'inactive' };
      const { accountId, version } = standing;
      const [definition, now] = await Promise.all([
        definitions.load(automationId, version),
        store.now(),
        payloads.keep({ accountId, runId }, [payload]),
      ]);
      if (!definition) {
        await payloads.discard([ref.ref]);
        return { kind: 'refused', reason: 'not_found' };
      }
      const result = await store.append({
        streamId: runStream(runId),
        category: runCategory,
        accountId,
        expectedVersion: 0,
        events: [runStarted(request, { definition, trigger: ref, at: now.toISOString() })],
        metadata: {
          correlationId,
          causationId: trigger.eventId.slice(0, 255),
          commandId: null,
          actor: { kind: 'automation', id: String(automationId) },
        },
      });
      if (result.kind === 'appended') return { kind: 'started', runId };
      await payloads.discard([ref.ref]);
      return { kind: 'known', runId };
    },
  };
}
