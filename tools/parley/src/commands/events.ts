import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { events as definitions, type RecordedEventMessage } from '@parley/contracts';
import { askAll, expectAll } from '../operator/ask-all.ts';
import {
  type EventFilter,
  type LogEvent,
  readHead,
  readLog,
  readPositionBefore,
} from '../operator/event-log.ts';
import { LogFollower } from '../operator/log-follower.ts';
import { mergeByTime } from '../operator/merge-by-time.ts';
import { expectAccount, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { type JsonObject, redactBesidesPersonal, redactFields } from '../output/redact.ts';
import { formatTime } from '../output/time.ts';
import { inlineFields } from '../output/value.ts';
import { withData } from '../output/with-data.ts';
import { writeOut } from '../output/write-out.ts';

export interface EventsOptions {
  readonly filter: EventFilter;
  /** Events with a greater position, per service. */
  readonly after: number;
  /** Events from this time on. */
  readonly since?: string;
  /** At most so many events, the newest ones. */
  readonly last?: number;
  readonly follow: boolean;
  readonly json: boolean;
}

const followEveryMs = 250;

/**
 * Prints the logs of all services, merged by time: the events that are there and, with `follow`, new ones as they
 * come. Ends when `stop` is aborted. Without `follow` it throws `CommandFailed` (3) in the end where a service did not answer.
 */
export async function printEvents(
  operator: Operator,
  options: EventsOptions,
  stop: AbortSignal,
): Promise<void> {
  const show = options.filter.subject === undefined ? forOperators : forTheirPerson;
  let printed = 0;
  const print = async (event: LogEvent) => {
    if (stop.aborted) return;
    printed += 1;
    await writeOut(
      `${options.json ? toJson({ ...event, data: show(event) }) : asLine(event, show(event))}\n`,
      stop,
    );
  };
  const ends = await askAll((service) => readEnds(operator, service, options));
  const logs = ends.map(({ service, value: { start, head } }) => ({
    service,
    head,
    events: readLog(operator, service, options.filter, start, head),
  }));

  const newest: LogEvent[] = [];
  for await (const event of mergeByTime(logs.map(({ events }) => events))) {
    if (stop.aborted) return;
    if (options.last === undefined) await print(event);
    else newest.push(event);
    if (options.last !== undefined && newest.length > options.last) newest.shift();
  }
  for (const event of newest) await print(event);
  if (!options.follow) {
    expectAll(ends);
    if (printed === 0) {
      const { accountId, subject } = options.filter;
      // Of whom an account that there is not keeps nothing another one may keep a lot.
      if (subject !== undefined) await expectAccount(operator, accountId);
      process.stderr.write(`${nothingFound(options)}\n`);
    }
    return;
  }

  const positions = new Map(logs.map(({ service, head }) => [service, head]));
  const follower = new LogFollower(operator, options.filter, positions, options.after);
  while (!stop.aborted) {
    await sleep(followEveryMs, undefined, { signal: stop }).catch(() => undefined);
    for (const event of await follower.next(stop)) await print(event);
  }
}

const nothingFound = ({ filter: { subject }, after, since, last }: EventsOptions): string =>
  subject === undefined || after > 0 || since !== undefined || last === 0
    ? 'There are no such events.'
    : `Nothing is on record of ${subject}: look whether it is the right number, unless they were erased.`;

/** Where to begin in the log of a service, and where it ends. */
async function readEnds(operator: Operator, service: string, options: EventsOptions) {
  const head = await readHead(operator, service);
  const { since } = options;
  const before = since === undefined ? 0 : await readPositionBefore(operator, service, since, head);
  return { start: Math.max(before, startOf(options, head)), head };
}

/** Without filters the newest ones stand at the end of the log; with filters they have to be looked for. */
function startOf({ filter, after, last }: EventsOptions, head: number): number {
  const isFiltered =
    filter.streamId !== undefined ||
    filter.types.length > 0 ||
    filter.accountId !== undefined ||
    filter.actor !== undefined;
  return last === undefined || isFiltered ? after : Math.max(after, head - last);
}

const forOperators = ({ data }: LogEvent): JsonObject => redactFields(data);

const personal = new Map(definitions.map((definition) => [definition.type, definition.personal ?? {}]));
const forTheirPerson = ({ type, data }: LogEvent): JsonObject =>
  redactBesidesPersonal(data, personal.get(type) ?? {});

function asLine(event: LogEvent, data: JsonObject): string {
  const { stdout } = process;
  const head = [
    styleText('dim', formatTime(event.recorded_at), { stream: stdout }),
    `${event.service} ${event.position}`.padEnd(18),
    `${event.stream_id} v${event.stream_version}`.padEnd(18),
    styleText('cyan', event.type.padEnd(20), { stream: stdout }),
    describeOrigin(event),
  ].join('  ');
  return withData(head, inlineFields(data), '  ');
}

function describeOrigin({ account_id, metadata }: RecordedEventMessage): string {
  const account = account_id === null ? 'platform' : `account ${account_id}`;
  return `${account} by ${metadata.actor.kind} ${metadata.actor.id}`;
}
