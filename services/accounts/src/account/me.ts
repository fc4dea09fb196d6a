import { formatMicros, type getMe, type Micros, type OperationSuccess } from '@parley/contracts';
import type { Account } from './account.ts';

export interface Me {
  readonly accountId: number;
  readonly name: string;
  readonly email: string;
  readonly billingUnit: 'credits' | 'minutes';
  readonly totalMicros: Micros;
  readonly reservedMicros: Micros;
}

/** A balance as the API shows it: decimal texts. */
export const renderBalance = ({
  totalMicros,
  reservedMicros,
}: Pick<Me, 'totalMicros' | 'reservedMicros'>) => ({
  total_balance: formatMicros(totalMicros),
  available_balance: formatMicros(totalMicros - reservedMicros),
  reserved_balance: formatMicros(reservedMicros),
});

/** An account as its history shows it, without its money, which is a resource of its own. */
export const showAccount = (state: Account) =>
  state && { id: state.accountId, name: state.name, email: state.email, billing_unit: state.billingUnit };

/** The body of `GET /api/user/me`. */
export const renderMe = (me: Me): OperationSuccess<typeof getMe> => ({
  id: me.accountId,
  name: me.name,
  email: me.email,
  ...renderBalance(me),
  billing_unit: me.billingUnit,
});
