/**
 * Loaded before anything else into every process of a stack (`node --import`): the clock that the process sees is off by
 * what `CLOCK_SKEW` says of its service in minutes, and SIGWINCH turns it back by an hour. Not a test of its own.
 */
const skewMinutes: Readonly<Record<string, number>> = JSON.parse(process.env.CLOCK_SKEW ?? '{}');
const service = /services\/([a-z]+)\/bundle\/main\.js$/.exec(process.argv[1] ?? '')?.[1] ?? '';
const name = service === 'gateway' && process.env.PORT !== process.env.FIRST_PORT ? 'gateway-2' : service;
const minutes = skewMinutes[name];

if (minutes !== undefined) {
  const TrueDate = globalThis.Date;
  let offsetMs = minutes * 60_000;
  process.on('SIGWINCH', () => {
    offsetMs -= 3_600_000;
  });
  const now = () => TrueDate.now() + offsetMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
  });
}
