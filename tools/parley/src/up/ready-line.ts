import { styleText } from 'node:util';

export interface ReadyFacts {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  /** The first demo account's key; absent when there are no demo accounts. */
  readonly apiKey?: string;
}

/** The one line that says that everything is up; scripts wait for a line that begins with `ready`. */
export function readyLine({ baseUrl, consoleUrl, apiKey }: ReadyFacts, stream: NodeJS.WriteStream): string {
  const facts = [
    styleText(['green', 'bold'], 'ready', { stream }),
    baseUrl,
    `console ${consoleUrl}`,
    ...(apiKey ? [`key ${apiKey}`] : []),
  ];
  return facts.join('  ');
}
