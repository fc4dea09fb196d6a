import { identifyProcess, listProcesses } from '@parley/embedded-servers';

/** Every process below `root`: children, their children and so on. */
export async function listDescendants(root: number): Promise<number[]> {
  const processes = await listProcesses();
  const collect = (parent: number): number[] =>
    processes.filter(({ parentPid }) => parentPid === parent).flatMap(({ pid }) => [pid, ...collect(pid)]);
  return collect(root);
}

/** Command lines on which a home (or any other text) stands: what of a stack is still running. */
export async function findCommandLines(text: string): Promise<string[]> {
  const processes = await listProcesses();
  return processes.map(({ commandLine }) => commandLine).filter((line) => line.includes(text));
}

/** Whether a process with that id lives; one that only waits for its parent to notice its end does not. */
export const isRunning = async (pid: number): Promise<boolean> => (await identifyProcess(pid)) !== undefined;
