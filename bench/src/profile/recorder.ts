import { existsSync, watch } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Loaded into every Node process of a stack (`--import`): records a CPU profile while the file `record` is in the
 * directory, and writes it there, called after the process, when the file goes away. Meanwhile a file `recording-<pid>`
 * stands for the process.
 */
const dir = process.env.PARLEY_PROFILE_DIR ?? '';
const recording = join(dir, `recording-${process.pid}`);
const sampleEveryMicros = 250;
const session = new Session();
let isRecording = false;
let last = Promise.resolve();
let profiles = 0;

/** `services/gateway/dist/main.js` is the gateway's. */
const program = process.argv[1] ?? 'node';
const name = basename(dirname(dirname(program)));

async function follow(): Promise<void> {
  const isWanted = existsSync(join(dir, 'record'));
  if (isWanted === isRecording) return;
  isRecording = isWanted;
  if (isWanted) {
    await session.post('Profiler.setSamplingInterval', { interval: sampleEveryMicros });
    await session.post('Profiler.start');
    await writeFile(recording, '');
  } else {
    const { profile } = await session.post('Profiler.stop');
    await rm(recording);
    profiles += 1;
    const file = join(dir, `${name}-${process.pid}-${profiles}.cpuprofile`);
    await writeFile(`${file}.new`, JSON.stringify(profile));
    await rename(`${file}.new`, file);
  }
}

session.connect();
await session.post('Profiler.enable');
watch(dir, { persistent: false }, (_event, file) => {
  if (file === 'record') last = last.then(follow);
});
