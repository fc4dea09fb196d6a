const kinds = [
  { map: 'statementMap', hits: 's', keyOf: ({ start }) => start.line },
  { map: 'fnMap', hits: 'f', keyOf: ({ loc }) => loc.end.line },
  {
    map: 'branchMap',
    hits: 'b',
    keyOf: ({ type, loc, locations }) => `${type} ${loc.start.line} ${locations.length}`,
  },
];

/**
 * Adds to what was counted in a source (as Istanbul writes it) what ran of the same source compiled by another compiler.
 * Columns of the two differ by a little, so places are matched as the first, second and so on of their kind that begins
 * on a line. Where the two see different numbers of them, what ran is left out: never is anything counted that did not.
 * `places` counts how many were matched.
 */
export function addHits(counted, ran, places) {
  for (const { map, hits, keyOf } of kinds) {
    const known = idsByKey(counted[map], keyOf);
    for (const [key, ids] of idsByKey(ran[map], keyOf)) {
      const same = known.get(key);
      places.all += ids.length;
      if (same?.length !== ids.length) continue;
      places.matched += ids.length;
      for (const [index, id] of ids.entries()) {
        counted[hits][same[index]] = sum(counted[hits][same[index]], ran[hits][id]);
      }
    }
  }
}

function idsByKey(map, keyOf) {
  const ids = new Map();
  for (const [id, place] of Object.entries(map)) {
    const key = keyOf(place);
    ids.set(key, [...(ids.get(key) ?? []), id]);
  }
  return ids;
}

/** A branch has a count for each of its ways. */
const sum = (one, other) => (Array.isArray(one) ? one.map((count, way) => count + other[way]) : one + other);
