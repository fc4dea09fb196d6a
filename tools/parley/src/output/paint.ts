import { styleText } from 'node:util';

/** Text for standard output, coloured where that is a terminal which shows colours. */
export const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout });
