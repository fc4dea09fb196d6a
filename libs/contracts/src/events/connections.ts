import { z } from 'zod';
import { connectionKinds } from '../automation/connections.ts';
import { defineEvent, type EventOf } from '../event.ts';

const connection = { service: 'automations', category: 'connection', version: 1 } as const;

const at = z.string();

export const ConnectionCreated = defineEvent({
  ...connection,
  type: 'ConnectionCreated',
  summary: 'A connection to another system was created.',
  data: z.object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(connectionKinds),
    /** Of `http_header`. */
    header: z.string().nullable(),
    /** Of `http_basic`. */
    username: z.string().nullable(),
    /** Names the secret, which is kept beside the log. */
    secret_id: z.uuid(),
    at,
  }),
});

export const ConnectionRenamed = defineEvent({
  ...connection,
  type: 'ConnectionRenamed',
  summary: 'A connection got another name.',
  data: z.object({ name: z.string(), at }),
});

export const ConnectionSecretReplaced = defineEvent({
  ...connection,
  type: 'ConnectionSecretReplaced',
  summary: 'A connection got another secret.',
  data: z.object({ secret_id: z.uuid(), at }),
});

export const ConnectionDeleted = defineEvent({
  ...connection,
  type: 'ConnectionDeleted',
  summary: 'A connection was deleted, and its secret with it.',
  data: z.object({ at }),
});

export type ConnectionEvent = EventOf<
  | typeof ConnectionCreated
  | typeof ConnectionRenamed
  | typeof ConnectionSecretReplaced
  | typeof ConnectionDeleted
>;
