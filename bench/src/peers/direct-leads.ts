import { createLead } from '@parley/contracts';
import { isPhoneNumber } from '@parley/phone-numbers';
import Fastify from 'fastify';
import pg from 'pg';
import { createKeyLookup } from './key-lookup.ts';
import { leadsSchema } from './leads-schema.ts';
import { serve } from './serve.ts';

/** The reference: a lead added by hand on Fastify and pg. The same checks; campaign and lead in one statement. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(leadsSchema);
const accountOf = createKeyLookup(pool);

const app = Fastify({ logger: false, bodyLimit: 256 * 1024 });

interface Created {
  readonly campaign_name: string;
  readonly channel: string;
  /** Null where the number is in the campaign already. */
  readonly id: number | null;
  readonly created_at: Date;
}

const invalid = (errors: object) => ({ message: 'The given data was invalid.', errors });
const timestamp = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

app.post('/api/user/lead', async (request, reply) => {
  const accountId = await accountOf(request.headers.authorization);
  if (accountId === undefined) return reply.code(401).send({ error: 'Unauthorized' });
  const input = createLead.body.safeParse(request.body);
  if (!input.success) return reply.code(422).send(invalid({}));
  const { campaign_id, phone_number, variables, allow_dupplicate, secondary_contacts } = input.data;
  const contacts = secondary_contacts ?? [];
  if (![phone_number, ...contacts.map((contact) => contact.phone_number)].every(isPhoneNumber))
    return reply
      .code(422)
      .send(invalid({ phone_number: ['The phone number must be a valid E.164 number.'] }));
  const { rows } = await pool.query<Created>({
    name: 'create',
    text: `with campaign as (
             select id, name, channel from campaigns where id = $1 and account_id = $2
           ), lead as (
             insert into leads (campaign_id, phone_number, variables, secondary_contacts, is_duplicate)
             select id, $3, $4, $5, $6 from campaign where channel = 'call' or $5::jsonb = '[]'
             on conflict (campaign_id, phone_number) where not is_duplicate do nothing
             returning id, created_at
           )
           select c.name as campaign_name, c.channel, l.id, l.created_at from campaign c left join lead l on true`,
    values: [
      campaign_id,
      accountId,
      phone_number,
      JSON.stringify(variables ?? {}),
      JSON.stringify(contacts),
      allow_dupplicate ?? false,
    ],
  });
  const [created] = rows;
  if (!created) return reply.code(404).send({ message: 'Campaign not found' });
  if (created.id === null)
    return reply.code(422).send(invalid({ phone_number: ['The phone number has already been taken.'] }));
  const at = timestamp(created.created_at);
  return {
    message: 'Lead created successfully',
    data: {
      ...{ id: created.id, campaign_id, phone_number, variables: variables ?? {}, status: 'created' },
      ...{ created_at: at, updated_at: at, campaign: { id: campaign_id, name: created.campaign_name } },
      secondary_contacts: contacts,
    },
  };
});

await serve(app);
