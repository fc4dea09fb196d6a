import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hasBearer } from '../provider/credentials.ts';
import type { Provider, ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { countTokens, piecesOf, replyTo } from './answer.ts';

export interface OpenAiCredentials {
  readonly apiKey: string;
}

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });

/** Content is text, or parts of which only text is read; an assistant's tool call has none. */
const content = z
  .union([z.string(), z.array(textPart)])
  .nullish()
  .transform((value) =>
    typeof value === 'string' ? value : (value ?? []).map(({ text }) => text ?? '').join(''),
  );

const completionRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string(), content })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});
type CompletionRequest = z.output<typeof completionRequest>;

const failure = (status: number, type: string, message: string, code: string | null): ProviderAnswer => ({
  status,
  body: { error: { message, type, param: null, code } },
});

/** Any OpenAI-compatible chat-completions endpoint. */
export const openAi = (world: World, credentials: OpenAiCredentials): Provider<'llm'> => ({
  name: 'llm',
  refuse: async (request) =>
    hasBearer(request, credentials.apiKey)
      ? null
      : failure(401, 'invalid_request_error', 'Incorrect API key provided.', 'invalid_api_key'),
  rejection: () => failure(400, 'invalid_request_error', 'The request was rejected.', null),
  breakdown: () =>
    failure(500, 'server_error', 'The server had an error while processing your request.', null),
  routes: [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      operation: 'complete',
      idempotencyKey: ({ headers }) => headers['idempotency-key']?.toString() ?? null,
      handle: async (request) => complete(world, request),
    },
  ],
});

function complete(world: World, { body }: ProviderRequest): ProviderAnswer {
  const parsed = completionRequest.safeParse(body);
  if (!parsed.success)
    return failure(400, 'invalid_request_error', parsed.error.issues[0]?.message ?? 'Invalid body.', null);
  const request = parsed.data;
  const reply = replyTo(request.messages);
  const head = {
    id: `chatcmpl-${randomBytes(12).toString('base64url')}`,
    created: Math.floor(world.clock.now().getTime() / 1000),
    model: request.model,
    system_fingerprint: 'fp_sandbox',
  };
  if (request.stream) return streamed(head, reply, request);
  return {
    status: 200,
    body: {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: reply, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: usageOf(request, reply),
    },
  };
}

function usageOf(request: CompletionRequest, reply: string) {
  const prompt_tokens = countTokens(request.messages.map(({ content }) => content).join('\n'));
  const completion_tokens = countTokens(reply);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function streamed(head: object, reply: string, request: CompletionRequest): ProviderAnswer {
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const events: object[] = [
    chunk({ role: 'assistant', content: '' }, null),
    ...piecesOf(reply).map((piece) => chunk({ content: piece }, null)),
    chunk({}, 'stop'),
  ];
  if (request.stream_options?.include_usage)
    events.push({ ...chunk({}, null), choices: [], usage: usageOf(request, reply) });
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  };
}
