import { formatMicros, type getMe, type Micros, type OperationSuccess } from '@parley/contracts';

export interface Me {
  readonly accountId: number;
  readonly name: string;
  readonly email: string;
  readonly billingUnit: 'credits' | 'minutes';
  readonly totalMicros: Micros;
  readonly reservedMicros: Micros;
}

/** The body of `GET /api/user/me`. */
export const renderMe = (me: Me): OperationSuccess<typeof getMe> => ({
  id: me.accountId,
  name: me.name,
  email: me.email,
  total_balance: formatMicros(me.totalMicros),
  available_balance: formatMicros(me.totalMicros - me.reservedMicros),
  reserved_balance: formatMicros(me.reservedMicros),
  billing_unit: me.billingUnit,
});
