/** Characters of the GSM alphabet (3GPP TS 23.038) that take one septet each; in no national variant. */
const single =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Those that take two, as they are written with an escape. */
const escaped = '\f^{}\\[~]|€';

const septets: ReadonlyMap<string, number> = new Map([
  ...[...single].map((character) => [character, 1] as const),
  ...[...escaped].map((character) => [character, 2] as const),
]);

/** How much an SMS holds that is alone, and each of several, which say to which text they belong. */
const ofSeptets = { alone: 160, each: 153 };
const ofUtf16 = { alone: 70, each: 67 };

/**
 * In how many segments the carrier sends a text, which is what it takes its price for. One character that is not in the
 * GSM alphabet, such as `ê` or an emoji, has all of them written as UTF-16, of which a segment holds less than half as
 * many. No character is split between two.
 */
export function segmentsOf(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((character) => septets.has(character));
  const { alone, each } = isGsm ? ofSeptets : ofUtf16;
  const lengthOf = (character: string) => (isGsm ? septets.get(character) : undefined) ?? character.length;
  if (characters.reduce((length, character) => length + lengthOf(character), 0) <= alone) return 1;
  let segments = 1;
  let free = each;
  for (const character of characters) {
    const length = lengthOf(character);
    if (length > free) {
      segments += 1;
      free = each;
    }
    free -= length;
  }
  return segments;
}
