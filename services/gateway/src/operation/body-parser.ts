import type { IncomingMessage } from 'node:http';
import { reject } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Spool, SpooledFile } from '../upload/spool.ts';
import { bodyLimitBytes } from './limits.ts';
import { BodyFault, readJson } from './read-json.ts';

const tooLarge = new BodyFault(reject('payload_too_large'));
const otherType = new BodyFault(reject('unsupported_media_type'));
const otherEncoding = new BodyFault(
  reject('unsupported_media_type', {
    message: 'The content encoding is not supported; the body must not be compressed.',
    acceptEncoding: 'identity',
  }),
);
const otherCharset = new BodyFault(
  reject('unsupported_media_type', { message: 'The charset of the content type must be UTF-8.' }),
);

/** A body beyond the limit is read to its end, so that the caller gets the answer; beyond this it is cut off. */
const discardLimitBytes = 8 * 1024 * 1024;

/**
 * The API takes JSON in UTF-8, uncompressed, and CSV files where an operation wants one. A fault is handed on as the
 * body's value instead of thrown, so that it is answered in its turn and the connection lives on.
 */
export function registerBodyParser(app: FastifyInstance, spool: Spool): void {
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage, done) =>
    readBody(request, payload, done),
  );
  app.addContentTypeParser('text/csv', (request: FastifyRequest, payload: IncomingMessage) =>
    readFile(spool, request, payload),
  );
}

/** The file once it is complete; what is left of one that is not taken is read and thrown away. */
async function readFile(spool: Spool, request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const { caller, headers, routeOptions } = request;
  const csv = routeOptions.config.operation?.csv;
  if (!caller || !csv) return otherType;
  const fault = codingFault(headers);
  if (fault) return fault;
  const taken = await spool.take(payload, csv.maxBytes, caller.accountId);
  if (taken instanceof SpooledFile) return taken;
  let discarded = 0;
  payload
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > discardLimitBytes) payload.destroy();
    });
  return new BodyFault(taken);
}

type Done = (error: Error | null, body?: unknown) => void;

function readBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const fault = routeOptions.config.operation?.csv ? otherType : codingFault(headers);
  if (fault) {
    done(null, fault);
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

/** For what is compressed, or not in UTF-8 as far as the header says. */
function codingFault(headers: FastifyRequest['headers']): BodyFault | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) return otherEncoding;
  const type = headers['content-type'];
  if (type === undefined || !type.includes(';')) return null;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? null : otherCharset;
}
