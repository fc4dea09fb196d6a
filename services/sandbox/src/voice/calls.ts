import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { contactWaId } from '../chat/contact.ts';
import { saveConnectedCall } from '../chat/permission.ts';
import { findSender } from '../chat/sender.ts';
import type { Tell } from '../world.ts';
import {
  type Call,
  callsInRoom,
  closeRoom,
  deleteCall,
  openRoom,
  type Room,
  ringingCall,
  saveCall,
} from './call.ts';
import { type CallReport, type Ending, reportOf, withReport } from './report.ts';
import { listSipObjects, newSid } from './sip-object.ts';
import { textField, textList } from './twirp.ts';
import { participantJoined, participantLeft, recordingEnded, roomFinished, roomStarted } from './webhook.ts';

export type NewCall = Omit<Call, 'sip_call_id' | 'participant_sid' | 'created_at'>;

/** Adds a SIP participant to its room, which is created when needed; null when the room has that identity already. */
export async function startCall(
  db: pg.PoolClient,
  tell: Tell,
  wanted: NewCall,
  now: Date,
): Promise<Call | null> {
  const { room, isNew } = await openRoom(db, wanted.room_name, '', now);
  const call: Call = {
    ...wanted,
    sip_call_id: newSid('SCL'),
    participant_sid: newSid('PA'),
    created_at: now,
  };
  if (!(await saveCall(db, call))) return null;
  if (isNew) await tell(roomStarted(room, now));
  await tell(participantJoined(room, call, now));
  return call;
}

/** The participant leaves; with the last one the room closes, and its metadata carries the report. */
export async function endCall(
  db: pg.PoolClient,
  tell: Tell,
  call: Call,
  ending: Ending,
  now: Date,
): Promise<CallReport> {
  const { room } = await openRoom(db, call.room_name, '', now);
  const report = reportOf(call, ending, now);
  await deleteCall(db, call.sip_call_id);
  await tell(participantLeft(room, call, report.outcome, now));
  const tellRecording = async () => {
    if (ending.recordingUrl !== null && report.answered_at !== null)
      await tell(recordingEnded(room, ending.recordingUrl, new Date(report.answered_at), now));
  };
  if (!report.recording_follows) await tellRecording();
  if ((await callsInRoom(db, room.name)).length === 0) await finishRoom(db, tell, room, report, now);
  if (report.recording_follows) await tellRecording();
  if (report.outcome === 'completed') await countForChat(db, report, now);
  return report;
}

async function finishRoom(
  db: pg.PoolClient,
  tell: Tell,
  room: Room,
  report: CallReport,
  now: Date,
): Promise<void> {
  await closeRoom(db, room.name);
  await tell(roomFinished({ ...room, metadata: withReport(room.metadata, report) }, now));
}

/**
 * Where one side is a number of a sender, a connected call also counts as a call between sender and customer in the
 * chat app.
 */
async function countForChat(db: pg.PoolClient, { from, to }: CallReport, now: Date): Promise<void> {
  for (const [ours, theirs] of [
    [from, to],
    [to, from],
  ] as const) {
    const sender = await findSender(db, 'phone_number', ours);
    if (sender) await saveConnectedCall(db, sender.phone_number_id, contactWaId(theirs), now);
  }
}

export interface PlayedCall extends Ending {
  readonly direction: 'inbound' | 'outbound';
  readonly from: string;
  readonly to: string;
}

/**
 * Plays a whole call to its end. An outbound call that is ringing from and to these numbers is the one that ends;
 * else a new one is started.
 */
export async function playCall(
  db: pg.PoolClient,
  tell: Tell,
  played: PlayedCall,
  now: Date,
): Promise<{ readonly call: Call; readonly report: CallReport }> {
  const ringing = played.direction === 'outbound' ? await ringingCall(db, played.to, played.from) : null;
  const startedAt = new Date(now.getTime() - (played.outcome === 'completed' ? played.durationS * 1000 : 0));
  const call = ringing ?? (await startCall(db, tell, await unplanned(db, played), startedAt));
  if (!call) throw new Error('A room with a fresh name had a participant.');
  return { call, report: await endCall(db, tell, call, played, now) };
}

/** A new call that Parley did not ask for, through the trunk that has its number. */
async function unplanned(db: pg.PoolClient, { direction, from, to }: PlayedCall): Promise<NewCall> {
  const ours = direction === 'inbound' ? to : from;
  const theirs = direction === 'inbound' ? from : to;
  const trunks = await listSipObjects(db, `${direction}_trunk`);
  const trunk = trunks.find(({ body }) => textList(body, 'numbers').includes(ours));
  const [rule] = direction === 'inbound' ? await listSipObjects(db, 'dispatch_rule') : [];
  return {
    room_name: `call-_${theirs}_${randomUUID()}`,
    direction,
    trunk_id: trunk ? textField(trunk.body, 'sipTrunkId') : '',
    remote_number: theirs,
    local_number: ours,
    identity: `sip_${theirs}`,
    participant_name: theirs,
    participant_metadata: '',
    attributes: rule ? { 'sip.ruleID': rule.id } : {},
  };
}
