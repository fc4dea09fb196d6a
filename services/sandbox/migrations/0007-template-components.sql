-- What a template has beside its body, as the platform shows it.
alter table chat.templates add column components jsonb not null default '[]';
