import { createFolder, listFolders } from '@parley/contracts';
import Fastify from 'fastify';
import pg from 'pg';
import { createKeyLookup } from './key-lookup.ts';
import { directSchema } from './schema.ts';
import { serve } from './serve.ts';

/**
 * The reference: the same two operations as a competent user writes them by hand on Fastify and pg. Same validation,
 * same key look-up, named prepared statements, one row per folder; no bus, no events, no history.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(directSchema);

const app = Fastify({ logger: false, bodyLimit: 256 * 1024 });

const accountOf = createKeyLookup(pool);

app.post('/api/user/folder', async (request, reply) => {
  const accountId = await accountOf(request.headers.authorization);
  if (accountId === undefined) return reply.code(401).send({ error: 'Unauthorized' });
  const input = createFolder.body.safeParse(request.body);
  if (!input.success) return reply.code(422).send({ message: 'The given data was invalid.', errors: {} });
  const { name, color = null } = input.data;
  const { rows } = await pool.query<{ id: number }>({
    name: 'create',
    text: `insert into folders (account_id, name, color) values ($1, $2, $3)
           on conflict (account_id, name) do nothing returning id`,
    values: [accountId, name, color],
  });
  const id = rows[0]?.id;
  if (id === undefined) {
    const errors = { name: ['The name has already been taken.'] };
    return reply.code(422).send({ message: 'The given data was invalid.', errors });
  }
  return reply
    .code(201)
    .send({ message: 'Folder created successfully', data: { id, name, color, assistants_count: 0 } });
});

app.get('/api/user/folders', async (request, reply) => {
  const accountId = await accountOf(request.headers.authorization);
  if (accountId === undefined) return reply.code(401).send({ error: 'Unauthorized' });
  const query = listFolders.query.safeParse(request.query);
  if (!query.success) return reply.code(422).send({ message: 'The given data was invalid.', errors: {} });
  const { page, per_page } = query.data;
  const { rows } = await pool.query<{
    id: number;
    name: string;
    color: string | null;
    assistants_count: number;
    total: number;
  }>({
    name: 'list',
    text: `select id, name, color, assistants_count, count(*) over ()::int as total from folders
           where account_id = $1 order by id desc limit $2 offset $3`,
    values: [accountId, per_page, (page - 1) * per_page],
  });
  const total = rows[0]?.total ?? 0;
  const data = rows.map(({ id, name, color, assistants_count }) => ({ id, name, color, assistants_count }));
  return { data, current_page: page, per_page, total };
});

await serve(app);
