import { Listr, PRESET_TIMER } from 'listr2';

export interface StartUpStep {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * Runs the steps of each stage side by side, stage after stage, and shows them: a live list on a terminal, a line per
 * step elsewhere. Rejects with the first failure.
 */
export async function runStartUp(stages: readonly (readonly StartUpStep[])[]): Promise<void> {
  for (const steps of stages) {
    await new Listr(
      steps.map(({ title, run }) => ({ title, task: run })),
      {
        concurrent: true,
        registerSignalListeners: false,
        rendererOptions: { timer: PRESET_TIMER, collapseErrors: true, showErrorMessage: false },
        fallbackRendererOptions: { timer: PRESET_TIMER },
      },
    ).run();
  }
}
