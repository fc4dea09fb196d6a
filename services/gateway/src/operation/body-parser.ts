import type { IncomingMessage } from 'node:http';
import { reject } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BodyFault, discardBody, readBody } from '../edge/request/read-body.ts';
import { type Spool, SpooledFile } from '../upload/spool.ts';
import { bodyLimitBytes } from './limits.ts';
import { readJson } from './read-json.ts';

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

/**
 * The API takes JSON in UTF-8, uncompressed, and CSV files where an operation wants one. A fault is handed on as the
 * body's value instead of thrown, so that it is answered in its turn and the connection lives on.
 */
export function registerBodyParser(app: FastifyInstance, spool: Spool): void {
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage, done) =>
    readJsonBody(request, payload, done),
  );
  app.addContentTypeParser('text/csv', (request: FastifyRequest, payload: IncomingMessage) =>
    readFile(spool, request, payload),
  );
}

/**
 * The uploaded file once it is complete, or a `BodyFault`; what is left of a refused file is read and thrown away.
 */
async function readFile(spool: Spool, request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const { caller, headers, routeOptions } = request;
  const csv = routeOptions.config.operation?.csv;
  if (!caller || !csv) return otherType;
  const fault = codingFault(headers);
  if (fault) return fault;
  const taken = await spool.take(payload, csv.maxBytes, caller.accountId);
  if (taken instanceof SpooledFile) return taken;
  discardBody(payload);
  return new BodyFault(taken);
}

type Done = (error: Error | null, body?: unknown) => void;

function readJsonBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const fault = routeOptions.config.operation?.csv ? otherType : codingFault(headers);
  if (fault) done(null, fault);
  else
    readBody(payload, bodyLimitBytes, (error, body) =>
      done(error, Buffer.isBuffer(body) ? readJson(body) : body),
    );
}

/** The fault of a body that is compressed or, by its header, not in UTF-8; `null` when there is none. */
function codingFault(headers: FastifyRequest['headers']): BodyFault | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) return otherEncoding;
  const type = headers['content-type'];
  if (type === undefined || !type.includes(';')) return null;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? null : otherCharset;
}
