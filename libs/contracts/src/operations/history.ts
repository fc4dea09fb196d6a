import { z } from 'zod';
import { publicEvents } from '../history/all-events.ts';
import { actorFilter, eventNames, isEventName } from '../history/history-filters.ts';
import { asOf, pageParameter, perPage, queryResource, queryTime, text, textUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const history = {
  service: 'accounts',
  tag: 'History',
  errorShape: 'message',
} as const;

const timestamp = z.iso.datetime({ offset: true, error: 'The :attribute field must be an ISO 8601 time.' });
const json = z.record(z.string(), z.json());

const actor = z
  .object({
    kind: z.string().describe('`api_key`, `operator`, `automation`, `provider` or `system`.'),
    id: z.string().describe('Which one, such as the id of the API key.'),
  })
  .describe('Who did it.');

const resource = () =>
  queryResource().describe(
    'The noun of its path and its id, for example `assistant/12`, or `balance`; of a conversation the number `id`, not the `uuid` that its paths take.',
  );

const change = z
  .object({
    event: z.string().describe('Its type, such as `WebhookDisabled`.'),
    event_id: z.string(),
    summary: z.string().describe('One sentence on what happened.'),
    version: z.int().describe('Of the resource.'),
    position: z.int().describe("Of the log of the resource's service: good for `as_of`."),
    occurred_at: timestamp,
    actor,
    request_id: z.string().describe('The `X-Request-Id` of what it was a part of.'),
    caused_by: z.string().describe('The request or the event that led to it.'),
    before: json.describe('The fields that changed, as they were.'),
    after: json.describe('The same fields, as they became.'),
  })
  .meta({ id: 'Change' });

export const listHistory = defineOperation({
  ...history,
  name: 'list-history',
  kind: 'query',
  method: 'GET',
  path: '/api/user/history',
  summary: 'Every change of one resource, newest first: who, when, by which request, from what to what',
  description:
    '`resource` is the noun of the paths and the id, for example `assistant/12`; `conversation/4` by its number, not by its `uuid`; `permission/3:+491701234567`, `balance`. `actor` is an id (`12`), a kind (`operator`) or both (`api_key:12`); `type` are names of events, which `/asyncapi.json` lists, with commas between them.',
  notFoundMessage: 'Resource not found',
  query: z.object({
    resource: resource(),
    actor: actorFilter().optional().describe('Only what this one did: an id, a kind, or both.'),
    since: queryTime(timestamp).optional().describe('Only what happened at this time or later.'),
    until: queryTime(timestamp).optional().describe('Only what happened at this time or before.'),
    type: eventNames(isEventName).optional().describe('Only these events.'),
    cursor: text()
      .regex(/^[1-9]\d{0,8}$/, { error: 'The :attribute field is not a cursor.' })
      .optional()
      .describe('`next_cursor` of the page before.'),
    per_page: perPage(20),
  }),
  example: { resource: 'assistant/1' },
  success: {
    status: 200,
    schema: z.object({
      data: z.array(change),
      next_cursor: z
        .string()
        .nullable()
        .describe(
          '`cursor` of the next page; null on the last one. A page of large changes is shorter than `per_page`. It looks at 10,000 changes at most: with a filter it may show few of them, or none, and not be the last.',
        ),
    }),
  },
});

export const getPastState = defineOperation({
  ...history,
  name: 'get-past-state',
  kind: 'query',
  method: 'GET',
  path: '/api/user/history/state',
  summary: 'One resource as it was, whatever kind it is',
  description:
    '`resource` as in the history: for what has no GET of its own as well, like `lead/7`, `campaign/2`, `number/4`, `template/3`. With `as_of` (a timestamp or a position) as it was at that moment. Not found before it existed and once it was deleted; a number that was given back has the status `released`.',
  notFoundMessage: 'Resource not found',
  query: z.object({ resource: resource(), as_of: asOf() }),
  example: { resource: 'assistant/1' },
  success: {
    status: 200,
    schema: z.object({
      data: z.object({
        resource: z.string(),
        version: z.int().describe('Of the resource, at that moment.'),
        position: z.int().describe('Of its last change before that moment.'),
        changed_at: timestamp.describe('When that was.'),
        state: json.describe('All its fields at that moment.'),
      }),
    }),
  },
});

export const revertChange = defineOperation({
  ...history,
  name: 'revert-change',
  kind: 'command',
  method: 'POST',
  path: '/api/user/history/{event_id}/revert',
  summary: 'Undo one change: its resource gets the earlier values back by a new event',
  description:
    'Refused with 422 and the reason where it is impossible: creations and deletions, what the outside world did, and fields that were changed again since.',
  notFoundMessage: 'Event not found',
  params: z.object({ event_id: z.uuid().toLowerCase().describe('Of the change, as the history shows it.') }),
  rejections: ['not_revertible', 'invalid_definition', 'sip_trunk_exists', 'voice_platform_refused'],
  success: {
    status: 200,
    schema: z.object({
      message: z.string(),
      data: z.object({
        resource: z.string(),
        event: z.string().describe('The change that was undone.'),
        event_id: z.string(),
        restored: json.describe('The fields that got their earlier values back.'),
      }),
    }),
  },
});

const maxPosition = Number.MAX_SAFE_INTEGER;

/** An event of an account's log. `position` counts that log from 1, without gaps: the same for ever. */
const loggedEvent = z
  .object({
    position: z.int().positive().describe('Of the account’s log, counted from 1 without gaps.'),
    event_id: z.string(),
    type: z.string().describe('Such as `WebhookDisabled`.'),
    schema_version: z.int().describe('Of `data`.'),
    service: z.string().describe('Where it is at home.'),
    service_position: z.int().describe("Of the service's own log: good for `as_of`."),
    stream_id: z.string().describe('What it happened to, such as `folder-12`.'),
    stream_version: z.int().describe('Which event of that one it is, counted from 1.'),
    occurred_at: timestamp,
    actor,
    request_id: z.string().describe('The `X-Request-Id` of what it was a part of.'),
    caused_by: z.string().describe('The request or the event that led to it.'),
    data: json.describe(
      'As `/asyncapi.json` has it for the type, but for hashes of tokens, which are left out.',
    ),
  })
  .meta({ id: 'LoggedEvent' });

export const listEvents = defineOperation({
  ...history,
  name: 'list-events',
  kind: 'query',
  method: 'GET',
  path: '/api/user/events',
  summary: 'Everything that happened in the account, in order, from all services',
  description:
    'Positions count from 1 without gaps and never change. Go on with `after=<next_position>`; a page of large events is shorter than `limit`, and one by `types` or `actor` may be empty before the end: it looks through 250,000 events, or for two seconds. With `Accept: text/event-stream` the same as server-sent events, as they happen: `id` is the position, `Last-Event-ID` resumes. `types` are names of events, which `/asyncapi.json` lists, with commas between them.',
  isFeed: true,
  query: z.object({
    after: pageParameter(0, 0, maxPosition).describe('The last position that was read; 0 for the beginning.'),
    types: eventNames(publicEvents.isPublic).optional().describe('Only these events.'),
    actor: actorFilter()
      .optional()
      .describe('Only what this one did, such as `api_key:12`: an id, a kind, or both.'),
    limit: pageParameter(100, 1, 500).describe('How many a page holds at most.'),
  }),
  success: {
    status: 200,
    schema: z.object({
      data: z.array(loggedEvent),
      next_position: z.int().describe('`after` of the next page.'),
      has_more: z
        .boolean()
        .describe(
          'There is more, or may be: ask on at once, also where the page is empty, which happens while the events of a long time are put in order, or looked through for `types` or an `actor`.',
        ),
      missing_services: z
        .array(z.string())
        .describe(
          'Those that did not answer: what of them is not here comes at a later position, when they are back.',
        ),
    }),
  },
});

/** An event of a trace, with those it led to. */
const tracedEvent = z
  .object({
    event: z.string().describe('Its type, such as `WebhookDisabled`.'),
    event_id: z.string(),
    summary: z.string().describe('One sentence on what happened.'),
    service: z.string().describe('Where it is at home.'),
    stream_id: z.string().describe('What it happened to, such as `folder-12`.'),
    position: z.int().describe("Of the service's own log: good for `as_of`."),
    occurred_at: timestamp,
    actor,
    caused_by: z.string().describe('The request or the event that led to it.'),
    data: json.describe('As `/asyncapi.json` has it for the type.'),
    get children() {
      return z.array(tracedEvent);
    },
  })
  .meta({ id: 'TracedEvent' });

export const getTrace = defineOperation({
  ...history,
  name: 'get-trace',
  kind: 'query',
  method: 'GET',
  path: '/api/user/traces/{request_id}',
  summary: 'What one request led to, as a tree over all services',
  description:
    '`request_id` is the `X-Request-Id` of an answer, or the `request_id` of any event: requests, inbound messages and timers have one. What follows later joins the same tree.',
  notFoundMessage: 'Trace not found',
  rateLimits: [{ name: 'per_minute', max: 60, windowMs: 60_000 }],
  params: z.object({ request_id: textUpTo(128).describe('The `X-Request-Id` of an answer.') }),
  success: {
    status: 200,
    schema: z.object({
      data: z.object({
        request_id: z.string(),
        is_cut: z
          .boolean()
          .describe(
            'There may be more than is shown: one of the services has too much of it, or did not answer.',
          ),
        missing_services: z.array(z.string()).describe('Those that did not answer.'),
        events: z.array(tracedEvent),
      }),
    }),
  },
});
