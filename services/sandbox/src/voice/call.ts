import { nationalFormOf } from '@parley/phone-numbers';
import type { Executor } from '../database/transaction.ts';
import { newSid } from './sip-object.ts';

export interface Room {
  readonly name: string;
  readonly sid: string;
  readonly metadata: string;
  readonly created_at: Date;
}

/** A SIP participant of a room. */
export interface Call {
  readonly sip_call_id: string;
  readonly room_name: string;
  readonly direction: 'inbound' | 'outbound';
  readonly trunk_id: string;
  readonly remote_number: string;
  readonly local_number: string;
  readonly identity: string;
  readonly participant_sid: string;
  readonly participant_name: string;
  readonly participant_metadata: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly created_at: Date;
}

const callColumns = `sip_call_id, room_name, direction, trunk_id, remote_number, local_number, identity,
  participant_sid, participant_name, participant_metadata, attributes, created_at`;

/** Finds or creates the room; `isNew` when it was created. */
export async function openRoom(
  db: Executor,
  name: string,
  metadata: string,
  now: Date,
): Promise<{ readonly room: Room; readonly isNew: boolean }> {
  const { rows } = await db.query<Room>(
    `insert into voice.rooms (name, sid, metadata, created_at) values ($1, $2, $3, $4)
     on conflict (name) do nothing returning name, sid, metadata, created_at`,
    [name, newSid('RM'), metadata, now],
  );
  const [made] = rows;
  if (made) return { room: made, isNew: true };
  const room = await findRoom(db, name);
  if (!room) throw new Error(`The room ${name} vanished.`);
  return { room, isNew: false };
}

/** The room, locked until the transaction ends. */
export async function findRoom(db: Executor, name: string): Promise<Room | null> {
  const { rows } = await db.query<Room>(
    'select name, sid, metadata, created_at from voice.rooms where name = $1 for update',
    [name],
  );
  return rows[0] ?? null;
}

export async function listRooms(db: Executor, names: readonly string[]): Promise<readonly Room[]> {
  const { rows } = await db.query<Room>(
    `select name, sid, metadata, created_at from voice.rooms
     where cardinality($1::text[]) = 0 or name = any($1) order by created_at, name`,
    [names],
  );
  return rows;
}

export async function setRoomMetadata(db: Executor, name: string, metadata: string): Promise<Room | null> {
  const { rows } = await db.query<Room>(
    'update voice.rooms set metadata = $2 where name = $1 returning name, sid, metadata, created_at',
    [name, metadata],
  );
  return rows[0] ?? null;
}

/** The room and everyone in it are gone. */
export async function closeRoom(db: Executor, name: string): Promise<void> {
  await db.query('delete from voice.rooms where name = $1', [name]);
}

/** False when the room has a participant of that identity already. */
export async function saveCall(db: Executor, call: Call): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into voice.calls (${callColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (room_name, identity) do nothing`,
    [
      call.sip_call_id,
      call.room_name,
      call.direction,
      call.trunk_id,
      call.remote_number,
      call.local_number,
      call.identity,
      call.participant_sid,
      call.participant_name,
      call.participant_metadata,
      JSON.stringify(call.attributes),
      call.created_at,
    ],
  );
  return rowCount === 1;
}

export async function callsInRoom(db: Executor, roomName: string): Promise<readonly Call[]> {
  const { rows } = await db.query<Call>(
    `select ${callColumns} from voice.calls where room_name = $1 order by created_at, sip_call_id`,
    [roomName],
  );
  return rows;
}

/** Null when nobody is there by that identity. */
export async function changeAttributes(
  db: Executor,
  of: { readonly room: string; readonly identity: string; readonly changes: Call['attributes'] },
): Promise<Call | null> {
  const isRemoved = ([, value]: readonly [string, string]) => value === '';
  const changes = Object.entries(of.changes);
  const set = Object.fromEntries(changes.filter((change) => !isRemoved(change)));
  const removed = changes.filter(isRemoved).map(([name]) => name);
  const { rows } = await db.query<Call>(
    `update voice.calls set attributes = (attributes || $3::jsonb) - $4::text[]
     where room_name = $1 and identity = $2 returning ${callColumns}`,
    [of.room, of.identity, JSON.stringify(set), removed],
  );
  return rows[0] ?? null;
}

const ringing = `from voice.calls
  where direction = 'outbound' and remote_number = any($1) and local_number in ($2, '')`;

/** How a number in E.164 is dialed, by the calling format of the trunk: with its plus, without it, or nationally. */
const dialedForms = (number: string): readonly string[] => {
  const national = nationalFormOf(number);
  return [number, number.slice(1), ...(national === undefined ? [] : [national])];
};

/** The longest ringing outbound call to that number, from ours; null when none rings. */
export async function ringingCall(db: Executor, to: string, from: string): Promise<Call | null> {
  const { rows } = await db.query<Call>(
    `select ${callColumns} ${ringing} order by created_at, sip_call_id limit 1 for update`,
    [dialedForms(to), from],
  );
  return rows[0] ?? null;
}

export async function isRinging(db: Executor, to: string, from: string): Promise<boolean> {
  const { rowCount } = await db.query(`select ${ringing} limit 1`, [dialedForms(to), from]);
  return rowCount === 1;
}

export async function deleteCall(db: Executor, sipCallId: string): Promise<void> {
  await db.query('delete from voice.calls where sip_call_id = $1', [sipCallId]);
}
