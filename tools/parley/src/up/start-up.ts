import { Listr, PRESET_TIMER } from 'listr2';

export interface StartUpStep {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * Runs the steps of each stage side by side, stage after stage, and shows them: a live list on a terminal, a line per
 * step elsewhere. Rejects with the first failure. Once `stop` is aborted, what ends was stopped and has not failed.
 */
export async function runStartUp(
  stages: readonly (readonly StartUpStep[])[],
  stop: AbortSignal,
): Promise<void> {
  let failure: unknown;
  for (const steps of stages) {
    const list = new Listr(
      steps.map(({ title, run }) => ({
        title,
        task: () =>
          run().catch((error) => {
            failure ??= error;
            // The whole story is told at the end, once.
            throw new Error(stop.aborted ? 'stopped' : 'see below');
          }),
      })),
      {
        concurrent: true,
        registerSignalListeners: false,
        // A terminal that does not tell its width, such as a serial console, would get a letter a line.
        fallbackRendererCondition: () => !process.stdout.columns,
        rendererOptions: { timer: PRESET_TIMER, showErrorMessage: false },
        fallbackRendererOptions: { timer: PRESET_TIMER },
      },
    );
    await list.run().catch((error) => {
      throw failure ?? error;
    });
  }
}
