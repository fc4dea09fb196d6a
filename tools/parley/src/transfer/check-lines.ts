import { createHash, type Hash } from 'node:crypto';
import { events, serviceNames, upcastMessage } from '@parley/contracts';
import { parseJson } from '@parley/process-kit';
import { CommandFailed } from '../exit-codes.ts';
import {
  type ExportedEvent,
  type ExportedIds,
  type ExportLine,
  exportLine,
  withPlaceholders,
} from './lines.ts';

/** What a file holds of one account for one service. */
export interface ServicePart {
  readonly accountId: number;
  events: number;
  /** When the last event was recorded; null without events. */
  lastAt: string | null;
  /** How many events each stream has. */
  readonly streams: Map<string, number>;
  readonly names: { scope: string; key: string; owner: string }[];
  nextIds: Record<string, number>;
}

const definitions = new Map(events.map((event) => [`${event.service} ${event.type}`, event]));

/** Checks the lines of an export one after the other; throws at the first fault, and then nothing is imported. */
export class LineCheck {
  /** By account, then by service. */
  readonly accounts = new Map<number, Map<string, ServicePart>>();
  #part = new Map<string, ServicePart>();
  /** Services that came to their end: their ids are the last that an export asks them for. */
  readonly #whole = new Set<string>();
  #hash: Hash = createHash('sha256');
  #events = 0;
  #line = 0;
  #lastAt = '';
  #accountId: number | undefined;

  add(text: string): ExportLine {
    this.#line += 1;
    const line = exportLine.safeParse(parseJson(text)).data;
    if (!line) throw this.#fault('is not a line of an export');
    if ('end' in line) this.#end(line.end);
    else {
      this.#hash.update(`${text}\n`);
      if ('event_id' in line) this.#addEvent(line);
      else if ('name' in line) this.#partOf(line.service).names.push(line.name);
      else this.#addIds(line);
    }
    return line;
  }

  /** After the last line. */
  finish(): void {
    if (this.#events > 0 || this.#part.size > 0)
      throw new CommandFailed('The file is cut off: its last line is missing.');
    if (this.accounts.size === 0) throw new CommandFailed('The file holds no account.');
  }

  #addEvent(event: ExportedEvent): void {
    const { service, stream_id, stream_version, account_id, recorded_at } = event;
    this.#accountId ??= account_id ?? undefined;
    if (account_id === null || account_id !== this.#accountId)
      throw this.#fault('belongs to another account than those before it');
    if (recorded_at < this.#lastAt) throw this.#fault('was recorded before the one before it');
    const part = this.#partOf(service);
    const version = (part.streams.get(stream_id) ?? 0) + 1;
    if (stream_version !== version)
      throw this.#fault(`is version ${stream_version} of ${stream_id}, and ${version} is missing`);
    this.#checkPayload(event);
    part.streams.set(stream_id, version);
    part.lastAt = recorded_at;
    part.events += 1;
    this.#events += 1;
    this.#lastAt = recorded_at;
  }

  #addIds({ service, next_ids }: ExportedIds): void {
    this.#partOf(service).nextIds = next_ids;
    this.#whole.add(service);
  }

  #checkPayload(event: ExportedEvent): void {
    const definition = definitions.get(`${event.service} ${event.type}`);
    if (!definition || event.category !== definition.category || event.schema_version > definition.version)
      throw this.#fault(
        `is a ${event.type} (version ${event.schema_version}) that this release does not know`,
      );
    const { data } = upcastMessage({ ...event, position: 0, data: withPlaceholders(event) });
    if (!definition.data.safeParse(data).success) throw this.#fault(`is no valid ${event.type}`);
  }

  #end({ account_id, events: count, sha256 }: { account_id: number; events: number; sha256: string }): void {
    if (sha256 !== this.#hash.digest('hex'))
      throw this.#fault('does not vouch for the lines before it: they were changed, or some are missing');
    if (count !== this.#events || account_id !== (this.#accountId ?? account_id))
      throw this.#fault('belongs to another export');
    const missing = serviceNames.filter((service) => !this.#whole.has(service));
    if (missing.length > 0)
      throw this.#fault(`ends an account without what it has in ${missing.join(', ')}: export it again`);
    if (this.accounts.has(account_id)) throw this.#fault(`ends account ${account_id} a second time`);
    this.accounts.set(account_id, this.#part);
    this.#part = new Map();
    this.#whole.clear();
    this.#hash = createHash('sha256');
    this.#events = 0;
    this.#lastAt = '';
    this.#accountId = undefined;
  }

  #partOf(service: string): ServicePart {
    const known = this.#part.get(service);
    if (known) return known;
    const part: ServicePart = {
      ...{ accountId: this.#accountId ?? 0, events: 0, lastAt: null, names: [], nextIds: {} },
      streams: new Map(),
    };
    this.#part.set(service, part);
    return part;
  }

  #fault(what: string): CommandFailed {
    return new CommandFailed(`Line ${this.#line} ${what}. Nothing was imported.`);
  }
}
