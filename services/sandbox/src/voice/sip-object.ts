import { randomBytes } from 'node:crypto';
import { SIPDispatchRuleInfo, SIPInboundTrunkInfo, SIPOutboundTrunkInfo } from 'livekit-server-sdk';
import type { Executor } from '../database/transaction.ts';
import type { Json } from './twirp.ts';

export type SipKind = 'inbound_trunk' | 'outbound_trunk' | 'dispatch_rule';

export const newSid = (prefix: string): string => `${prefix}_${randomBytes(6).toString('hex')}`;

type Message = SIPInboundTrunkInfo | SIPOutboundTrunkInfo | SIPDispatchRuleInfo;

const read = { ignoreUnknownFields: true };

/** LiveKit's own message for what a client or the database says; throws on what is none. */
function parse(kind: SipKind, json: Json): Message {
  // The messages' `fromJson` checks its input; its type only excludes `undefined`.
  const input = JSON.parse(JSON.stringify(json));
  switch (kind) {
    case 'inbound_trunk':
      return SIPInboundTrunkInfo.fromJson(input, read);
    case 'outbound_trunk':
      return SIPOutboundTrunkInfo.fromJson(input, read);
    case 'dispatch_rule':
      return SIPDispatchRuleInfo.fromJson(input, read);
    default:
      return kind satisfies never;
  }
}

/** Null when the JSON is not a message of that kind. */
export function readMessage(kind: SipKind, json: Json): Message | null {
  try {
    return parse(kind, json);
  } catch {
    return null;
  }
}

/** As LiveKit's server answers: with protobuf names. */
const show = (message: Message): Json => {
  const json = message.toJson({ useProtoFieldName: true });
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
};

export async function saveSipObject(
  db: Executor,
  kind: SipKind,
  id: string,
  message: Message,
): Promise<Json> {
  const body = show(message);
  await db.query(
    `insert into voice.objects (id, kind, body) values ($1, $2, $3)
     on conflict (id) do update set body = excluded.body`,
    [id, kind, JSON.stringify(body)],
  );
  return body;
}

interface Row {
  readonly id: string;
  readonly kind: SipKind;
  readonly body: Json;
}

export async function findSipObject(
  db: Executor,
  kinds: readonly SipKind[],
  id: string,
): Promise<Row | null> {
  const { rows } = await db.query<Row>(
    'select id, kind, body from voice.objects where id = $1 and kind = any($2)',
    [id, kinds],
  );
  return rows[0] ?? null;
}

/** In the order of creation. */
export async function listSipObjects(db: Executor, kind: SipKind): Promise<readonly Row[]> {
  const { rows } = await db.query<Row>(
    'select id, kind, body from voice.objects where kind = $1 order by sequence',
    [kind],
  );
  return rows;
}

export async function deleteSipObject(db: Executor, id: string): Promise<void> {
  await db.query('delete from voice.objects where id = $1', [id]);
}
