import type { AssistantEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { changeOf } from '../../assistant/assistant.ts';
import { type Reference, type ReferenceKind, referencesOf } from '../../assistant/facts.ts';

export type RecordedAssistantEvent = RecordedEvent & AssistantEvent;

/** What a batch of events comes to for one assistant; the keys are columns. */
export interface NetAssistantChange {
  readonly id: number;
  readonly version: number;
  /** The fields of the resource that are set. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Kinds of references that were set: what the row says of these kinds is replaced. */
  readonly replaced: readonly ReferenceKind[];
  /** Names of the references of these kinds that the assistant has now: `folder-12`. */
  readonly added: readonly string[];
  /** Present when the batch itself created it. */
  readonly created?: { readonly accountId: number | null; readonly position: number };
  readonly deleted?: { readonly accountId: number | null };
}

/** One change per assistant, however many events a batch holds about it. */
export function netAssistantChanges(events: readonly RecordedAssistantEvent[]): NetAssistantChange[] {
  const byStream = new Map<string, NetAssistantChange>();
  for (const event of events) byStream.set(event.streamId, afterEvent(byStream.get(event.streamId), event));
  return [...byStream.values()];
}

/** Name of a reference, which is also the id of the stream of what it points at: `folder-12`. */
export const referenceName = ({ kind, id }: Reference): string => `${kind}-${id}`;

/** What an assistant's events come to, with one more of them. */
export function afterEvent(
  earlier: NetAssistantChange | undefined,
  event: RecordedAssistantEvent,
): NetAssistantChange {
  const { accountId, position, recordedAt, streamId, streamVersion: version } = event;
  if (event.type === 'AssistantCreated') {
    const { id, uuid, settings } = event.data;
    return {
      id,
      version,
      fields: {
        ...unset,
        ...settings,
        id,
        uuid,
        user_id: accountId,
        status: 'inactive',
        created_at: recordedAt,
        updated_at: recordedAt,
      },
      replaced: [],
      added: referencesOf(settings).map(referenceName),
      created: { accountId, position },
    };
  }
  const id = Number(streamId.slice(streamId.lastIndexOf('-') + 1));
  const change = changeOf(event);
  const { fields = {}, replaced = [], added = [], ...rest } = earlier ?? {};
  const kind = replacedBy(event);
  return {
    ...rest,
    id,
    version,
    fields: { ...fields, ...change, updated_at: recordedAt },
    replaced: kind && !replaced.includes(kind) ? [...replaced, kind] : replaced,
    added: kind
      ? [...added.filter((name) => !name.startsWith(`${kind}-`)), ...referencesOf(change).map(referenceName)]
      : added,
    ...(event.type === 'AssistantDeleted' && { deleted: { accountId } }),
  };
}

function replacedBy({ type }: AssistantEvent): ReferenceKind | undefined {
  switch (type) {
    case 'AssistantMovedToFolder':
      return 'folder';
    case 'AssistantLabelled':
      return 'label';
    case 'AssistantKnowledgebaseChanged':
      return 'knowledgebase';
    default:
      return undefined;
  }
}

/** Fields of the resource that nothing in this service sets. */
const unset = {
  engine_id: null,
  synthesizer_id: null,
  transcriber_id: null,
  transcriber_provider_id: null,
  synthesizer_provider_id: null,
  flows_platform_id: null,
  language: null,
  deleted_at: null,
  /** This installation. */
  instance_id: 1,
};
