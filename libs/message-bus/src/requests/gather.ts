/** More turns than a burst takes to come in; one that never ends is cut here. */
const maxTurns = 4;
/** So many share the cost of a wake-up well enough; beyond them, whoever is woken could be at work already. */
const enough = 16;
/** A busy loop's turns are long: then the first has waited long enough. */
const longestMs = 2;

/**
 * Calls `send` when a turn of the event loop has brought nothing more, or enough has come. A burst comes in over a few
 * turns, since the first of it wakes the process: cut up by turns, it would cost everybody behind a wake-up each. An idle
 * loop's turn is over in microseconds, so what comes alone waits for nothing.
 */
export function gather(count: () => number, send: () => void, now = () => performance.now()): void {
  let counted = 0;
  let turns = 0;
  const until = now() + longestMs;
  const look = () => {
    const came = count();
    if (came === counted || came >= enough || turns === maxTurns || now() > until) {
      send();
      return;
    }
    counted = came;
    turns += 1;
    setImmediate(look);
  };
  // Not nextTick: that would run after each socket callback, and nothing would travel together.
  setImmediate(look);
}
