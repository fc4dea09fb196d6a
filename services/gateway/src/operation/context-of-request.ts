import { chainDepthIn, chainHeader } from '@parley/contracts';
import type { MessageContext } from '@parley/message-bus';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../edge/caller/caller.ts';
import { baseUrlOf } from '../edge/request/base-url.ts';
import { traceParentOf } from '../edge/request/trace-parent.ts';

/** The context of the bus message: what the service learns of a request beside its input. */
export function contextOf(
  request: FastifyRequest,
  caller: Caller,
  own: Pick<MessageContext, 'commandId' | 'fingerprint' | 'expectedVersion' | 'timeoutMs'>,
): MessageContext {
  const context = {
    ...own,
    accountId: caller.accountId,
    actor: { kind: 'api_key', id: caller.apiKeyId } as const,
    correlationId: request.id,
    baseUrl: baseUrlOf(request.protocol, request.host),
  };
  const traceparent = traceParentOf(request.headers.traceparent);
  const chainDepth = chainDepthIn(request.headers[chainHeader]);
  if (traceparent === undefined && chainDepth === undefined) return context;
  return {
    ...context,
    ...(traceparent !== undefined && { traceparent }),
    ...(chainDepth !== undefined && { chainDepth }),
  };
}
