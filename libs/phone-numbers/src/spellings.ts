/**
 * Countries that renumbered their mobiles, and where chat platforms go on telling numbers as they were: a number as it is
 * dialed today, as it is told, and what makes either of the other.
 */
interface Renumbering {
  readonly dialed: RegExp;
  readonly toTold: string;
  readonly told: RegExp;
  readonly toDialed: string;
  /** Whether some lines are still dialed as they are told. */
  readonly isAmbiguous: boolean;
}

const renumberings: readonly Renumbering[] = [
  // Brazil put a ninth digit before its mobiles, which began with 6 to 9.
  {
    dialed: /^\+55(?<area>\d\d)9(?<line>[6-9]\d{7})$/,
    toTold: '+55$<area>$<line>',
    told: /^\+55(?<area>\d\d)(?<line>[6-9]\d{7})$/,
    toDialed: '+55$<area>9$<line>',
    isAmbiguous: false,
  },
  // Mexico no longer dials a 1 before its mobiles.
  {
    dialed: /^\+52(?<line>[2-9]\d{9})$/,
    toTold: '+521$<line>',
    told: /^\+521(?<line>[2-9]\d{9})$/,
    toDialed: '+52$<line>',
    isAmbiguous: false,
  },
  // Argentina has a 9 before its mobiles, which many leave out; without it, the number can be a landline's.
  {
    dialed: /^\+549(?<line>[1-3]\d{9})$/,
    toTold: '+54$<line>',
    told: /^\+54(?<line>[1-3]\d{9})$/,
    toDialed: '+549$<line>',
    isAmbiguous: true,
  },
];

/**
 * Every spelling in E.164 under which a line may be known, the given one among them: first the one that is dialed today.
 * The same whichever of them is given; most lines have but one.
 */
export function spellingsOf(phoneNumber: string): readonly [string, ...string[]] {
  for (const { dialed, toTold, told, toDialed } of renumberings) {
    if (dialed.test(phoneNumber)) return [phoneNumber, phoneNumber.replace(dialed, toTold)];
    if (told.test(phoneNumber)) return [phoneNumber.replace(told, toDialed), phoneNumber];
  }
  return [phoneNumber];
}

/** The spelling to dial for a number as it is told; the given one where nobody can say. */
export function dialedSpellingOf(phoneNumber: string): string {
  const known = renumberings.find(({ told, isAmbiguous }) => !isAmbiguous && told.test(phoneNumber));
  return known ? phoneNumber.replace(known.told, known.toDialed) : phoneNumber;
}
