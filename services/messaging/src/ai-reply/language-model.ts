import { setTimeout as sleep } from 'node:timers/promises';
import { dropUnstorable } from '@parley/contracts';
import { LateAgent } from '@parley/outgoing-http';
import { parseJson, type Secret } from '@parley/process-kit';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { maxWaits, waitOf } from './model-waits.ts';
import type { Turn } from './prompt.ts';

export interface LanguageModelOptions {
  /** Up to and including the version, for example `https://api.openai.com/v1`, with or without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly model: string;
  readonly timeoutMs: number;
}

export interface CompletionRequest {
  readonly turns: readonly Turn[];
  readonly temperature: number;
  /**
   * Names what is replied to, the same for each attempt. Part of the idempotency key, so that an endpoint that keeps
   * answers by their key does not give one to another message with the same text.
   */
  readonly about: string;
}

/**
 * `refused`: the endpoint or the model declines this very request, and would again. `reason` quotes nothing of the
 * conversation.
 */
export type Completion =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Asks for the next message of a conversation. Rejects when there is no usable answer in time: then it may be tried
 * again.
 */
export interface LanguageModel {
  complete(request: CompletionRequest): Promise<Completion>;
}

/** UUID namespace of the requests' idempotency keys. */
const questionSpace = '5d0c2f4e-9a3b-4c57-8e11-2b7f6a90c3d4';

/** Requests at once: more would wait for a connection while their time runs. */
export const maxQuestions = 32;
const maxAnswerBytes = 1024 * 1024;

/**
 * The answer without the model's reasoning, which some endpoints leave in it: the part up to `</think>`, whose
 * `<think>` is missing where the prompt ends with it. Empty when the reasoning has not ended.
 */
function withoutThoughts(text: string): string {
  const [answer = ''] = text.split('</think>').slice(-1);
  return answer.trimStart().startsWith('<think>') ? '' : answer;
}

/** A part of an answer: only texts are for the contact, not what a model of Mistral's thinks or refers to. */
const part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text),
  z.unknown().transform(() => ''),
]);

/** The text of an answer, without what Postgres cannot store. An empty one is no answer. */
const content = z
  .union([z.string(), z.array(part).transform((texts) => texts.join(''))])
  .transform(withoutThoughts)
  .transform(dropUnstorable)
  .pipe(z.string().trim().min(1));

/**
 * Statuses that refuse this very request. Others are temporary, or about the key, the model's name or the address,
 * which an operator may correct meanwhile.
 */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content }) })).min(1),
});

/**
 * Refusals with status 200: a filter removed the answer, or the model declined. The next attempt would end the same.
 */
const withheld = z.object({
  choices: z.tuple(
    [
      z.union([
        z.object({ finish_reason: z.literal('content_filter') }).transform(() => 'content_filter'),
        z.object({ message: z.object({ refusal: z.string().min(1) }) }).transform(() => 'refusal'),
      ]),
    ],
    z.unknown(),
  ),
});

/** A client of any OpenAI-compatible chat-completions endpoint. */
export function createLanguageModel({
  baseUrl,
  apiKey,
  model,
  timeoutMs,
}: LanguageModelOptions): LanguageModel {
  const agent = new LateAgent(() => ({
    connect: { timeout: 3_000 },
    connections: maxQuestions,
    maxResponseSize: maxAnswerBytes,
  }));
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  /** Reasoning models accept no temperature; found out by their first refusal. */
  let takesTemperature = true;

  async function ask({ turns, temperature, about }: CompletionRequest): Promise<Answer> {
    const isPlain = !takesTemperature;
    const body = JSON.stringify({ model, ...(isPlain ? {} : { temperature }), messages: turns });
    const response = await agent.request(url, {
      method: 'POST',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${apiKey.reveal()}`,
        'content-type': 'application/json',
        // An endpoint that keeps answers by this key must not give one to another request.
        'idempotency-key': uuidv5(`${about} ${body}`, questionSpace),
      },
      body,
    });
    const answer = {
      status: response.statusCode,
      retryAfter: String(response.headers['retry-after']),
      text: await response.body.text(),
    };
    if (isPlain || !refusesTemperature(answer)) return answer;
    takesTemperature = false;
    return ask({ turns, temperature, about });
  }

  /** Whoever waits here keeps their place, so that a model that is asked too much is asked less. */
  async function askInTime(wanted: CompletionRequest, waits = maxWaits): Promise<Answer> {
    const answer = await ask(wanted);
    const waitMs = waits > 0 ? waitOf(answer) : undefined;
    if (waitMs === undefined) return answer;
    await sleep(waitMs);
    return askInTime(wanted, waits - 1);
  }

  return {
    async complete(wanted) {
      const { status, text } = await askInTime(wanted);
      if (refusals.has(status)) return { kind: 'refused', reason: reasonOf(status, text) };
      if (status !== 200) throw new Error(`The language model answered with status ${status}.`);
      const answer = parseJson(text);
      const said = completion.safeParse(answer).data?.choices[0];
      if (said) return { kind: 'said', text: said.message.content };
      const reason = withheld.safeParse(answer).data?.choices[0];
      if (reason === undefined) throw new Error('The language model answered with nothing.');
      return { kind: 'refused', reason };
    },
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string;
  readonly text: string;
}

const aboutTemperature = z.object({ error: z.object({ param: z.literal('temperature') }) });
const refusesTemperature = ({ status, text }: Answer): boolean =>
  status === 400 && aboutTemperature.safeParse(parseJson(text)).success;

const code = z.string().max(100).nullish().catch(null);
const refusal = z.object({ error: z.object({ code, type: code }) });

/** Status and error code. The error's message is left out, as it may quote the customer. */
function reasonOf(status: number, text: string): string {
  const { error } = refusal.safeParse(parseJson(text)).data ?? {};
  return [status, error?.code ?? error?.type].filter(Boolean).join(' ');
}
