-- The platform clock: Postgres's own plus an offset that sandbox stacks move.
create table es.clock (
  only_row boolean primary key default true check (only_row),
  seconds_ahead float8 not null
);
insert into es.clock (seconds_ahead) values (0);

create function es.now() returns timestamptz language sql stable parallel safe as $$
  select now() + (select seconds_ahead from es.clock) * interval '1 second'
$$;
