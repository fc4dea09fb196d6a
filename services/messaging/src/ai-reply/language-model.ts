import { dropUnstorable } from '@parley/contracts';
import { LateAgent } from '@parley/outgoing-http';
import type { Secret } from '@parley/process-kit';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { Turn } from './prompt.ts';

export interface LanguageModelOptions {
  /** Up to and including the version, for example `https://api.openai.com/v1`; a slash at its end is none of it. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly model: string;
  readonly timeoutMs: number;
}

export interface CompletionRequest {
  readonly turns: readonly Turn[];
  readonly temperature: number;
  /** What it is asked for, the same for each try: what else is asked for that is asked as another question. */
  readonly about: string;
}

/** `refused`: a no to this very question, which would be the same again. Nothing of the question is in its reason. */
export type Completion =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** An OpenAI-compatible chat-completions endpoint; rejects when it gives no usable answer in time. */
export interface LanguageModel {
  complete(request: CompletionRequest): Promise<Completion>;
}

/** Questions are told apart by ids that are made in this space. */
const questionSpace = '5d0c2f4e-9a3b-4c57-8e11-2b7f6a90c3d4';

/** What is asked at once; more would wait for a connection while its time runs. */
export const maxQuestions = 32;
const maxAnswerBytes = 1024 * 1024;

/**
 * An answer without what the model thought before it, which endpoints of models that reason leave in it at times; without
 * its beginning, where the model's prompt ends with that, and without its end, where there is no answer yet.
 */
function withoutThoughts(text: string): string {
  const [answer = ''] = text.split('</think>').slice(-1);
  return answer.trimStart().startsWith('<think>') ? '' : answer;
}

/** What of an answer can be put on record; nothing of it is no answer. */
const content = z
  .string()
  .transform(withoutThoughts)
  .transform(dropUnstorable)
  .pipe(z.string().trim().min(1));

/** All others are about the moment, or about the key, the model's name or the address, which an operator may mend meanwhile. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content }) })).min(1),
});

/** Told with status 200: a filter has left nothing, or the model itself says no. Neither would be otherwise the next time. */
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
  /** Models that reason take none, and have one of their own. */
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
        // An endpoint that keeps answers under their key gives none of them to another question.
        'idempotency-key': uuidv5(`${about} ${body}`, questionSpace),
      },
      body,
    });
    const answer = { status: response.statusCode, text: await response.body.text() };
    if (isPlain || !refusesTemperature(answer)) return answer;
    takesTemperature = false;
    return ask({ turns, temperature, about });
  }

  return {
    async complete(wanted) {
      const { status, text } = await ask(wanted);
      if (refusals.has(status)) return { kind: 'refused', reason: reasonOf(status, text) };
      if (status !== 200) throw new Error(`The language model answered with status ${status}.`);
      const answer: unknown = JSON.parse(text);
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
  readonly text: string;
}

const aboutTemperature = z.object({ error: z.object({ param: z.literal('temperature') }) });
const refusesTemperature = ({ status, text }: Answer): boolean =>
  status === 400 && aboutTemperature.safeParse(jsonOf(text)).success;

const code = z.string().max(100).nullish().catch(null);
const refusal = z.object({ error: z.object({ code, type: code }) });

/** Its message may quote the customer; its code does not. */
function reasonOf(status: number, text: string): string {
  const { error } = refusal.safeParse(jsonOf(text)).data ?? {};
  return [status, error?.code ?? error?.type].filter(Boolean).join(' ');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
