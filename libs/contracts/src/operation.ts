import type { z } from 'zod';
import type { CsvUpload } from './input/csv-upload.ts';
import type { RejectionCode } from './rejection.ts';
import type { ServiceName } from './service-name.ts';
import type { Tag } from './tag.ts';

/**
 * The body shape of an operation's errors (service-api, section 7; decisions, section 8 "400, 413, 415").
 * - `message`: `{message}`, validation `{message, errors}`
 * - `error`: `{error}`, validation `{message, errors}`
 * - `chatapp`: `{success: false, error, error_code}`, validation with `VALIDATION_FAILED` and `errors` beside it
 * - `conversation`: `{status: false, error}`, validation `{message, errors}`
 * - `coded`: `{message, error}`, where `error` is a code; with `errors` by field where there are any
 */
export const errorShapes = ['message', 'error', 'chatapp', 'conversation', 'coded'] as const;
export type ErrorShape = (typeof errorShapes)[number];

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Shape = z.ZodObject;

/** At most `max` accepted requests of one account within any `windowMs` milliseconds: rolling and exact. */
interface RateLimitDefinition {
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface OperationDefinition {
  /** Unique, kebab-case, imperative for commands, `list-` or `get-` for queries; last part of the subject. */
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly service: ServiceName;
  readonly method: Method;
  /** OpenAPI path, for example `/api/user/folder/{id}`. */
  readonly path: `/api/${string}`;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  /** The body is a CSV file instead of JSON; then `body` is absent. */
  readonly csv?: CsvUpload;
  /**
   * Also answered as server-sent events: items with a `position`, which is the event's id, and a `type`; `after` of the
   * query is where the next page begins, and `next_position` of a page says where that is.
   */
  readonly isFeed?: true;
  /** A query of one resource, whose answer names its version as `ETag`. */
  readonly isVersioned?: true;
  /**
   * A request as the demo's first account may send it, in one object as `OperationInput`: for the document. Whatever has
   * a body or needs a query has one.
   */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly success: { readonly status: 200 | 201; readonly schema: z.ZodType };
  readonly errorShape: ErrorShape;
  /** What its service may answer beside what any operation may be refused with (`rejectionCodesOf`). */
  readonly rejections?: readonly RejectionCode[];
  /** The operation's own not-found text, where it looks something up: unknown and foreign ids get the same bytes. */
  readonly notFoundMessage?: string;
  /** What `not_found` is called in the `chatapp` shape; `NOT_FOUND` when absent. */
  readonly notFoundErrorCode?: string;
  /** What `invalid` is called in the `coded` shape; `invalid` when absent. */
  readonly invalidErrorCode?: string;
  /** A request must fit into all of them; none when absent. Refused and malformed requests use nothing up. */
  readonly rateLimits?: readonly RateLimitDefinition[];
}

/** What the service receives: path parameters, query and body in one object; the names never collide. */
export type OperationInput<O extends OperationDefinition> = (O['params'] extends Shape
  ? z.output<O['params']>
  : unknown) &
  (O['query'] extends Shape ? z.output<O['query']> : unknown) &
  (O['body'] extends Shape ? z.output<O['body']> : unknown);

export type OperationSuccess<O extends OperationDefinition> = z.output<O['success']['schema']>;

export const defineOperation = <const O extends OperationDefinition>(operation: O): O => operation;

/** `cmd.assistants.create-folder`: a constant; nothing a user sends ever reaches a subject. */
export const subjectOf = (operation: Pick<OperationDefinition, 'kind' | 'service' | 'name'>): string =>
  `${operation.kind === 'command' ? 'cmd' : 'qry'}.${operation.service}.${operation.name}`;
