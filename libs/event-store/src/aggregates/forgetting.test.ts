import { beforeEach, describe, expect, test } from 'vitest';
import { stream } from '../contract/requests.contract.ts';
import { add, counting, newCounter } from '../counter.fixture.ts';
import { Aggregates } from './aggregates.ts';

describe('when people are erased, aggregates', () => {
  let counter: ReturnType<typeof newCounter>;
  let aggregates: Aggregates;
  let reads: number;
  /** What the stream is called in the log. */
  let name: string;
  let erase: () => void;
  let onRead: () => void;
  beforeEach(() => {
    counter = newCounter();
    reads = 0;
    name = counter.streamId;
    onRead = () => undefined;
    const { store } = counter;
    const [append, read] = [store.append.bind(store), store.readStream.bind(store)];
    store.append = (request) => append({ ...request, streamId: name });
    store.readStream = async (_, options) => {
      reads++;
      const events = await read(name, options);
      onRead();
      return events;
    };
    store.onErased = (forget) => {
      erase = forget;
    };
    aggregates = new Aggregates(store, { racingMs: 0 });
  });
  const count = (meanwhile: () => void = () => undefined) =>
    counter.execute(
      async (state) => {
        meanwhile();
        return add(1)(state);
      },
      {},
      aggregates,
    );
  const recall = () => aggregates.recall(counter.streamId, counting);

  test('know nothing more of any stream', async () => {
    await count();
    erase();
    reads = 0;
    expect((await recall()).state.sum).toBe(1);
    expect(reads).toBe(1);
  });

  test('do not remember what a command that is under way has loaded before', async () => {
    await count();
    await count(() => erase());
    reads = 0;
    expect((await recall()).state.sum).toBe(2);
    expect(reads).toBe(1);
  });

  test('do not remember what is being read', async () => {
    await counter.behind(1);
    onRead = () => erase();
    await recall();
    await recall();
    expect(reads).toBe(2);
  });

  test('begin anew with a stream that is another one now', async () => {
    await count();
    await count();
    name = stream();
    expect(await count()).toMatchObject({ kind: 'done', body: '{"sum":1}', version: 1 });
    expect((await recall()).state.sum).toBe(1);
  });

  test('begin anew with a stream that is another account’s now', async () => {
    await count();
    await count();
    name = stream();
    const countOfAnother = () => counter.execute(add(1), { accountId: 2 }, aggregates);
    expect(await countOfAnother()).toMatchObject({ body: '{"sum":1}', version: 1 });
    expect(await countOfAnother()).toMatchObject({ body: '{"sum":2}', version: 2 });
  });
});
