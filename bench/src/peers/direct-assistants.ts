import { listAssistants } from '@parley/contracts';
import Fastify from 'fastify';
import pg from 'pg';
import { assistantsSchema } from './assistants-schema.ts';
import { createKeyLookup } from './key-lookup.ts';
import { serve } from './serve.ts';

/** The reference for a page of assistants: a direct SQL query behind Fastify, with the same key look-up and validation. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(assistantsSchema);

const app = Fastify({ logger: false });
const accountOf = createKeyLookup(pool);

app.get('/api/user/assistants/get', async (request, reply) => {
  const accountId = await accountOf(request.headers.authorization);
  if (accountId === undefined) return reply.code(401).send({ error: 'Unauthorized' });
  const query = listAssistants.query.safeParse(request.query);
  if (!query.success) return reply.code(422).send({ message: 'The given data was invalid.', errors: {} });
  const { page, per_page } = query.data;
  const [{ rows: counted }, { rows: data }] = await Promise.all([
    pool.query<{ total: number }>({
      name: 'count',
      text: 'select count(*)::int as total from assistants where user_id = $1 and deleted_at is null',
      values: [accountId],
    }),
    pool.query({
      name: 'page',
      text: `select * from assistants where user_id = $1 and deleted_at is null
             order by id desc limit $2 offset $3`,
      values: [accountId, per_page, (page - 1) * per_page],
    }),
  ]);
  const total = counted[0]?.total ?? 0;
  const path = `${request.protocol}://${request.host}/api/user/assistants/get`;
  const lastPage = Math.max(1, Math.ceil(total / per_page));
  const urlOf = (number: number) => `${path}?per_page=${per_page}&page=${number}`;
  return {
    current_page: page,
    data,
    first_page_url: urlOf(1),
    from: (page - 1) * per_page + 1,
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    links: [],
    next_page_url: page < lastPage ? urlOf(page + 1) : null,
    path,
    per_page,
    prev_page_url: page > 1 ? urlOf(page - 1) : null,
    to: (page - 1) * per_page + data.length,
    total,
  };
});

await serve(app);
