import { describe, expect, test } from 'vitest';
import { Effort } from './effort.ts';
import { compileTemplate } from './template.ts';

const scope = { trigger: {}, steps: {}, vars: {}, run: {}, now: '2026-11-21T10:05:07.000Z' };

function written(format: string) {
  const faults: string[] = [];
  const { resolve } = compileTemplate(`{{now | date: '${format}'}}`, {
    timezone: 'UTC',
    at: 'steps.0.input.at',
    onFault: (at, message) => faults.push(`${at}: ${message}`),
  });
  return { faults, resolved: resolve({ ...scope, effort: new Effort() }) };
}

describe('the format of a date', () => {
  test.each([
    ['DD.MM.YYYY', 'DD', 'DD.11.YYYY'],
    ['dd.MM.YYYY', 'YYYY', '21.11.YYYY'],
    ['YYYYMMDD', 'YYYY', 'YYYY11DD'],
    ['d.M.yyyy', 'd', 'd.M.2026'],
    ['dd.MM.yy', 'yy', '21.11.yy'],
    ['d MMMM', 'd', 'd 1111'],
    ['dd MMM yyyy', 'MMM', '21 11M 2026'],
    ['EEEE, dd.MM.', 'EEEE', 'EEEE, 21.11.'],
    ['h:mm a', 'h', 'h:05 a'],
    ['hh:mm', 'hh', 'hh:05'],
    ['H:mm', 'H', 'H:05'],
  ])('%s, of which %s would go out as it is written, is told when it is saved', (format, field, value) => {
    const { faults, resolved } = written(format);
    expect(faults).toEqual([
      `steps.0.input.at: The filter date knows yyyy, MM, dd, HH, mm, ss; ${field} would stay as it is written.`,
    ]);
    // What was saved before anybody told is worked out as ever.
    expect(resolved).toEqual({ ok: true, value });
  });

  test.each([
    ['dd.MM.yyyy HH:mm:ss', '21.11.2026 10:05:07'],
    ['yyyyMMddTHHmmssZ', '20261121T100507Z'],
    ['am dd.MM. um HH:mm Uhr', 'am 21.11. um 10:05 Uhr'],
    ['HHhmm', '10h05'],
    ['HH h mm', '10 h 05'],
    ['mm m ss s', '05 m 07 s'],
    ['HH:mm hs', '10:05 hs'],
    ['dd de MM', '21 de 11'],
    ['MM月dd日', '11月21日'],
    ['', ''],
  ])('%s is as it was meant', (format, value) =>
    expect(written(format)).toEqual({ faults: [], resolved: { ok: true, value } }),
  );
});
