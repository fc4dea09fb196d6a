import { z } from 'zod';
import type { ChatNumber, ChatNumberRef, ChatPlatform, ChatTemplate } from '../chat-platform.ts';
import { ok, type ProviderFailure, type ProviderResult } from '../provider-result.ts';
import { createGraphClient, type GraphClient, type GraphClientOptions } from './graph-client.ts';
import { sentAnswer, toMessageBody } from './message.ts';
import {
  numberFields,
  numberNode,
  settingsNode,
  sipSettingsNode,
  toChatNumber,
  toE164,
  toSipAccount,
} from './number.ts';
import { templateFields, templateNode, toChatTemplate } from './template.ts';

export interface WhatsAppOptions extends GraphClientOptions {
  /** The business portfolio whose own or shared accounts the senders belong to. */
  readonly businessId: string;
  /**
   * Milliseconds for one reading request from its turn on; 3,000 when absent, and 3,300 is the most that keeps
   * `ChatPlatform`'s limits. Each page of a list may take as long; all pages together three times that to find a
   * number, ten times to list templates.
   */
  readonly readTimeoutMs?: number;
  /** Milliseconds for a send from its turn on, after which its outcome is unknown; 6,000 when absent, 9,000 at most. */
  readonly sendTimeoutMs?: number;
}

/** The adapter; `close` ends its connections. */
export interface WhatsApp extends ChatPlatform {
  close(): Promise<void>;
}

const maxSendTimeoutMs = 9_000;
const pageSize = '100';
/** Pages (of 100) after which a list of accounts or templates is read no further. */
const maxPages = 100;

const cursors = z.object({
  cursors: z.object({ after: z.string().optional() }).optional(),
  next: z.string().optional(),
});
const edgeOf = <T extends z.ZodType>(node: T) =>
  z.object({ data: z.array(node), paging: cursors.optional() });

const accountNode = z.object({
  id: z.string(),
  phone_numbers: edgeOf(z.object({ id: z.string(), display_phone_number: z.string() })).optional(),
});

const done = z.object({ success: z.literal(true) });

/** The WhatsApp Cloud API as a chat platform. */
export function createWhatsApp({
  businessId,
  readTimeoutMs = 3_000,
  sendTimeoutMs = 6_000,
  ...options
}: WhatsAppOptions): WhatsApp {
  const graph = createGraphClient(options);
  const whileReading = () => AbortSignal.timeout(readTimeoutMs);
  const whileReadingPages = (times: number) => {
    const all = AbortSignal.timeout(times * readTimeoutMs);
    return () => AbortSignal.any([all, whileReading()]);
  };
  const whileSending = () => AbortSignal.timeout(Math.min(sendTimeoutMs, maxSendTimeoutMs));

  async function getNumber({ phoneNumberId, accountId }: ChatNumberRef, signal: () => AbortSignal) {
    const [node, settings] = await Promise.all([
      graph.get(phoneNumberId, { fields: numberFields }, numberNode, signal),
      graph.get(`${phoneNumberId}/settings`, {}, settingsNode, signal),
    ]);
    if (isUnknownObject(node)) return ok<ChatNumber | null>(null);
    if (node.kind !== 'ok') return node;
    if (settings.kind !== 'ok') return settings;
    return ok<ChatNumber | null>(toChatNumber(accountId, node.value, settings.value));
  }

  return {
    getNumber: (ref) => getNumber(ref, whileReading),
    async findNumber(spellings) {
      const signal = whileReadingPages(3);
      for (const edge of ['owned_whatsapp_business_accounts', 'client_whatsapp_business_accounts']) {
        // Without a limit Graph shows only the first 25 numbers of an account.
        const query = { fields: `id,phone_numbers.limit(${pageSize}){id,display_phone_number}` };
        const found = await findInPages(
          graph,
          `${businessId}/${edge}`,
          query,
          accountNode,
          signal,
          (account) => {
            const number = account.phone_numbers?.data.find(({ display_phone_number }) =>
              spellings.includes(toE164(display_phone_number)),
            );
            return number && { phoneNumberId: number.id, accountId: account.id };
          },
        );
        if (found.kind !== 'ok') return aboutUs(found);
        if (found.value) return aboutUs(await getNumber(found.value, signal));
      }
      return ok(null);
    },
    async subscribe({ accountId }) {
      const subscribed = await graph.post(`${accountId}/subscribed_apps`, {}, done, whileReading);
      return subscribed.kind === 'ok' ? ok(null) : subscribed;
    },
    async findSipAccount({ phoneNumberId, phoneNumber }) {
      const query = { include_sip_credentials: 'true' };
      const read = await graph.get(`${phoneNumberId}/settings`, query, sipSettingsNode, whileReading);
      return read.kind === 'ok' ? ok(toSipAccount(phoneNumber, read.value)) : read;
    },
    async listTemplates({ accountId }) {
      const templates: ChatTemplate[] = [];
      const path = `${accountId}/message_templates`;
      const query = { fields: templateFields };
      const read = await findInPages(graph, path, query, templateNode, whileReadingPages(10), (node) => {
        templates.push(toChatTemplate(node));
        return undefined;
      });
      return read.kind === 'ok' ? ok(templates) : read;
    },
    async send({ phoneNumberId }, message) {
      const body = toMessageBody(message);
      const sent = await graph.post(`${phoneNumberId}/messages`, body, sentAnswer, whileSending);
      return sent.kind === 'ok' ? ok({ messageId: sent.value.messages[0].id }) : sent;
    },
    close: () => graph.close(),
  };
}

/** Graph's code for an invalid request. With a subcode it means an object that does not exist or is not ours. */
const invalidParameter = '100';

/**
 * Turns a refusal to look into the portfolio into `unavailable`: it is about our token or the portfolio's id, and says
 * nothing about the number that is looked for.
 */
const aboutUs = <T>(result: ProviderResult<T>): ProviderResult<T> =>
  result.kind === 'rejected' && result.code !== invalidParameter
    ? { kind: 'unavailable', message: result.message }
    : result;

/**
 * Reads an edge page by page until `pick` returns something for a node, and returns that; `null` when it never does.
 * `signal` is called for each page.
 */
async function findInPages<N, T>(
  graph: GraphClient,
  path: string,
  query: Readonly<Record<string, string>>,
  node: z.ZodType<N>,
  signal: () => AbortSignal,
  pick: (node: N) => T | undefined,
): Promise<ProviderResult<T | null>> {
  const edge = edgeOf(node);
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const paged = { ...query, limit: pageSize, ...(after && { after }) };
    const answer = await graph.get(path, paged, edge, signal);
    if (answer.kind !== 'ok') return answer;
    for (const each of answer.value.data) {
      const picked = pick(each);
      if (picked !== undefined) return ok(picked);
    }
    after = answer.value.paging?.next === undefined ? undefined : answer.value.paging.cursors?.after;
    if (after === undefined) return ok(null);
  }
  return ok(null);
}

/** Whether Graph does not know the id, or it is not ours. */
const isUnknownObject = (result: ProviderResult<unknown>): result is ProviderFailure =>
  result.kind === 'rejected' && result.code === '100/33';
