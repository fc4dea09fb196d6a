import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { sendChatAppTemplate } from '@parley/contracts';
import Fastify from 'fastify';
import pg from 'pg';
import { sendSchema } from './send-schema.ts';
import { serve } from './serve.ts';

/**
 * The reference: a template send by hand on Fastify, pg and fetch. Key, sender and template in one query; balance and
 * message in one statement that is durable before the platform is asked; its answer recorded; its callbacks taken.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(sendSchema);
const platformUrl = `${process.env.SANDBOX_URL}/v23.0`;
const token = 'sandbox-whatsapp-token';
const appSecret = 'sandbox-whatsapp-app-secret';

const app = Fastify({ logger: false, bodyLimit: 256 * 1024 });

interface Known {
  readonly account_id: number;
  readonly phone_number_id: string | null;
  readonly online: boolean | null;
  readonly name: string | null;
  readonly language: string;
  readonly status: string;
  readonly body_text: string;
  readonly price_micros: string;
}

async function find(key: string, senderId: number, templateId: number): Promise<Known | undefined> {
  const { rows } = await pool.query<Known>({
    name: 'known',
    text: `select k.account_id, s.phone_number_id, s.online, t.name, t.language, t.status, t.body_text, t.price_micros
           from api_keys k
             left join senders s on s.account_id = k.account_id and s.id = $2
             left join templates t on t.sender_id = s.id and t.id = $3
           where k.token_sha256 = $1 and (k.expires_at is null or k.expires_at > now())`,
    values: [createHash('sha256').update(key).digest('hex'), senderId, templateId],
  });
  return rows[0];
}

const sentAt = new Map<number, number[]>();

/** Five a second, in the memory of the one process there is. */
function isWithinLimit(accountId: number): boolean {
  const now = performance.now();
  const recent = (sentAt.get(accountId) ?? []).filter((at) => now - at < 1_000);
  const isAllowed = recent.length < 5;
  sentAt.set(accountId, isAllowed ? [...recent, now] : recent);
  return isAllowed;
}

interface Started {
  readonly message_id: number;
  readonly conversation_id: number;
  readonly conversation_uuid: string;
}

/** Nothing of it happens without the money. */
async function start(
  { account_id, body_text, price_micros }: Known,
  input: {
    readonly senderId: number;
    readonly templateId: number;
    readonly to: string;
    readonly name: string | null;
  },
): Promise<Started | undefined> {
  const { rows } = await pool.query<Started>({
    name: 'start',
    text: `with paid as (
             update accounts set balance_micros = balance_micros - $2 where id = $1 and balance_micros >= $2 returning id
           ), conversation as (
             insert into conversations (sender_id, contact_phone, contact_name) select $3, $4, $5 from paid
             on conflict (sender_id, contact_phone)
               do update set contact_name = coalesce(excluded.contact_name, conversations.contact_name)
             returning id, uuid
           ), message as (
             insert into messages (conversation_id, template_id, body, price_micros)
             select id, $6, $7, $2 from conversation returning id
           )
           select m.id as message_id, c.id as conversation_id, c.uuid as conversation_uuid
           from message m, conversation c`,
    values: [account_id, price_micros, input.senderId, input.to, input.name, input.templateId, body_text],
  });
  return rows[0];
}

async function refund(messageId: number, { account_id, price_micros }: Known): Promise<void> {
  await pool.query({
    name: 'refund',
    text: `with failed as (update messages set status = 'failed' where id = $1 returning id)
           update accounts set balance_micros = balance_micros + $2 where id = $3 and exists (select from failed)`,
    values: [messageId, price_micros, account_id],
  });
}

app.post('/api/user/chatapp/send', async (request, reply) => {
  const refuse = (status: number, error_code: string) =>
    reply.code(status).send({ success: false, error_code });
  const { authorization } = request.headers;
  if (!authorization?.startsWith('Bearer ')) return refuse(401, 'UNAUTHENTICATED');
  const input = sendChatAppTemplate.body.safeParse(request.body);
  if (!input.success) return refuse(422, 'VALIDATION_FAILED');
  const { sender_id: senderId, template_id: templateId, recipient_phone: to, recipient_name } = input.data;
  const known = await find(authorization.slice(7), senderId, templateId);
  if (!known) return refuse(401, 'UNAUTHENTICATED');
  if (!isWithinLimit(known.account_id)) return refuse(429, 'TOO_MANY_REQUESTS');
  if (known.phone_number_id === null) return refuse(404, 'SENDER_NOT_FOUND');
  if (!known.online) return refuse(422, 'SENDER_OFFLINE');
  if (known.name === null) return refuse(404, 'TEMPLATE_NOT_FOUND');
  if (known.status !== 'approved') return refuse(422, 'TEMPLATE_NOT_APPROVED');
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return refuse(422, 'INVALID_PHONE');

  const started = await start(known, { senderId, templateId, to, name: recipient_name ?? null });
  if (!started) return refuse(402, 'INSUFFICIENT_BALANCE');
  const response = await fetch(`${platformUrl}/${known.phone_number_id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: to.slice(1),
      biz_opaque_callback_data: String(started.message_id),
      type: 'template',
      template: { name: known.name, language: { code: known.language } },
    }),
    signal: AbortSignal.timeout(6_000),
  });
  const answer = (await response.json()) as { readonly messages?: readonly { readonly id: string }[] };
  const messageSid = answer.messages?.[0]?.id;
  if (!response.ok || messageSid === undefined) {
    await refund(started.message_id, known);
    return refuse(422, 'SEND_FAILED');
  }
  await pool.query({
    name: 'sent',
    text: `update messages set message_sid = $2, status = case status when 'queued' then 'sent' else status end where id = $1`,
    values: [started.message_id, messageSid],
  });
  const { conversation_id, conversation_uuid, message_id } = started;
  return {
    ...{ success: true, conversation_id, conversation_uuid, message_id },
    ...{ chatapp_message_id: message_id, message_sid: messageSid, status: 'sent' },
  };
});

interface Callback {
  readonly entry: readonly {
    readonly changes: readonly {
      readonly value: {
        readonly statuses?: readonly {
          readonly status: string;
          readonly biz_opaque_callback_data?: string;
        }[];
      };
    }[];
  }[];
}

await app.register(async (hooks) => {
  hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  hooks.post('/hooks/chat/whatsapp', async (request, reply) => {
    const body = request.body as Buffer;
    const signature = Buffer.from(`sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
    const given = Buffer.from(String(request.headers['x-hub-signature-256']));
    if (given.length !== signature.length || !timingSafeEqual(given, signature))
      return reply.code(403).send();
    const { entry } = JSON.parse(body.toString()) as Callback;
    const statuses = entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses ?? []));
    for (const { status, biz_opaque_callback_data: id } of statuses)
      if (id !== undefined)
        await pool.query({
          name: 'status',
          text: `update messages set status = $2 where id = $1 and status <> $2`,
          values: [Number(id), status],
        });
    return { success: true };
  });
});

await serve(app);
