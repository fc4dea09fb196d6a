import { Controller, Inject, Module } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { defineInternal } from '@parley/contracts';
import { Aggregates, AppendQueueFull, type Decision, type Fold, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { defineProjection, defineReactor, liveSchema } from '@parley/processing';
import { z } from 'zod';
import {
  CommandHandler,
  causeOf,
  defineResource,
  jsonReply,
  numberedStream,
  QueryHandler,
  READ_POOL,
  type ServiceDefinition,
  toReply,
} from './index.ts';

/** The smallest service that has one of everything. */
export const takeNote = defineInternal({
  name: 'take-note',
  kind: 'command',
  service: 'assistants',
  input: z.object({ id: z.int().positive(), text: z.string().max(10) }),
  output: z.object({ text: z.string() }),
});
export const countNotes = defineInternal({
  name: 'count-notes',
  kind: 'query',
  service: 'assistants',
  input: z.object({}),
  output: z.object({ notes: z.int(), echoes: z.int(), reminders: z.int() }),
});
export const fail = defineInternal({
  name: 'fail',
  kind: 'query',
  service: 'assistants',
  input: z.object({ how: z.enum(['bug', 'full', 'sql', 'outage']) }),
  output: z.null(),
});

type NoteEvent =
  | { readonly type: 'NoteTaken'; readonly data: { readonly text: string } }
  | { readonly type: 'NoteEchoed' | 'NoteReminded'; readonly data: object };
type Note = { readonly text: string } | null;

const note: Fold<Note, NoteEvent> = {
  initialState: null,
  evolve: (state, event) => (event.type === 'NoteTaken' ? { text: event.data.text } : state),
};

const notesView = defineProjection({
  name: 'notes',
  version: 1,
  handles: ['NoteTaken', 'NoteEchoed', 'NoteReminded'],
  tables: (schema) => `create table ${schema}.events (position int8 primary key, type text not null)`,
  project: (events, db) =>
    db.query({
      text: `insert into ${db.schema}.events select * from unnest($1::int8[], $2::text[])`,
      values: [events.map(({ position }) => position), events.map(({ type }) => type)],
    }),
});

@Controller()
class NotesController {
  readonly #aggregates: Aggregates;
  readonly #sql: SqlExecutor;

  constructor(aggregates: Aggregates, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#sql = sql;
  }

  @CommandHandler(takeNote)
  async take(
    @Payload() { id, text }: z.output<typeof takeNote.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return toReply(
      await this.#aggregates.execute({
        ...causeOf(message),
        streamId: `note-${id}`,
        category: 'note',
        accountId: message.accountId,
        fold: note,
        decide: (): Decision<NoteEvent> => ({
          events: [{ type: 'NoteTaken', data: { text } }],
          timers: [{ id: `reminder-${id}`, kind: 'reminder', due: { afterMs: 3_600_000 }, payload: { id } }],
          reply: { text },
        }),
      }),
    );
  }

  @QueryHandler(countNotes)
  async count(): Promise<BusReply> {
    const { rows } = await this.#sql.query({
      text: `select count(*) filter (where type = 'NoteTaken') as notes,
               count(*) filter (where type = 'NoteEchoed') as echoes,
               count(*) filter (where type = 'NoteReminded') as reminders
             from ${liveSchema(notesView)}.events`,
    });
    return jsonReply(rows[0]);
  }

  @QueryHandler(fail)
  async fail(@Payload() { how }: z.output<typeof fail.input>): Promise<BusReply> {
    if (how === 'full') throw new AppendQueueFull('10000 appends wait');
    if (how === 'sql') await this.#sql.query({ text: 'select secret_column from nowhere' });
    if (how === 'outage') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    throw new Error('hunter2 at line 7');
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

export const notesService: ServiceDefinition = {
  name: 'assistants',
  module: NotesModule,
  projections: [notesView],
  resources: [defineResource({ name: 'note', streamOf: numberedStream('note'), fold: note })],
  background: () => ({
    reactors: [
      defineReactor({
        name: 'echo',
        handles: ['NoteTaken'],
        react: (event, { metadata }) => ({
          streamId: event.streamId.replace('note', 'echo'),
          category: 'echo',
          accountId: event.accountId,
          events: [{ type: 'NoteEchoed', data: {} }],
          expectedVersion: 'any',
          metadata,
        }),
      }),
    ],
    timers: {
      reminder: ({ payload }, { metadata }) => ({
        streamId: `reminder-${payload.id}`,
        category: 'reminder',
        accountId: null,
        events: [{ type: 'NoteReminded', data: {} }],
        expectedVersion: 'any',
        metadata,
      }),
    },
  }),
};
