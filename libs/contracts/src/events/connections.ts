import { z } from 'zod';
import { connectionAuth, connectionKinds, toConnectionAuth } from '../automation/connections.ts';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const connection = { service: 'automations', category: 'connection', version: 1 } as const;

const at = z.string();

const created = {
  id: z.int(),
  name: z.string(),
  secret_id: z.uuid().describe('Names the secret, which is kept beside the log.'),
  at,
};

export const ConnectionCreated = defineEvent({
  ...connection,
  type: 'ConnectionCreated',
  version: 2,
  summary: 'A connection to another system was created.',
  data: z.object({ ...created, auth: connectionAuth }),
  earlier: [
    // Fields of all kinds side by side, null for those of others.
    earlierVersion(
      z.object({
        ...created,
        kind: z.enum(connectionKinds),
        header: z.string().nullable(),
        username: z.string().nullable(),
      }),
      ({ kind, header, username, ...data }) => ({
        ...data,
        auth: toConnectionAuth({ kind, header, username }),
      }),
    ),
  ],
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
