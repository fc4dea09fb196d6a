create schema payments;

-- Stripe's objects as Stripe shows them. `due_at`: when a subscription next needs attention.
create table payments.objects (
  id text primary key,
  kind text not null,
  customer text,
  body jsonb not null,
  declines boolean not null default false,
  due_at timestamptz,
  sequence bigint generated always as identity
);
create index objects_of_customer on payments.objects (customer, kind, sequence);
create index objects_due on payments.objects (due_at) where due_at is not null;

create table payments.idempotency (
  key text primary key,
  fingerprint text not null,
  status integer not null,
  body text not null,
  created_at timestamptz not null
);
