import { parseArgs } from 'node:util';
import { events, upcastersOf } from '@parley/contracts';
import { createDecoder, createPostgresEventStore } from '@parley/event-store';
import { prepareProjections, rebuildProjection, verifyProjection } from '@parley/processing';
import { median } from '../statistics.ts';
import { forgetPeak, peakRssMib } from './memory.ts';
import { definitionOf } from './services.ts';

/**
 * One view of one service in a process of its own: with `--prepare` made for the first time, else made anew so many
 * `--times` and compared with what it was. Prints one line of JSON, with the seconds of the median.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    service: { type: 'string', default: '' },
    view: { type: 'string', default: '' },
    prepare: { type: 'boolean', default: false },
    times: { type: 'string', default: '1' },
  },
});

const { name, projections } = await definitionOf(values.service);
const projection = projections.find((each) => each.name === values.view);
if (!projection) throw new Error(`${values.service} has no view ${values.view}.`);
const upcasters = upcastersOf(events, name);
const store = await createPostgresEventStore({ connectionString: values.database, upcasters });
const decode = createDecoder(upcasters);
const options = { pool: store.pool, projection, decode };
if (values.prepare) {
  await prepareProjections(store.pool, [projection], undefined, decode);
  process.stdout.write('{}\n');
} else {
  await forgetPeak(process.pid);
  const seconds: number[] = [];
  for (let time = 0; time < Number(values.times); time += 1) {
    const startedAt = performance.now();
    const rebuilt = await rebuildProjection(options);
    if (rebuilt.kind !== 'rebuilt') throw new Error('Somebody else is at it.');
    seconds.push((performance.now() - startedAt) / 1000);
  }
  const peak = await peakRssMib(process.pid);
  const verified = await verifyProjection(options);
  if (verified.kind !== 'verified') throw new Error('Somebody else is at it.');
  if (verified.differences.length > 0)
    throw new Error(`Another rebuild gives other rows: ${JSON.stringify(verified.differences.slice(0, 3))}`);
  process.stdout.write(
    `${JSON.stringify({ seconds: median(seconds), peakRssMib: peak, rows: verified.rows })}\n`,
  );
}
await store.close();
