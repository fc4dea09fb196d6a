import { afterAll, beforeAll, describe } from 'vitest';
import { describeAppending } from './contract/appending.contract.ts';
import { describeCommands } from './contract/commands.contract.ts';
import { describeEffects } from './contract/effects.contract.ts';
import { describeLog } from './contract/log.contract.ts';
import type { EngineUnderTest } from './contract/requests.contract.ts';
import { describeRuns } from './contract/runs.contract.ts';
import { describeSnapshots } from './contract/snapshots.contract.ts';

/** What every engine promises. Each test has streams of its own, so that all of them share one log. */
export function describeEventStore(engineName: string, open: () => Promise<EngineUnderTest>): void {
  describe(`the ${engineName} engine`, () => {
    let opened: EngineUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());
    const engine = () => opened;
    describeAppending(engine);
    describeRuns(engine);
    describeLog(engine);
    describeCommands(engine);
    describeEffects(engine);
    describeSnapshots(engine);
  });
}
