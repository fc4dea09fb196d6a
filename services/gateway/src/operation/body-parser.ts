import type { IncomingMessage } from 'node:http';
import { reject } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyLimitBytes } from './limits.ts';
import { BodyFault, readJson } from './read-json.ts';

const tooLarge = new BodyFault(reject('payload_too_large'));
const unsupported = new BodyFault(reject('unsupported_media_type'));

/** A body beyond the limit is read to its end, so that the caller gets the answer; beyond this it is cut off. */
const discardLimitBytes = 8 * 1024 * 1024;

/**
 * The only body the API takes is JSON in UTF-8, uncompressed. A fault is handed on as the body's value instead of thrown,
 * so that it is answered in its turn and the connection lives on.
 */
export function registerBodyParser(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage, done) =>
    readBody(request, payload, done),
  );
}

type Done = (error: Error | null, body?: unknown) => void;

function readBody({ headers }: FastifyRequest, payload: IncomingMessage, done: Done): void {
  if (!isPlainJson(headers)) {
    done(null, unsupported);
    return;
  }
  const chunks: Buffer[] = [];
  let received = 0;
  let isTooLarge = false;
  payload.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (isTooLarge) {
      if (received > discardLimitBytes) payload.destroy();
    } else if (received <= bodyLimitBytes) chunks.push(chunk);
    else {
      isTooLarge = true;
      chunks.length = 0;
      done(null, tooLarge);
    }
  });
  payload.on('end', () => {
    if (!isTooLarge) done(null, readJson(Buffer.concat(chunks, received)));
  });
  payload.on('error', (error) => {
    if (!isTooLarge) done(error);
  });
}

function isPlainJson(headers: FastifyRequest['headers']): boolean {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return false;
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json') return true;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
