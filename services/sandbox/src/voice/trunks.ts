import { SIPInboundTrunkInfo } from 'livekit-server-sdk';
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../provider/provider.ts';
import type { World } from '../world.ts';
import {
  deleteSipObject,
  findSipObject,
  listSipObjects,
  newSid,
  readMessage,
  type SipKind,
  saveSipObject,
} from './sip-object.ts';
import {
  bodyOf,
  type Json,
  messageField,
  protoNameOf,
  textField,
  textList,
  twirpError,
  twirpOk,
} from './twirp.ts';

interface Collection {
  readonly kind: SipKind;
  /** The method's name after its verb: `CreateSIPInboundTrunk`. */
  readonly noun: string;
  readonly idField: string;
  readonly prefix: string;
  readonly operations: {
    readonly create: 'create_trunk' | 'create_dispatch_rule';
    readonly update: 'update_trunk' | 'create_dispatch_rule';
    readonly list: 'list_trunks' | 'list_dispatch_rules';
  };
}

const trunkOperations = { create: 'create_trunk', update: 'update_trunk', list: 'list_trunks' } as const;

const collections: readonly Collection[] = [
  {
    kind: 'inbound_trunk',
    noun: 'SIPInboundTrunk',
    idField: 'sipTrunkId',
    prefix: 'ST',
    operations: trunkOperations,
  },
  {
    kind: 'outbound_trunk',
    noun: 'SIPOutboundTrunk',
    idField: 'sipTrunkId',
    prefix: 'ST',
    operations: trunkOperations,
  },
  {
    kind: 'dispatch_rule',
    noun: 'SIPDispatchRule',
    idField: 'sipDispatchRuleId',
    prefix: 'SDR',
    operations: {
      create: 'create_dispatch_rule',
      update: 'create_dispatch_rule',
      list: 'list_dispatch_rules',
    },
  },
];

const root = '/twirp/livekit.SIP';
const unknown = () => twirpError('not_found', 'object cannot be found');

/** SIP trunks and dispatch rules: create, update (replace or field by field), list, delete. */
export const trunkRoutes = (world: World): readonly ProviderRoute<'voice'>[] => [
  ...collections.flatMap((collection) => routesOf(world, collection)),
  remove(world, 'DeleteSIPTrunk', 'delete_trunk', ['inbound_trunk', 'outbound_trunk'], 'sipTrunkId'),
  remove(world, 'DeleteSIPDispatchRule', 'delete_dispatch_rule', ['dispatch_rule'], 'sipDispatchRuleId'),
];

const routesOf = (world: World, collection: Collection): readonly ProviderRoute<'voice'>[] => [
  {
    method: 'POST',
    path: `${root}/Create${collection.noun}`,
    operation: collection.operations.create,
    idempotencyKey: (request) => textField(contentOf(collection, request), 'metadata') || null,
    handle: (request) => create(world, collection, request),
  },
  {
    method: 'POST',
    path: `${root}/Update${collection.noun}`,
    operation: collection.operations.update,
    idempotencyKey: (request) => textField(bodyOf(request), collection.idField) || null,
    handle: (request) => update(world, collection, request),
  },
  {
    method: 'POST',
    path: `${root}/List${collection.noun}`,
    operation: collection.operations.list,
    handle: (request) => list(world, collection, request),
  },
];

const remove = (
  world: World,
  method: string,
  operation: 'delete_trunk' | 'delete_dispatch_rule',
  kinds: readonly SipKind[],
  idField: string,
): ProviderRoute<'voice'> => ({
  method: 'POST',
  path: `${root}/${method}`,
  operation,
  idempotencyKey: (request) => textField(bodyOf(request), idField) || null,
  handle: async (request) => {
    const found = await findSipObject(world.pool, kinds, textField(bodyOf(request), idField));
    if (!found) return unknown();
    await deleteSipObject(world.pool, found.id);
    return twirpOk(found.body);
  },
});

/** What is to be created: a trunk comes wrapped, a dispatch rule wrapped since 2025 and flat before. */
function contentOf(collection: Collection, request: ProviderRequest): Json {
  const message = bodyOf(request);
  return messageField(message, collection.kind === 'dispatch_rule' ? 'dispatchRule' : 'trunk') ?? message;
}

async function create(
  world: World,
  collection: Collection,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  const content = contentOf(collection, request);
  const fault = faultOf(collection, content);
  if (fault) return twirpError('invalid_argument', fault);
  const id = newSid(collection.prefix);
  const message = readMessage(collection.kind, { ...content, [collection.idField]: id });
  if (!message) return twirpError('invalid_argument', 'the message cannot be read');
  const conflict = await conflictOf(world, id, message);
  if (conflict) return twirpError('invalid_argument', conflict);
  return twirpOk(await saveSipObject(world.pool, collection.kind, id, message));
}

async function update(
  world: World,
  collection: Collection,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  const body = bodyOf(request);
  const known = await findSipObject(world.pool, [collection.kind], textField(body, collection.idField));
  if (!known) return unknown();
  const changes = messageField(body, 'update');
  const content =
    messageField(body, 'replace') ?? (changes && withChanges(collection.kind, known.body, changes));
  if (!content) return twirpError('invalid_argument', 'missing update action');
  const fault = faultOf(collection, content);
  if (fault) return twirpError('invalid_argument', fault);
  const { [protoNameOf(collection.idField)]: _, ...rest } = content;
  const message = readMessage(collection.kind, { ...rest, [collection.idField]: known.id });
  if (!message) return twirpError('invalid_argument', 'the message cannot be read');
  const conflict = await conflictOf(world, known.id, message);
  if (conflict) return twirpError('invalid_argument', conflict);
  return twirpOk(await saveSipObject(world.pool, collection.kind, known.id, message));
}

/** Lists change by `set`, `add` and `remove`; everything else is replaced. */
function withChanges(kind: SipKind, known: Json, changes: Json): Json {
  const named = readMessage(kind, known)?.toJson();
  const result: Record<string, unknown> = typeof named === 'object' ? { ...named } : {};
  for (const [key, change] of Object.entries(changes)) {
    const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    result[name] = isListChange(change) ? changedList(textList(result, name), { ...change }) : change;
  }
  return result;
}

const isListChange = (change: unknown): change is object =>
  typeof change === 'object' &&
  change !== null &&
  ['set', 'add', 'remove', 'clear'].some((key) => key in change);

function changedList(known: readonly string[], change: Json): readonly string[] {
  if (change.clear === true) return [];
  const set = textList(change, 'set');
  const base = set.length > 0 ? set : known;
  const removed = textList(change, 'remove');
  return [...base, ...textList(change, 'add')].filter((item) => !removed.includes(item));
}

function faultOf({ kind }: Collection, content: Json): string | null {
  if (kind === 'outbound_trunk' && textField(content, 'address') === '')
    return 'outbound address must be set';
  if (kind === 'outbound_trunk' && textList(content, 'numbers').length === 0)
    return 'no trunk numbers specified';
  const isOpen =
    kind === 'inbound_trunk' &&
    textList(content, 'numbers').length === 0 &&
    textList(content, 'allowedAddresses').length === 0 &&
    textField(content, 'authUsername') === '';
  return isOpen
    ? 'for security, one of the fields must be set: numbers, allowed addresses, or credentials'
    : null;
}

/** A number's calls come in by one trunk, or by several for different callers (`ValidateTrunks` of livekit/protocol). */
async function conflictOf(world: World, id: string, message: object): Promise<string | null> {
  if (!(message instanceof SIPInboundTrunkInfo)) return null;
  for (const { id: otherId, body } of await listSipObjects(world.pool, 'inbound_trunk')) {
    const other = otherId === id ? null : readMessage('inbound_trunk', body);
    if (!(other instanceof SIPInboundTrunkInfo) || !overlap(orAny(message.numbers), orAny(other.numbers)))
      continue;
    if (overlap(orAny(message.allowedNumbers), orAny(other.allowedNumbers)))
      return `Conflicting inbound SIP Trunks: "<new>" and "${otherId}", using the same number(s) ${JSON.stringify(message.numbers)} without AllowedNumbers set`;
  }
  return null;
}

const orAny = (numbers: readonly string[]): readonly string[] => (numbers.length > 0 ? numbers : ['']);
const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((number) => others.includes(number));

async function list(world: World, collection: Collection, request: ProviderRequest): Promise<ProviderAnswer> {
  const body = bodyOf(request);
  const ids = [...textList(body, 'trunkIds'), ...textList(body, 'dispatchRuleIds')];
  const numbers = textList(body, 'numbers');
  const all = await listSipObjects(world.pool, collection.kind);
  // Of inbound trunks those that have the line, however its number is written.
  const found = collection.kind === 'inbound_trunk' ? lineOf : (number: string) => number;
  const wanted = numbers.map(found);
  const items = all
    .filter(({ id }) => ids.length === 0 || collection.kind === 'dispatch_rule' || ids.includes(id))
    .filter(
      (item) =>
        wanted.length === 0 ||
        textList(item.body, 'numbers').some((number) => wanted.includes(found(number))),
    );
  return twirpOk({ items: items.map((item) => item.body) });
}

/** `NormalizeNumber` of livekit/protocol. */
const lineOf = (number: string): string =>
  /^\+?[\d\- ()]+$/.test(number) ? `+${number.replaceAll(/\D/g, '')}` : number;
