import { z } from 'zod';
import { connectionKinds } from '../automation/connections.ts';
import { pathId, textUpTo, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const connections = {
  service: 'automations',
  tag: 'Automation connections',
  errorShape: 'message',
} as const;
const oneConnection = { ...connections, notFoundMessage: 'Connection not found' } as const;

const params = z.object({ id: pathId().describe('Of the connection.') });
const name = writtenUpTo(255).describe('For people.');
const timestamp = z.iso.datetime();
const headerValue = /^[\t\u0020-\u007e]*$/;
const secret = textUpTo(4096)
  .regex(headerValue, { error: 'The :attribute field must hold printable ASCII characters only.' })
  .describe('The token, value, password or signing key.');
const connection = z
  .object({
    id: z.int(),
    reference: z.string().describe('How a definition refers to it, for example `con_7`.'),
    name: z.string(),
    kind: z.enum(connectionKinds),
    header: z.string().nullable(),
    username: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Connection' });
const answer = z.object({ message: z.string(), data: connection });

export const createConnection = defineOperation({
  ...connections,
  name: 'create-connection',
  kind: 'command',
  method: 'POST',
  path: '/api/user/automate/connections',
  summary: 'Keep a secret that automations use',
  description:
    'The secret is encrypted and never shown again. `http_header` needs `header`, `http_basic` needs `username`.',
  body: z
    .object({
      name,
      kind: z.enum(connectionKinds).describe('What the secret is used as.'),
      secret,
      header: z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, {
          error: 'The :attribute field must be the name of a header, such as X-Api-Key.',
        })
        .nullish()
        .describe('The header that carries the secret; of `http_header`.'),
      username: textUpTo(255)
        .regex(/^[^:]*$/, { error: 'The :attribute field must not hold a colon.' })
        .nullish()
        .describe('Who the password belongs to; of `http_basic`.'),
    })
    .refine(({ kind, header }) => kind !== 'http_header' || typeof header === 'string', {
      path: ['header'],
      error: 'The :attribute field is required.',
    })
    .refine(({ kind, username }) => kind !== 'http_basic' || typeof username === 'string', {
      path: ['username'],
      error: 'The :attribute field is required.',
    }),
  example: { name: 'CRM', kind: 'http_bearer', secret: 'the token that the CRM gave' },
  success: { status: 201, schema: answer },
});

export const updateConnection = defineOperation({
  ...oneConnection,
  name: 'update-connection',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/automate/connections/{id}',
  summary: 'Rename a connection, or replace its secret',
  description: 'Runs that wait and runs that are retried use the new secret.',
  params,
  body: z.object({ name: name.optional(), secret: secret.optional() }),
  example: { id: 1, secret: 'the next token' },
  success: { status: 200, schema: answer },
});

export const deleteConnection = defineOperation({
  ...oneConnection,
  name: 'delete-connection',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/automate/connections/{id}',
  summary: 'Delete a connection and its secret',
  description: 'Steps that need it fail as `missing_connection` from then on.',
  params,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const listConnections = defineOperation({
  ...connections,
  name: 'list-connections',
  kind: 'query',
  method: 'GET',
  path: '/api/user/automate/connections',
  summary: 'List connections, newest first',
  description: 'Never with their secrets.',
  success: { status: 200, schema: z.object({ data: z.array(connection) }) },
});
