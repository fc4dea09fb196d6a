import { loadSettings } from '../settings.ts';
import type { Operator } from './operator.ts';

/** Connects to the stack for as long as the work takes; how to connect is loaded only then. */
export async function withOperator(
  work: (operator: Operator, settings: ReturnType<typeof loadSettings>) => Promise<void>,
): Promise<void> {
  const { connectOperator } = await import('./operator.ts');
  const settings = loadSettings();
  const operator = await connectOperator(settings);
  try {
    await work(operator, settings);
  } finally {
    await operator.close();
  }
}
