import { type AutomationActionInput, chainHeader } from '@parley/contracts';
import { checkUrl, isReservedHeader, type OutgoingHttp } from '@parley/outgoing-http';
import { v5 as uuidv5 } from 'uuid';
import { isTemplate } from '../expression/template.ts';
import type { JsonValue } from '../json.ts';
import { type ActionContext, type ActionModule, type ActionOutcome, defineAction } from './action.ts';
import { outputOf } from './http-answer.ts';
import { httpCredentials } from './http-credentials.ts';
import { failedRequest, failedStatus } from './http-outcomes.ts';

/**
 * Calls any public URL. The effect key travels as `Idempotency-Key`, so that the receiver can recognise repetitions.
 */
export const httpRequest = (http: OutgoingHttp): ActionModule => {
  const moduleFor = (isTemplatedUrl: boolean): ActionModule =>
    defineAction({
      type: 'http.request',
      effect: 'unkeyed',
      async run(input, context) {
        const credentials = httpCredentials(context.connection);
        const url = urlOf(input);
        const result = await http.request({
          method: input.method,
          url,
          endpoint: endpointOf(url, context),
          headers: merged(ownHeaders(input, context), credentials.headers, {
            [chainHeader]: String(context.chainDepth),
          }),
          ...bodyOf(input),
          signal: context.signal,
        });
        if (result.kind === 'failed') return failedRequest(result);
        const { status, headers } = result;
        if (status < 200 || status > 299) return failedStatus(status, headers, isTemplatedUrl);
        return { ok: true, output: outputOf(result, credentials.redact) } satisfies ActionOutcome;
      },
      dryRun: () => ({ status: 200, headers: {}, body: null }),
    });
  return {
    ...moduleFor(false),
    forSource: (source) => moduleFor(hasTemplatedUrl(source)),
    faultsOf: (source) => [...urlFaults(source), ...headerFaults(source), ...bodyFaults(source)],
  };
};

type Input = AutomationActionInput<'http.request'>;

const hasTemplatedUrl = (source: JsonValue): boolean => isTemplate(String(Object(source).url));

/**
 * Faults of a URL that no installation calls. What its name resolves to, and whether this installation may reach its own
 * loopback, is checked at each request.
 */
function urlFaults(source: JsonValue): [string, string][] {
  const url: unknown = Object(source).url;
  if (typeof url !== 'string' || url === '' || isTemplate(url)) return [];
  const checked = checkUrl(url, { allowLoopback: true });
  return checked.kind === 'refused' ? [['url', `The url field ${checked.message}`]] : [];
}

const headerFaults = (source: JsonValue): [string, string][] =>
  Object.keys(Object(Object(source).headers))
    .filter(isReservedHeader)
    .map((name) => [`headers.${name}`, `The header ${name} is set by itself, and must be left out.`]);

/** The fault of two bodies, where `text` is a template; otherwise the schema finds it. */
function bodyFaults(source: JsonValue): [string, string][] {
  const { json, text } = Object(source);
  return json !== undefined && isTemplate(String(text))
    ? [['text', 'The text field must be absent when json is given.']]
    : [];
}

/** The URL with `query` added. Its own query stays as it is written, because a signature may cover it. */
function urlOf({ url, query = {} }: Input): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) added.append(name, String(value));
  const parsed = added.size > 0 && URL.parse(url);
  if (!parsed) return url;
  parsed.search = parsed.search === '' ? String(added) : `${parsed.search}&${added}`;
  return parsed.href;
}

/**
 * Whose limit on requests under way counts: per account and host, because endpoints of many accounts are at the same
 * few hosts.
 */
const endpointOf = (url: string, { accountId }: ActionContext): string =>
  `${accountId} ${URL.parse(url)?.origin ?? ''}`;

/**
 * The `Idempotency-Key`: the effect key; after each retry of a definite failure another one, because receivers also
 * keep refusals under a key, and would repeat them.
 */
const requestKey = ({ effectKey, freshStarts }: ActionContext): string =>
  freshStarts === 0 ? effectKey : uuidv5(String(freshStarts), effectKey);

/** Headers of the request itself; what the definition sets wins. */
function ownHeaders({ headers = {}, json, text }: Input, context: ActionContext): Record<string, string> {
  const type =
    json === undefined ? (text === undefined ? undefined : 'text/plain; charset=utf-8') : 'application/json';
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    'user-agent': 'Parley',
    'idempotency-key': requestKey(context),
    ...(type !== undefined && { 'content-type': type }),
    ...given,
  };
}

/** The last header of each name, whatever its case: two of one name would arrive as a list. */
const merged = (...headers: readonly Readonly<Record<string, string>>[]): Record<string, string> =>
  Object.fromEntries(
    new Map(
      headers.flatMap(Object.entries<string>).map((header) => [header[0].toLowerCase(), header]),
    ).values(),
  );

function bodyOf({ json, text }: Input): { body: string } | Record<string, never> {
  if (json !== undefined) return { body: JSON.stringify(json) };
  return text === undefined ? {} : { body: text };
}
