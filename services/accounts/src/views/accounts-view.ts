import type { AccountEvent } from '@parley/contracts';
import { defineProjection, liveSchema } from '@parley/processing';

/** Who the customers are: for `me`, and to find an account by its email. */
export const accountsView = defineProjection<AccountEvent>({
  name: 'accounts',
  version: 1,
  handles: ['AccountRegistered'],
  tables: (schema) => `
    create table ${schema}.accounts (
      account_id int8 primary key,
      email text not null,
      name text not null,
      billing_unit text collate "C" not null
    );
    create index on ${schema}.accounts (lower(email));
  `,
  project(events, db) {
    const registered = events.map(({ data }) => data);
    db.query({
      name: 'register',
      text: `insert into ${db.schema}.accounts (account_id, email, name, billing_unit)
             select * from unnest($1::int8[], $2::text[], $3::text[], $4::text[])
             on conflict (account_id) do nothing`,
      values: [
        registered.map(({ account_id }) => account_id),
        registered.map(({ email }) => email),
        registered.map(({ name }) => name),
        registered.map(({ billing_unit }) => billing_unit),
      ],
    });
  },
});

export const accountsTable = `${liveSchema(accountsView)}.accounts`;
