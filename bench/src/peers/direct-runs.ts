import { listAutomationRuns } from '@parley/contracts';
import Fastify from 'fastify';
import pg from 'pg';
import { createKeyLookup } from './key-lookup.ts';
import { runsSchema } from './runs-schema.ts';
import { serve } from './serve.ts';

/** The reference: the newest runs of an automation by hand on Fastify and pg; whose it is and its runs in one query. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(runsSchema);
const accountOf = createKeyLookup(pool);

const app = Fastify({ logger: false });

interface Row {
  /** Null in the only row of an automation without runs. */
  readonly id: string | null;
  readonly status: string;
  readonly started_at: Date;
  readonly duration_ms: number;
}

app.get<{ Params: { id: string } }>('/api/user/automate/flows/:id/runs', async (request, reply) => {
  const accountId = await accountOf(request.headers.authorization);
  if (accountId === undefined) return reply.code(401).send({ error: 'Unauthorized' });
  const query = listAutomationRuns.query.safeParse(request.query);
  const params = listAutomationRuns.params.safeParse(request.params);
  if (!query.success || !params.success)
    return reply.code(422).send({ message: 'The given data was invalid.', errors: {} });
  const { rows } = await pool.query<Row>({
    name: 'newest',
    text: `select r.id, r.status, r.started_at,
             (r.active_ms + coalesce(extract(epoch from now() - r.active_since) * 1000, 0))::int as duration_ms
           from automations a left join lateral (
             select * from runs where automation_id = a.id order by started_at desc, id desc limit $3
           ) r on true
           where a.id = $1 and a.account_id = $2`,
    values: [params.data.id, accountId, query.data.limit],
  });
  if (rows.length === 0) return reply.code(404).send({ message: 'Automation not found' });
  const runs = rows
    .filter(({ id }) => id !== null)
    .map(({ id, status, started_at, duration_ms }) => ({ id, status, start_time: started_at, duration_ms }));
  return { runs };
});

await serve(app);
