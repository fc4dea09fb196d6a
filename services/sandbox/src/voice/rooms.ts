import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../provider/provider.ts';
import type { World } from '../world.ts';
import {
  type Call,
  callsInRoom,
  changeAttributes,
  closeRoom,
  findRoom,
  listRooms,
  openRoom,
  type Room,
  setRoomMetadata,
} from './call.ts';
import { endCall } from './calls.ts';
import { hungUp } from './report.ts';
import { newSid } from './sip-object.ts';
import { bodyOf, type Json, textField, textList, textMap, twirpError, twirpOk } from './twirp.ts';
import { participantMessage, roomFinished, roomMessage, roomStarted } from './webhook.ts';

const root = '/twirp/livekit.RoomService';
const protoNames = { useProtoFieldName: true };
const unknownRoom = () => twirpError('not_found', 'requested room does not exist');

type Handle = (world: World, body: Json) => Promise<ProviderAnswer>;

/** Rooms, as far as calls need them: who is in one, what it says, and ending it. */
export const roomRoutes = (world: World): readonly ProviderRoute<'voice'>[] => [
  route(world, 'CreateRoom', 'get_room', createRoom, 'name'),
  route(world, 'ListRooms', 'get_room', list),
  route(world, 'UpdateRoomMetadata', 'get_room', updateMetadata, 'room'),
  route(world, 'ListParticipants', 'get_room', listParticipants),
  route(world, 'GetParticipant', 'get_room', getParticipant),
  route(world, 'UpdateParticipant', 'get_room', updateParticipant, 'room'),
  route(world, 'RemoveParticipant', 'end_call', removeParticipant, 'room'),
  route(world, 'DeleteRoom', 'end_call', deleteRoom, 'room'),
  {
    method: 'POST',
    path: '/twirp/livekit.AgentDispatchService/CreateDispatch',
    operation: 'dispatch_agent',
    idempotencyKey: (request) => textField(bodyOf(request), 'room') || null,
    handle: async (request) => twirpOk({ ...bodyOf(request), id: newSid('AD') }),
  },
];

const route = (
  world: World,
  method: string,
  operation: 'get_room' | 'end_call',
  handle: Handle,
  keyField?: string,
): ProviderRoute<'voice'> => ({
  method: 'POST',
  path: `${root}/${method}`,
  operation,
  ...(keyField
    ? { idempotencyKey: (request: ProviderRequest) => textField(bodyOf(request), keyField) || null }
    : {}),
  handle: (request) => handle(world, bodyOf(request)),
});

const show = (room: Room, participants: number) => roomMessage(room, participants).toJson(protoNames);
const showCall = (call: Call) => participantMessage(call).toJson(protoNames);

async function createRoom(world: World, body: Json): Promise<ProviderAnswer> {
  const name = textField(body, 'name');
  if (name === '') return twirpError('invalid_argument', 'room name is required');
  const now = world.clock.now();
  const { room } = await world.change(async (db, tell) => {
    const opened = await openRoom(db, name, textField(body, 'metadata'), now);
    if (opened.isNew) await tell(roomStarted(opened.room, now));
    return opened;
  });
  return twirpOk(show(room, 0));
}

async function list(world: World, body: Json): Promise<ProviderAnswer> {
  const rooms = await listRooms(world.pool, textList(body, 'names'));
  const shown = await Promise.all(
    rooms.map(async (room) => show(room, (await callsInRoom(world.pool, room.name)).length)),
  );
  return twirpOk({ rooms: shown });
}

async function updateMetadata(world: World, body: Json): Promise<ProviderAnswer> {
  const room = await setRoomMetadata(world.pool, textField(body, 'room'), textField(body, 'metadata'));
  return room ? twirpOk(show(room, (await callsInRoom(world.pool, room.name)).length)) : unknownRoom();
}

async function listParticipants(world: World, body: Json): Promise<ProviderAnswer> {
  const calls = await callsInRoom(world.pool, textField(body, 'room'));
  return twirpOk({ participants: calls.map(showCall) });
}

const withIdentity = (calls: readonly Call[], body: Json) =>
  calls.find(({ identity }) => identity === textField(body, 'identity'));

async function getParticipant(world: World, body: Json): Promise<ProviderAnswer> {
  const call = withIdentity(await callsInRoom(world.pool, textField(body, 'room')), body);
  return call ? twirpOk(showCall(call)) : twirpError('not_found', 'participant does not exist');
}

/** Attributes that are not named stay, and those that are set to nothing go. */
async function updateParticipant(world: World, body: Json): Promise<ProviderAnswer> {
  const call = await changeAttributes(world.pool, {
    room: textField(body, 'room'),
    identity: textField(body, 'identity'),
    changes: textMap(body, 'attributes'),
  });
  return call ? twirpOk(showCall(call)) : twirpError('not_found', 'participant does not exist');
}

async function removeParticipant(world: World, body: Json): Promise<ProviderAnswer> {
  return world.change(async (db, tell) => {
    const call = withIdentity(await callsInRoom(db, textField(body, 'room')), body);
    if (!call) return twirpError('not_found', 'participant does not exist');
    await endCall(db, tell, call, hungUp, world.clock.now());
    return twirpOk({});
  });
}

async function deleteRoom(world: World, body: Json): Promise<ProviderAnswer> {
  const now = world.clock.now();
  return world.change(async (db, tell) => {
    const room = await findRoom(db, textField(body, 'room'));
    if (!room) return unknownRoom();
    const calls = await callsInRoom(db, room.name);
    for (const call of calls) await endCall(db, tell, call, hungUp, now);
    if (calls.length === 0) {
      await closeRoom(db, room.name);
      await tell(roomFinished(room, now));
    }
    return twirpOk({});
  });
}
