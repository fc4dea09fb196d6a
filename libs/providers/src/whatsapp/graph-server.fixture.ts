import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Secret } from '@parley/process-kit';
import { startLocalServer } from '@parley/testing';
import { onTestFinished } from 'vitest';
import type { WhatsApp, WhatsAppOptions } from './whatsapp.ts';
import { createWhatsApp } from './whatsapp.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

export interface GraphServer {
  readonly whatsApp: WhatsApp;
  readonly asked: readonly Asked[];
}

type Answer = (response: ServerResponse, asked: Asked, request: IncomingMessage) => void;

/** A server that answers as the test says, and an adapter that talks to it; both end with the test. */
export async function graphServer(
  answer: Answer,
  options: Partial<WhatsAppOptions> = {},
): Promise<GraphServer> {
  const asked: Asked[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://graph');
    const body = await text(request);
    const each: Asked = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      authorization: request.headers.authorization,
      body: body === '' ? undefined : JSON.parse(body),
    };
    asked.push(each);
    answer(response, each, request);
  });
  const whatsApp = createWhatsApp({
    baseUrl,
    apiVersion: 'v23.0',
    accessToken: new Secret('the-token'),
    businessId: '1000',
    ...options,
  });
  onTestFinished(() => whatsApp.close());
  return { whatsApp, asked };
}

/** Answers with JSON. */
export const answerJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** An error as Graph answers it. */
export const graphError = (code: number, extra: object = {}) => ({
  error: { message: `(#${code}) No`, type: 'OAuthException', code, fbtrace_id: 'A', ...extra },
});
