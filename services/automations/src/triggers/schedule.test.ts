import { describe, expect, it } from 'vitest';
import { Schedule } from './schedule.ts';

/** The moments of a day in Berlin, as UTC. */
function momentsOf(cron: string, day: string): readonly string[] {
  const schedule = new Schedule(cron, 'Europe/Berlin');
  const moments: string[] = [];
  const end = Date.parse(`${day}T22:59:00Z`);
  let moment = schedule.next(new Date(Date.parse(`${day}T00:00:00Z`) - 1));
  for (; moment && moment.getTime() < end; moment = schedule.next(moment))
    moments.push(moment.toISOString().slice(11, 16));
  return moments;
}

describe('a schedule in a time zone whose clock changes', () => {
  it.each(['30 2 * * *', '30 2-2 * * *', '30 2,2 * * *'])('comes once where %s comes twice', (cron) => {
    expect(momentsOf(cron, '2026-10-25')).toEqual(['00:30']);
  });

  it('comes at each time of a list once where one of them comes twice', () => {
    expect(momentsOf('30 2,14 * * *', '2026-10-25')).toEqual(['00:30', '13:30']);
    expect(momentsOf('0,30 2 * * *', '2026-10-25')).toEqual(['00:00', '00:30']);
    expect(momentsOf('15 2-4 * * *', '2026-10-25')).toEqual(['00:15', '02:15', '03:15']);
  });

  it('comes right after the hour that is left out, for a time or for one of a list', () => {
    expect(momentsOf('30 2 * * *', '2026-03-29')).toEqual(['01:00']);
    expect(momentsOf('30 2,14 * * *', '2026-03-29')).toEqual(['01:00', '12:30']);
    expect(momentsOf('0,30 2 * * *', '2026-03-29')).toEqual(['01:00']);
  });

  it('goes on by the clock where it has a wildcard or a step: in both of two hours, in none that is left out', () => {
    expect(momentsOf('30 * * * *', '2026-10-25').slice(0, 3)).toEqual(['00:30', '01:30', '02:30']);
    expect(momentsOf('0-59/30 2 * * *', '2026-10-25')).toEqual(['00:00', '00:30', '01:00', '01:30']);
    expect(momentsOf('*/30 2 * * *', '2026-03-29')).toEqual([]);
  });
});

describe('what is wrong with a schedule', () => {
  it.each([
    ['60 * * * *', 'minute', '60', '0 to 59'],
    ['5/15 * * * *', 'minute', '5/15', '0 to 59'],
    ['0 22-2 * * *', 'hour', '22-2', '0 to 23'],
    ['0 0 0 * *', 'day of the month', '0', '1 to 31'],
    ['0 0 * 13 *', 'month', '13', '1 to 12'],
    ['0 9 * * 6-1', 'day of the week', '6-1', '0 to 7'],
  ])('is told by its field: %s', (cron, field, text, numbers) => {
    expect(Schedule.faultOf(cron)).toBe(
      `The ${field} "${text}" must be *, ${numbers}, a range that goes up, a list, or a step of * or of a range (*/2).`,
    );
  });

  it.each(['* * * *', '* * * * * *', 'hourly', '', '2026-03-01T09:00:00', ' 2030-01-01 09:00Z'])(
    'is how many fields it has, where they are not five: "%s"',
    (cron) => {
      expect(Schedule.faultOf(cron)).toMatch(/five fields/);
    },
  );

  it('is nothing where it can be read', () => {
    for (const cron of ['*/15 0-5,22 1 JAN-MAR MON', '0 0 L * *', ' 5-50/15  *\t* * 7 ', '@daily'])
      expect(Schedule.faultOf(cron), cron).toBeNull();
  });
});
